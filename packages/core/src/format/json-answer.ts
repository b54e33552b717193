import type { AnswerContext, AnswerReader } from "./answer-reader.ts";
import { isShapeKey, JsonMembers, type MemberKind } from "./json-members.ts";
import { JsonString } from "./json-string.ts";
import { JsonTrivia } from "./json-trivia.ts";
import { isQuote, JsonValueScanner } from "./json-value-scanner.ts";

type State =
  | "brace"
  | "member"
  | "key"
  | "bare-key"
  | "colon"
  | "value"
  | "string"
  | "scan"
  | "items"
  | "item"
  | "after";

/** No key that is looked for is longer; of a longer one only the beginning is kept. */
const limitKeyCharacters = 256;

/**
 * An answer written as a JSON object, from its `{` on. Text and thought are passed on as they come, everything else when
 * it is closed. What does not belong into an object is skipped once the object is known to be an answer.
 */
export class JsonAnswer implements AnswerReader {
  status: AnswerReader["status"] = "candidate";
  readonly #context: AnswerContext;
  readonly #members: JsonMembers;
  readonly #trivia = new JsonTrivia();
  readonly #allowsBareKeys: boolean;
  #state: State = "brace";
  #key = "";
  #hasQuotedKey = false;
  #kind: MemberKind = "ignored";
  #string: JsonString | null = null;
  #scanner: JsonValueScanner | null = null;

  /** `allowsBareKeys`: `{text: …}` may be an answer too, where nothing but an answer is likely. */
  constructor(context: AnswerContext, allowsBareKeys: boolean) {
    this.#context = context;
    this.#members = new JsonMembers(context);
    this.#allowsBareKeys = allowsBareKeys;
  }

  get hasSubstance(): boolean {
    return this.#members.hasSubstance;
  }

  get isLikely(): boolean {
    return this.#hasQuotedKey || (this.#allowsBareKeys && this.#state === "member");
  }

  get isSpeaking(): boolean {
    return this.#state === "string" && this.#kind === "text" && this.#string?.isInText === true;
  }

  feed(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length && (this.status === "candidate" || this.status === "answer")) {
      index = this.#read(chunk, index);
    }
    return index;
  }

  cut(): void {
    const isInKey = this.#state === "key" || this.#state === "bare-key";
    const isInValue = this.#state === "value" || this.#state === "scan" || this.#state === "colon";
    this.#context.text.close(true);
    const unfinished = isInKey ? this.#key.toLowerCase() : null;
    this.#members.cut(unfinished, isInValue && this.#kind === "parameters");
    this.#context.record.hasGap = true;
  }

  #read(chunk: string, index: number): number {
    switch (this.#state) {
      case "brace":
        this.#state = "member";
        return index + 1;
      case "key":
      case "string":
        return this.#readString(chunk, index);
      case "bare-key":
        return this.#readBareKey(chunk, index);
      case "scan":
      case "item":
        return this.#readScanned(chunk, index);
      default:
        return this.#readBetween(chunk, index);
    }
  }

  #readBetween(chunk: string, from: number): number {
    const index = this.#trivia.skip(chunk, from);
    if (index === chunk.length) return index;
    const character = chunk.charAt(index);
    switch (this.#state) {
      case "member":
        return this.#beginMember(character, index);
      case "colon":
        return this.#readColon(character, index);
      case "value":
        return this.#beginValue(character, index);
      case "items":
        return this.#beginItem(character, index);
      default:
        return this.#readAfter(character, index);
    }
  }

  #beginMember(character: string, index: number): number {
    if (character === ",") return index + 1;
    if (character === "}") return this.#close(index);
    if (character === '"' || character === "'") {
      this.#key = "";
      this.#hasQuotedKey = true;
      this.#string = new JsonString({
        quote: character,
        write: (text) => this.#writeKey(text),
        allowsBareQuotes: false,
      });
      this.#state = "key";
      return index + 1;
    }
    if (/^[A-Za-z_$]$/.test(character) && (this.#allowsBareKeys || this.status === "answer")) {
      this.#key = "";
      this.#state = "bare-key";
      return index;
    }
    return this.#skipOrFail(index);
  }

  #writeKey(text: string): void {
    this.#key += text.slice(0, limitKeyCharacters - this.#key.length);
  }

  #readBareKey(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length && /^[\w$-]$/.test(chunk.charAt(index))) index++;
    this.#writeKey(chunk.slice(from, index));
    if (index < chunk.length) this.#state = "colon";
    return index;
  }

  #readString(chunk: string, from: number): number {
    const string = this.#string;
    if (!string) return from;
    const index = string.feed(chunk, from);
    if (this.#state === "key") {
      if (string.isDone) this.#state = "colon";
      return index;
    }
    if (!string.isDone) return index;
    if (this.#kind === "text") this.#context.text.close(false);
    this.#string = null;
    this.#state = "after";
    this.feed(string.overread, 0);
    return index;
  }

  #readColon(character: string, index: number): number {
    if (character !== ":") {
      if (this.status === "candidate") return this.#skipOrFail(index);
      this.#state = "after";
      return index;
    }
    const key = this.#key.trim().toLowerCase();
    if (isShapeKey(key) && this.status === "candidate") {
      this.status = "answer";
      this.#context.accept("json");
    }
    this.#kind = this.#members.open(key);
    this.#state = "value";
    return index + 1;
  }

  #beginValue(character: string, index: number): number {
    if (character === "}" || character === "," || character === "]") {
      this.#state = "after";
      return index;
    }
    if (this.#kind === "calls" && character === "[") {
      this.#state = "items";
      return index + 1;
    }
    if ((this.#kind === "text" || this.#kind === "thought") && isQuote(character.charCodeAt(0))) {
      this.#beginText(this.#kind, character);
      return index + 1;
    }
    this.#scanner = new JsonValueScanner(this.#kind !== "ignored");
    this.#state = "scan";
    return index;
  }

  #beginText(kind: "text" | "thought", quote: string): void {
    const { text, record } = this.#context;
    this.#members.beginText(kind);
    const write = kind === "text" ? (piece: string) => text.feed(piece) : (piece: string) => record.addThought(piece);
    this.#string = new JsonString({ quote, write, allowsBareQuotes: true });
    this.#state = "string";
  }

  #readScanned(chunk: string, from: number): number {
    const scanner = this.#scanner;
    if (!scanner) return from;
    const index = scanner.feed(chunk, from);
    if (!scanner.isDone) return index;
    this.#scanner = null;
    if (this.#state === "item") {
      this.#members.takeCall(scanner.raw);
      this.#state = "items";
    } else {
      this.#members.take(this.#kind, scanner.raw);
      this.#state = "after";
    }
    return index;
  }

  #beginItem(character: string, index: number): number {
    if (character === ",") return index + 1;
    if (character === "]" || character === "}") {
      this.#state = "after";
      return character === "]" ? index + 1 : index;
    }
    this.#scanner = new JsonValueScanner(true);
    this.#state = "item";
    return index;
  }

  #readAfter(character: string, index: number): number {
    if (character === "}") return this.#close(index);
    if (character === ",") {
      this.#state = "member";
      return index + 1;
    }
    if (character === '"' || (this.status === "answer" && /^['A-Za-z_$]$/.test(character))) {
      this.#state = "member";
      return index;
    }
    return this.#skipOrFail(index);
  }

  #close(index: number): number {
    if (this.status === "candidate") this.status = "failed";
    else {
      this.#members.close();
      this.status = "done";
    }
    return index + 1;
  }

  /** A character that has no place here. */
  #skipOrFail(index: number): number {
    if (this.status !== "candidate") return index + 1;
    this.status = "failed";
    return index;
  }
}
