import { type Goal, isMet, type Row, ratioOf, type Unit } from "./measure.ts";

const headings = ["measure", "ours", "floor", "ratio", "goal", ""] as const;

/** Lines as a table for people; the first column stands left, figures right. */
export function renderTable(rows: readonly Row[]): string {
  const lines: readonly (readonly string[])[] = [headings, ...rows.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Lines as plain data, for machines. */
export function toJson(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) => ({ ...row, ratio: ratioOf(row), isMet: isMet(row) })),
    null,
    2,
  );
}

function cellsOf(row: Row): readonly string[] {
  const ratio = row.floor === undefined ? "" : formatFigure(ratioOf(row));
  const floor = row.floor === undefined ? "" : formatAmount(row.floor, row.unit);
  return [
    row.name,
    formatAmount(row.ours, row.unit),
    floor,
    ratio,
    formatGoal(row.goal, row.unit),
    isMet(row) ? "✓" : "✗",
  ];
}

function formatGoal(goal: Goal, unit: Unit): string {
  switch (goal.type) {
    case "ratio-at-most":
      return `≤ ${goal.limit} ×`;
    case "ratio-at-least":
      return `≥ ${goal.limit} ×`;
    case "at-most":
      return `≤ ${formatAmount(goal.limit, unit)}`;
    case "at-least":
      return `≥ ${formatAmount(goal.limit, unit)}`;
  }
}

function formatAmount(amount: number, unit: Unit): string {
  return unit === "/s" ? `${formatFigure(amount)}/s` : `${formatFigure(amount)} ${unit}`;
}

/** Three figures that matter, whole numbers from a hundred on. */
function formatFigure(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString("en") : figure.toPrecision(3);
}
