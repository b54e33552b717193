import { paint, type Segment } from "./ansi.ts";

/** Where a print begins: right after the last one, on a line of its own, or there and remembered for `eraseToMark`. */
export type PrintStart = "here" | "fresh-line" | "mark";

/** Where finished output goes: a screen that also shows a line being typed, or a plain stream. */
export interface Sink {
  /** Prints; the order of calls is the order of output. Rejects with a ClientError when nobody can read it any more. */
  print(segments: readonly Segment[], start: PrintStart): Promise<void>;
  /** Erases what was printed since the mark; does nothing and says so where that cannot be done safely. */
  eraseToMark(): Promise<boolean>;
}

/** A sink that writes to a pipe or file, where nothing can be taken back. */
export function createPlainSink(write: (text: string) => Promise<void>, hasColours: boolean): Sink {
  let isAtLineStart = true;
  return {
    print(segments, start) {
      const lead = start === "here" || isAtLineStart ? "" : "\n";
      const text =
        lead + segments.map(({ text, style }) => (hasColours && text !== "" ? paint(text, style) : text)).join("");
      const end = segments.findLast((segment) => segment.text !== "")?.text ?? lead;
      if (end !== "") isAtLineStart = end.endsWith("\n");
      return text === "" ? Promise.resolve() : write(text);
    },
    eraseToMark: () => Promise.resolve(false),
  };
}
