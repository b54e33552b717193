import { isBlank, isBlankRange } from "./trimmed-text.ts";

/**
 * Where in Markdown code we are. Code is what follows an odd number of backticks on its line, and what is inside a fence:
 * a run of three or more backticks opens one, a run at least as long closes it.
 * After an opening run comes an info word, then a line end, then perhaps white space and the bracket of a list: the opener
 * is `fresh` so far.
 */
export class CodePosition {
  #ticksOnLine = 0;
  #run = 0;
  #fence = 0;
  #opener: "none" | "info" | "line" = "none";
  #isLineBlank = true;
  #mark = 0;
  #openerMark = 0;

  /** In code; the run of backticks before must have been ended. */
  get isCode(): boolean {
    return this.#fence > 0 || this.#ticksOnLine % 2 === 1;
  }

  /** Only white space so far on this line. */
  get isLineBlank(): boolean {
    return this.#isLineBlank;
  }

  /** A fence was just opened and nothing stands in it yet. */
  get isOpenerFresh(): boolean {
    return this.#opener !== "none";
  }

  /** Letters that come next change nothing. */
  get isSteady(): boolean {
    return this.#run === 0 && this.#opener === "none" && !this.#isLineBlank;
  }

  /** The mark of the backticks we are in, or of the fresh opener; null when neither. */
  get mark(): number | null {
    if (this.#run > 0) return this.#mark;
    return this.#opener === "none" ? null : this.#openerMark;
  }

  get isInRun(): boolean {
    return this.#run > 0;
  }

  /** One backtick. `mark` is remembered with the first of a run. */
  tick(mark: number): void {
    if (this.#run === 0) {
      this.#mark = mark;
      this.#opener = "none";
    }
    this.#run++;
    this.#ticksOnLine++;
    this.#isLineBlank = false;
  }

  /** Something else than a backtick comes. */
  endRun(): void {
    if (this.#run === 0) return;
    if (this.#run >= 3) {
      if (this.#fence === 0) {
        this.#fence = this.#run;
        this.#opener = "info";
        this.#openerMark = this.#mark;
      } else if (this.#run >= this.#fence) this.#fence = 0;
    }
    this.#run = 0;
  }

  /** A text of its own begins. */
  reset(): void {
    this.#run = 0;
    this.#fence = 0;
    this.newline();
    this.#opener = "none";
  }

  newline(): void {
    this.endRun();
    this.#ticksOnLine = 0;
    this.#isLineBlank = true;
    if (this.#opener === "info") this.#opener = "line";
  }

  /** Characters that are neither backticks nor line ends. */
  pass(text: string, from: number, to: number): void {
    if (from >= to) return;
    if (this.#run > 0) this.endRun();
    if (this.#opener === "none" && !this.#isLineBlank) return;
    const isBlank = isBlankRange(text, from, to);
    if (!isBlank) this.#isLineBlank = false;
    if (this.#opener === "line" && !isBlank && !isListOpening(text, from, to)) this.#opener = "none";
    if (this.#opener === "info" && !/^[\w+. \t\r-]*$/.test(text.slice(from, to))) this.#opener = "none";
  }
}

/** White space and `[` only. */
function isListOpening(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    if (code !== 91 && !isBlank(code)) return false;
  }
  return true;
}
