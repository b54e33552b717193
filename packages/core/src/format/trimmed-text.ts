/** White space as `String.prototype.trim` knows it, by UTF-16 code. */
export function isWhiteSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 160) return false;
  if (code === 160 || code === 0x1680 || code === 0xfeff || code === 0x3000) return true;
  return code >= 0x2000 && (code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f);
}

/** White space and the characters without width that models put around an answer. */
export function isBlank(code: number): boolean {
  return isWhiteSpace(code) || (code >= 0x200b && code <= 0x200d) || code === 0x2060;
}

/** True when every character of the range is blank. */
export function isBlankRange(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (!isBlank(text.charCodeAt(index))) return false;
  return true;
}

/** Where text goes. */
export interface TextSink {
  write(piece: string): void;
}

/**
 * Trims a text that comes in pieces: white space at the start is dropped, white space at the end is held until something
 * visible follows it. What was passed on is therefore always a prefix of the trimmed whole.
 */
export class TrimmedText {
  #spaces = "";
  #hasStarted = false;
  readonly #sink: TextSink;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  write(text: string, from: number, to: number): void {
    let end = to;
    while (end > from && isWhiteSpace(text.charCodeAt(end - 1))) end--;
    let start = from;
    if (!this.#hasStarted) {
      while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
      if (start === end) return;
      this.#hasStarted = true;
    }
    if (end > start) {
      const visible = start === 0 && end === text.length ? text : text.slice(start, end);
      this.#sink.write(this.#spaces === "" ? visible : this.#spaces + visible);
      this.#spaces = "";
    }
    if (end < to) this.#spaces += text.slice(end, to);
  }

  /** What follows is a part of its own, set apart by `separator`. */
  separate(separator: string): void {
    if (this.#hasStarted) this.#spaces = separator;
  }

  /** Takes back the spaces and tabs at the end: something beside them was removed. */
  dropSpacesLeft(): void {
    const spaces = this.#spaces;
    let end = spaces.length;
    while (end > 0 && (spaces.charCodeAt(end - 1) === 32 || spaces.charCodeAt(end - 1) === 9)) end--;
    if (end < spaces.length) this.#spaces = spaces.slice(0, end);
  }

  restart(): void {
    this.#spaces = "";
    this.#hasStarted = false;
  }
}
