import { readEscape } from "./json-escape.ts";
import { isBlank } from "./trimmed-text.ts";

/** How a string is read. */
export type JsonStringOptions = {
  /** The quote that opened it. */
  readonly quote: string;
  readonly write: (text: string) => void;
  /**
   * A quote that nothing structural follows belongs to the text (the model forgot to escape it). Only where the string
   * is a member of an object.
   */
  readonly allowsBareQuotes: boolean;
};

/** A key that is looked at behind a quote; a longer one is taken for a key. */
const limitKeyCharacters = 64;

/** A string of JSON or its relatives, its opening quote being read. Line ends in it are taken as they are. */
export class JsonString {
  isDone = false;
  readonly #quote: number;
  readonly #write: (text: string) => void;
  readonly #allowsBareQuotes: boolean;
  #escape = "";
  /** What followed a quote that may be the closing one. */
  #behind: string | null = null;
  #look: "space" | "comma" | "quoted-key" | "bare-key" | "colon" = "space";
  #keyQuote = "";
  #keyLength = 0;

  constructor({ quote, write, allowsBareQuotes }: JsonStringOptions) {
    this.#quote = quote.charCodeAt(0);
    this.#write = write;
    this.#allowsBareQuotes = allowsBareQuotes;
  }

  /** What was read behind the closing quote, to be read again by whoever comes next. */
  get overread(): string {
    return this.#behind ?? "";
  }

  /** In a string in `"`, neither in an escape nor behind a quote that may be the closing one. */
  get isInText(): boolean {
    return this.#quote === 34 && !this.isDone && this.#behind === null && this.#escape === "";
  }

  /** Reads on from `from`; returns where it stopped. Done: see `overread`. */
  feed(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length && !this.isDone) {
      if (this.#behind !== null) index = this.#lookBehind(chunk, index);
      else if (this.#escape !== "") index = this.#readEscape(chunk, index);
      else index = this.#readText(chunk, index);
    }
    return index;
  }

  #readText(chunk: string, from: number): number {
    let index = from;
    let code = 0;
    for (; index < chunk.length; index++) {
      code = chunk.charCodeAt(index);
      if (code === this.#quote || code === 92) break;
    }
    if (index > from) this.#write(chunk.slice(from, index));
    if (index === chunk.length) return index;
    if (code === 92) this.#escape = "\\";
    else if (this.#allowsBareQuotes) {
      this.#behind = "";
      this.#look = "space";
    } else this.isDone = true;
    return index + 1;
  }

  #readEscape(chunk: string, index: number): number {
    const escape = readEscape(this.#escape + chunk.charAt(index));
    if (escape === null) {
      this.#escape += chunk.charAt(index);
      return index + 1;
    }
    this.#escape = "";
    this.#write(escape.text);
    return escape.rest === "" ? index + 1 : index;
  }

  /** Decides by what follows whether the quote closed the string. */
  #lookBehind(chunk: string, index: number): number {
    const character = chunk.charAt(index);
    const verdict = this.#judge(character);
    if (verdict === "closed") {
      this.isDone = true;
      return index;
    }
    if (verdict === "more") {
      this.#behind += character;
      return index + 1;
    }
    const behind = this.#behind ?? "";
    this.#behind = null;
    this.#write(String.fromCharCode(this.#quote));
    const stopped = this.feed(behind, 0);
    if (this.isDone) this.#behind = this.overread + behind.slice(stopped);
    return index;
  }

  #judge(character: string): "closed" | "text" | "more" {
    switch (this.#look) {
      case "space":
      case "comma":
        return this.#judgeNext(character);
      case "quoted-key":
        if (character === this.#keyQuote) this.#look = "colon";
        else if (character === "\\" || ++this.#keyLength > limitKeyCharacters) return "closed";
        return "more";
      case "bare-key":
        if (/^[\w$-]$/.test(character)) return ++this.#keyLength > limitKeyCharacters ? "text" : "more";
        this.#look = "colon";
        return this.#judge(character);
      case "colon":
        if (character === ":") return "closed";
        return isBlank(character.charCodeAt(0)) ? "more" : "text";
    }
  }

  #judgeNext(character: string): "closed" | "text" | "more" {
    if (isBlank(character.charCodeAt(0))) return "more";
    if (character === "}" || character === "]" || character === "/") return "closed";
    if (character === '"' || character === "'") {
      this.#look = "quoted-key";
      this.#keyQuote = character;
      this.#keyLength = 0;
      return "more";
    }
    if (this.#look === "space") {
      if (character !== ",") return "text";
      this.#look = "comma";
      return "more";
    }
    if (!/^[A-Za-z_$]$/.test(character)) return "text";
    this.#look = "bare-key";
    this.#keyLength = 1;
    return "more";
  }
}
