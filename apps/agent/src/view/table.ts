import { printableLine } from "@troupe/core/explain";
import stringWidth from "string-width";

/** A column of a table. */
export type Column<Row> = {
  readonly heading: string;
  readonly text: (row: Row) => string;
  /** Numbers stand to the right. */
  readonly isNumber?: boolean;
  /** May be cut down to this many cells when the line is too narrow; without it the column is never cut. */
  readonly leastWidth?: number;
  /** Left out, the last one first, where the line is too narrow for all. */
  readonly isMinor?: boolean;
};

const gap = "  ";
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How many cells of a terminal a text takes; wide characters and emoji take two. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** As much of a text as fits into so many cells, with `…` where something is left out; never half a character. */
export function fitWidth(text: string, width: number): string {
  // A cell never takes more than a few dozen code units, however many marks are piled upon each other.
  const head = text.length > width * 64 ? text.slice(0, width * 64).toWellFormed() : text;
  if (head === text && widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    const segmentWidth = widthOf(segment);
    if (used + segmentWidth > width - 1) break;
    kept += segment;
    used += segmentWidth;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/**
 * Rows in aligned columns under their headings, no line wider than `width` cells. What the cells hold may come from anybody:
 * nothing in it can steer the terminal. Ends with a line end; nothing but the headings when there are no rows.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const measured = columns.map((column) => measure(column, rows));
  const shown = leaveOut(measured, width);
  const widths = shrink(shown, width);
  const lines = [-1, ...rows.keys()].map((row) => shown.map(({ column, cells }) => cells[row] ?? column.heading));
  const kept = shown.map(({ column }) => column);
  return lines.map((line) => `${fitWidth(renderLine(kept, widths, line), width)}\n`).join("");
}

type Measured<Row> = { readonly column: Column<Row>; readonly cells: readonly string[]; readonly width: number };

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = rows.map((row) => printableLine(column.text(row)));
  return { column, cells, width: Math.max(widthOf(column.heading), ...cells.map(widthOf)) };
}

function leaveOut<Row>(measured: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  const least = measured.map((one) => Math.min(one.width, one.column.leastWidth ?? one.width));
  const total = least.reduce((sum, one) => sum + one, 0) + gap.length * (measured.length - 1);
  const last = measured.findLastIndex(({ column }) => column.isMinor === true);
  return total <= width || last < 0 ? measured : leaveOut(measured.toSpliced(last, 1), width);
}

function renderLine<Row>(columns: readonly Column<Row>[], widths: readonly number[], line: readonly string[]): string {
  const padded = columns.map(({ isNumber = false }, at) => {
    const width = widths[at] ?? 0;
    const text = fitWidth(line[at] ?? "", width);
    const space = " ".repeat(Math.max(0, width - widthOf(text)));
    return isNumber ? `${space}${text}` : `${text}${space}`;
  });
  return padded.join(gap).trimEnd();
}

/** Takes cells from the widest of the columns that may be cut, until the line fits or nothing more can be taken. */
function shrink<Row>(measured: readonly Measured<Row>[], width: number): readonly number[] {
  const columns = measured.map(({ column }) => column);
  const widths = measured.map((one) => one.width);
  let excess = widths.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
  while (excess > 0) {
    const spare = columns.map(({ leastWidth }, at) => (leastWidth === undefined ? 0 : (widths[at] ?? 0) - leastWidth));
    const largest = Math.max(0, ...columns.map((_, at) => ((spare[at] ?? 0) > 0 ? (widths[at] ?? 0) : 0)));
    const at = widths.findIndex((one, place) => one === largest && (spare[place] ?? 0) > 0);
    if (at < 0) return widths;
    const next = Math.max(
      ...widths.filter((one, place) => place !== at && one < largest && (spare[place] ?? 0) > 0),
      0,
    );
    const taken = Math.max(1, Math.min(excess, spare[at] ?? 0, largest - next));
    widths[at] = largest - taken;
    excess -= taken;
  }
  return widths;
}
