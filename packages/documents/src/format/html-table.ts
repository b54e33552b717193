import { joinCells, looksLikeHeader } from "./cells.ts";
import { breakOut, emit, flush, type HtmlFlow, type HtmlRow, isInCell, takeText } from "./html-flow.ts";

/** `<table>`: a table around it only places it. */
export function startTable(flow: HtmlFlow): void {
  breakOut(flow);
  flow.tables.push({ rows: [], row: undefined, isLayout: false });
}

/** `<tr>` */
export function startRow(flow: HtmlFlow): void {
  endCell(flow);
  const table = flow.tables.at(-1);
  if (table !== undefined) table.row = undefined;
}

/** `<td>` or `<th>` */
export function startCell(flow: HtmlFlow, isHead: boolean): void {
  endCell(flow);
  const table = flow.tables.at(-1);
  if (table === undefined || table.isLayout) return;
  const row: HtmlRow = table.row ?? { cells: [], isHead: true };
  if (table.row === undefined) table.rows.push(row);
  table.row = row;
  row.cells.push("");
  row.isHead &&= isHead;
}

/** The end of a cell, said or not. */
export function endCell(flow: HtmlFlow): void {
  const cells = isInCell(flow) ? flow.tables.at(-1)?.row?.cells : undefined;
  if (cells === undefined) flush(flow);
  else cells[cells.length - 1] = joinTexts(cells.at(-1) ?? "", takeText(flow));
}

/** The end of a table: a block, unless it only placed things. `assumesHeader`: a first row may be the header without saying so. */
export function endTable(flow: HtmlFlow, assumesHeader: boolean): void {
  endCell(flow);
  const table = flow.tables.pop();
  if (table === undefined || table.isLayout) return;
  const rows = table.rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const [first] = rows;
  const hasHeader =
    first !== undefined && rows.length > 1 && (first.isHead || (assumesHeader && looksLikeHeader(first.cells)));
  const text = rows.map(({ cells }) => joinCells(cells)).join("\n");
  emit(flow, "table", text, hasHeader ? { header: joinCells(first.cells) } : {});
}

function joinTexts(first: string, second: string): string {
  return first === "" || second === "" ? first + second : `${first} ${second}`;
}
