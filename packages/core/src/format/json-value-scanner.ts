import { isBlank } from "./trimmed-text.ts";

type Kind = "unknown" | "bare" | "string" | "container";
type Comment = "none" | "slash" | "line" | "block" | "star";

/**
 * Finds the end of one JSON value, or of something like it, without reading it. Begins at the value's first character.
 * Nesting is only counted, so that no depth is too deep.
 */
export class JsonValueScanner {
  isDone = false;
  /** It ended at a `<` that stands in no string: what was read is no value. */
  isBroken = false;
  /** The value as written, when it is kept. */
  raw = "";
  readonly #isKept: boolean;
  readonly #endsAtTag: boolean;
  #kind: Kind = "unknown";
  #depth = 0;
  #quote = 0;
  #isEscaped = false;
  #comment: Comment = "none";
  /** Whether a token may begin here: behind a bracket, colon or comma. */
  #isTokenStart = true;

  constructor(isKept: boolean, endsAtTag = false) {
    this.#isKept = isKept;
    this.#endsAtTag = endsAtTag;
  }

  /** Reads on from `from`; returns where it stopped: behind the value, or at the chunk's end. */
  feed(chunk: string, from: number): number {
    let index = from;
    if (this.#kind === "unknown" && from < chunk.length) index = this.#begin(chunk, from);
    if (this.#kind === "bare") index = this.#readBare(chunk, index);
    else while (index < chunk.length && !this.isDone) index = this.#readPart(chunk, index);
    if (this.#isKept) this.raw += chunk.slice(from, index);
    return index;
  }

  #begin(chunk: string, from: number): number {
    const code = chunk.charCodeAt(from);
    if (code === 91 || code === 123) {
      this.#kind = "container";
      this.#depth = 1;
      return from + 1;
    }
    if (isQuote(code)) {
      this.#kind = "string";
      this.#quote = code;
      return from + 1;
    }
    this.#kind = "bare";
    return from;
  }

  /** A number or a word ends before what separates values. */
  #readBare(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index);
      if (code !== 44 && code !== 125 && code !== 93 && !isBlank(code)) continue;
      this.isDone = true;
      return index;
    }
    return chunk.length;
  }

  #readPart(chunk: string, index: number): number {
    if (this.#quote !== 0) return this.#readString(chunk, index);
    if (this.#comment !== "none") return this.#readComment(chunk, index);
    return this.#readStructure(chunk, index);
  }

  #readString(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === 92) this.#isEscaped = true;
      else if (code === this.#quote) {
        this.#quote = 0;
        if (this.#kind === "string") this.isDone = true;
        return index + 1;
      }
    }
    return chunk.length;
  }

  #readComment(chunk: string, index: number): number {
    const code = chunk.charCodeAt(index);
    switch (this.#comment) {
      case "slash":
        this.#comment = code === 47 ? "line" : code === 42 ? "block" : "none";
        return this.#comment === "none" ? index : index + 1;
      case "line":
        if (code === 10) this.#comment = "none";
        return index + 1;
      case "block":
        if (code === 42) this.#comment = "star";
        return index + 1;
      case "star":
        if (code !== 42) this.#comment = code === 47 ? "none" : "block";
        return index + 1;
      case "none":
        return index;
    }
  }

  #readStructure(chunk: string, index: number): number {
    const code = chunk.charCodeAt(index);
    if (code === 60 && this.#endsAtTag) {
      this.isBroken = true;
      this.isDone = true;
      return index;
    }
    if (code === 34 || (this.#isTokenStart && isQuote(code))) this.#quote = code;
    else if (code === 47) this.#comment = "slash";
    else if (code === 91 || code === 123) this.#depth++;
    else if (code === 93 || code === 125) {
      this.#depth--;
      this.isDone = this.#depth === 0;
    }
    if (!isBlank(code) && code !== 47) this.#isTokenStart = code === 91 || code === 123 || code === 58 || code === 44;
    return index + 1;
  }
}

/** `"`, `'` or a backtick. */
export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}
