import type { Block } from "../document.ts";
import { joinCells } from "./cells.ts";

/** A block found in HTML, before it is decided which part of the page counts. */
export type HtmlBlock = {
  readonly kind: Block["kind"];
  readonly text: string;
  readonly level?: number;
  readonly header?: string;
  readonly language?: string;
  /** Stands in `<main>` or `<article>`. */
  readonly isMain: boolean;
};

/** A row being read; `isHead` while all its cells are. */
export type HtmlRow = { readonly cells: string[]; isHead: boolean };

/** A table being read. A layout table only places things: its cells are running text. */
type HtmlTable = { rows: HtmlRow[]; row: HtmlRow | undefined; isLayout: boolean };

type List = { readonly ordered: boolean; items: number };

/** Text, lists and tables that are not finished yet, and the blocks that are. Text is in running text, in a list's item, or in a cell. */
export type HtmlFlow = {
  readonly found: HtmlBlock[];
  /** Where text now belongs. */
  isMain: boolean;
  parts: string[];
  preDepth: number;
  /** What the code being read says of its language. */
  preLanguage: string | undefined;
  readonly lists: List[];
  listLines: string[];
  pendingMarker: string | undefined;
  readonly tables: HtmlTable[];
};

/** Deeper lists are not indented any further. */
const indentLevels = 8;

/** An empty page. */
export function createHtmlFlow(): HtmlFlow {
  return {
    found: [],
    isMain: false,
    parts: [],
    preDepth: 0,
    preLanguage: undefined,
    lists: [],
    listLines: [],
    pendingMarker: undefined,
    tables: [],
  };
}

/** Puts a finished block out; nothing without text. */
export function emit(flow: HtmlFlow, kind: HtmlBlock["kind"], text: string, extra: Partial<HtmlBlock> = {}): void {
  if (text.trim() !== "") flow.found.push({ kind, text, isMain: flow.isMain, ...extra });
}

/** Takes the text that was not put out yet, with its white space as a page shows it. */
export function takeText(flow: HtmlFlow): string {
  const text = flow.parts
    .join("")
    .replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .trim();
  flow.parts = [];
  return text;
}

/** True while text belongs to a cell of a table that is one. */
export function isInCell(flow: HtmlFlow): boolean {
  const table = flow.tables.at(-1);
  return table !== undefined && !table.isLayout && table.row !== undefined;
}

/** Adds running text. */
export function addText(flow: HtmlFlow, data: string): void {
  flow.parts.push(flow.preDepth > 0 ? data : data.replace(/\s+/gu, " "));
}

/** `<br>` */
export function addLineBreak(flow: HtmlFlow): void {
  flow.parts.push(isInCell(flow) ? " " : "\n");
}

/** Text so far is over: a paragraph, a list's item, or a part of a cell. */
export function flush(flow: HtmlFlow): void {
  if (isInCell(flow)) {
    flow.parts.push(" ");
    return;
  }
  if (flow.preDepth > 0) return;
  const text = takeText(flow);
  if (text === "") return;
  if (flow.lists.length === 0) emit(flow, "paragraph", text);
  else {
    const indent = "  ".repeat(Math.min(flow.lists.length - 1, indentLevels));
    flow.listLines.push(`${indent}${flow.pendingMarker ?? "  "}${text.replace(/\n/gu, `\n${indent}  `)}`);
    flow.pendingMarker = undefined;
  }
}

/** Something begins that has no place in an item or a cell: what was gathered so far is put out, tables around it only place it. */
export function breakOut(flow: HtmlFlow): void {
  const text = isInCell(flow) ? takeText(flow) : "";
  flush(flow);
  closeListBlock(flow);
  for (const table of flow.tables) {
    if (table.isLayout) continue;
    for (const row of table.rows) emit(flow, "paragraph", joinCells(row.cells));
    table.rows = [];
    table.row = undefined;
    table.isLayout = true;
  }
  emit(flow, "paragraph", text);
}

/** The text since `breakOut` is a heading. */
export function endHeading(flow: HtmlFlow, level: number): void {
  emit(flow, "heading", takeText(flow), { level });
}

/** From here on white space counts. */
export function startPre(flow: HtmlFlow): void {
  if (flow.preDepth === 0) {
    breakOut(flow);
    flow.preLanguage = undefined;
  }
  flow.preDepth++;
}

/** The text since `startPre` is code. */
export function endPre(flow: HtmlFlow): void {
  if (flow.preDepth === 0) return;
  flow.preDepth--;
  if (flow.preDepth > 0) return;
  const code = flow.parts.join("").replace(/^\n/u, "").trimEnd();
  flow.parts = [];
  emit(flow, "code", code, flow.preLanguage === undefined ? {} : { language: flow.preLanguage });
}

/** `<ul>` or `<ol>` */
export function startList(flow: HtmlFlow, ordered: boolean): void {
  flush(flow);
  flow.lists.push({ ordered, items: 0 });
}

/** The outermost list ends as one block, nested ones within it. */
export function endList(flow: HtmlFlow): void {
  flush(flow);
  flow.lists.pop();
  if (flow.lists.length === 0) closeListBlock(flow);
}

/** `<li>`: the next text gets its marker. */
export function startItem(flow: HtmlFlow): void {
  flush(flow);
  const list = flow.lists.at(-1);
  if (list === undefined) return;
  list.items++;
  flow.pendingMarker = list.ordered ? `${list.items}. ` : "- ";
}

function closeListBlock(flow: HtmlFlow): void {
  emit(flow, "list", flow.listLines.join("\n"));
  flow.listLines = [];
}

/** Puts marks around the text since that many parts; nothing when there is none. */
export function wrapText(flow: HtmlFlow, from: number, before: string, after: string): void {
  const inner = flow.parts.splice(from).join("");
  const text = inner.trim();
  const start = inner.length - inner.trimStart().length;
  if (text === "") flow.parts.push(inner);
  else flow.parts.push(inner.slice(0, start), before, text, after, inner.slice(start + text.length));
}
