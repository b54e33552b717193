import { charactersOf, widthOf, widthOfCharacter } from "./text-width.ts";

/** Follows where on the screen the output ends, and how many rows it has grown since a mark. */
export type Tail = {
  /** The column after the last character; 0 at the start of a line, as many as the window has when the row is full. */
  column(): number;
  /**
   * Goes on by a text; returns what must be written for it. `isResumed`: the cursor was moved to the end of the output
   * just before, where a terminal does not go on to the next row by itself.
   */
  advance(text: string, isResumed: boolean): string;
  mark(): void;
  /** Null when there is no mark, or none that can be trusted. */
  rowsSinceMark(): number | null;
  /** The window has another size, and the terminal has broken the last line anew. */
  rebreak(): void;
  /** The output is empty; returns its last line. */
  clear(): string;
};

const tabWidth = 8;

/** Begins at the start of a line. `columns` is asked each time. */
export function createTail(columns: () => number): Tail {
  let line = "";
  let column = 0;
  let rows: number | null = null;

  const addRow = (): void => {
    if (rows !== null) rows += 1;
  };
  const advanceLine = (text: string, isResumed: boolean): string => {
    const width = columns();
    let written = "";
    for (const character of charactersOf(text)) {
      const shown = character === "\t" ? " ".repeat(tabWidth - (column % tabWidth)) : character;
      const taken = character === "\t" ? shown.length : widthOfCharacter(character);
      const wraps = column + taken > width;
      if (wraps) addRow();
      if (wraps && isResumed && written === "") written = "\r\n";
      written += shown;
      column = Math.min((wraps ? 0 : column) + taken, width);
    }
    line += written;
    return written;
  };

  return {
    column: () => column,
    advance(text, isResumed) {
      const [first = "", ...others] = text.split("\n");
      let written = advanceLine(first, isResumed);
      for (const other of others) {
        addRow();
        line = "";
        column = 0;
        written += `\r\n${advanceLine(other, false)}`;
      }
      return written;
    },
    mark() {
      rows = 0;
    },
    rowsSinceMark: () => rows,
    rebreak() {
      rows = null;
      const width = column > 0 ? widthOf(line.slice(line.lastIndexOf("\n") + 1)) : 0;
      column = width > 0 ? ((width - 1) % columns()) + 1 : 0;
    },
    clear() {
      const last = line;
      line = "";
      column = 0;
      rows = null;
      return last;
    },
  };
}
