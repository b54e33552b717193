import { charactersOf, widthOfCharacter } from "./text-width.ts";

/** A text as rows of a terminal, and where the cursor stands in them. */
export type Layout = {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  /** Whether the first row is among those kept. */
  readonly isFromStart: boolean;
};

/** What to lay out: a text that begins in column `indent`, with the cursor after `cursor` UTF-16 units. */
export type LayoutInput = {
  readonly text: string;
  readonly cursor: number;
  readonly indent: number;
  readonly columns: number;
  /** No more rows than these are kept: those around the cursor. */
  readonly maxRows: number;
};

const tabWidth = 4;

/** Breaks a text into rows no wider than the terminal. The first row leaves out the `indent`. */
export function layOut(input: LayoutInput): Layout {
  const { text, cursor, columns } = input;
  const rows: string[] = [""];
  let column = input.indent;
  let at = 0;
  let place: { readonly row: number; readonly column: number } | null = null;
  const breakRow = (): void => {
    rows.push("");
    column = 0;
  };
  for (const character of charactersOf(text)) {
    const width = character === "\t" ? tabWidth : widthOfCharacter(character);
    if (character !== "\n" && column + width > columns) breakRow();
    if (at >= cursor) place ??= { row: rows.length - 1, column };
    at += character.length;
    if (character === "\n") {
      breakRow();
      continue;
    }
    rows[rows.length - 1] += character === "\t" ? " ".repeat(tabWidth) : character;
    column += width;
  }
  if (!place && column >= columns) breakRow();
  const { row, column: cursorColumn } = place ?? { row: rows.length - 1, column };
  const first = Math.max(0, Math.min(row - Math.floor(input.maxRows / 2), rows.length - input.maxRows));
  return {
    rows: rows.slice(first, first + input.maxRows),
    cursorRow: row - first,
    cursorColumn: Math.min(cursorColumn, columns - 1),
    isFromStart: first === 0,
  };
}
