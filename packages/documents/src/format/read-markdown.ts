import { type BlockList, createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import type { Range } from "../document.ts";
import { decodeText } from "./decode-text.ts";
import { isBlank } from "./lines.ts";
import {
  atxHeading,
  closesFence,
  countCells,
  delimiterCells,
  htmlBlockEnd,
  indentOf,
  isLoneTag,
  isThematicBreak,
  listMarker,
  openingFence,
  plainInline,
  setextLevel,
} from "./markdown-syntax.ts";
import { addHtml } from "./read-html.ts";

/**
 * Reads Markdown line by line: blocks are cut as CommonMark does (tables as GitHub does) and keep their own marks; what stands within
 * a list or a quote stays one block, so that no nesting costs more than its length.
 * @see https://spec.commonmark.org/0.31.2/
 * @throws DocumentError `unsupported`, `too-much-text`, `too-deep`
 */
export async function readMarkdown(input: ReaderInput): Promise<ReaderResult> {
  const { text, encoding, warnings } = await decodeText(input.bytes, input.charset, input.label);
  const list = createBlockList(input.limits, input.label);
  const lines = text.split("\n");
  const matter = frontMatter(lines);
  if (matter !== undefined)
    list.add("code", slice(lines, 0, matter.end), { lines: range(0, matter.end), language: matter.language });
  const parsing: Parsing = { lines, list, input };
  let at = matter === undefined ? 0 : matter.end + 1;
  while (at < lines.length) at = await readBlock(parsing, at);
  const title = matter?.title ?? list.blocks.find((block) => block.kind === "heading" && block.level === 1)?.text;
  return { ...(title === undefined ? {} : { title }), blocks: list.blocks, encoding, warnings };
}

type Parsing = { readonly lines: readonly string[]; readonly list: BlockList; readonly input: ReaderInput };

/** Reads the block at that line and returns the line after it. */
function readBlock(parsing: Parsing, at: number): number | Promise<number> {
  const line = parsing.lines[at] ?? "";
  if (isBlank(line)) return at + 1;
  if (indentOf(line) >= 4) return readIndentedCode(parsing, at);
  const fence = openingFence(line);
  if (fence !== undefined) return readFence(parsing, at, fence);
  const heading = atxHeading(line);
  if (heading !== undefined) {
    parsing.list.heading(heading.level, heading.text, { lines: range(at, at) });
    return at + 1;
  }
  if (isThematicBreak(line)) return at + 1;
  if (listMarker(line) !== undefined) return readList(parsing, at);
  if (/^ {0,3}>/u.test(line)) return readQuote(parsing, at);
  if (htmlBlockEnd(line) !== undefined || isLoneTag(line)) return readHtmlBlock(parsing, at);
  return isTableAt(parsing.lines, at) ? readTable(parsing, at) : readParagraph(parsing, at);
}

/** True when a line ends a paragraph without a blank line between. */
function interrupts(line: string): boolean {
  return (
    atxHeading(line) !== undefined ||
    openingFence(line) !== undefined ||
    isThematicBreak(line) ||
    /^ {0,3}>/u.test(line) ||
    listMarker(line)?.interrupts === true ||
    htmlBlockEnd(line) !== undefined
  );
}

function readIndentedCode({ lines, list }: Parsing, at: number): number {
  let end = at;
  let next = at;
  for (; next < lines.length && (isBlank(lines[next]) || indentOf(lines[next] ?? "") >= 4); next++) {
    if (!isBlank(lines[next])) end = next;
  }
  list.add("code", slice(lines, at, end), { lines: range(at, end) });
  return end + 1;
}

function readFence(
  { lines, list }: Parsing,
  at: number,
  open: { readonly fence: string; readonly language?: string },
): number {
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? "", open.fence)) end++;
  const isClosed = end < lines.length;
  const text = slice(lines, at, Math.min(end, lines.length - 1));
  const extra = open.language === undefined ? {} : { language: open.language };
  const isEmpty = lines.slice(at + 1, end).every(isBlank);
  if (!isEmpty)
    list.add("code", isClosed ? text : `${text.trimEnd()}\n${open.fence}`, {
      lines: range(at, Math.min(end, lines.length - 1)),
      ...extra,
    });
  return end + 1;
}

/** A list being read: its kind of marker, the column its items begin at, the fence open within an item, and the line of an item that begins with nothing. */
type OpenList = { readonly mark: string; content: number; fence: string | undefined; bareAt: number };

function readList({ lines, list }: Parsing, at: number): number {
  const marker = listMarker(lines[at] ?? "");
  const open: OpenList = { mark: marker?.mark ?? "", content: 0, fence: undefined, bareAt: -1 };
  startItem(open, lines, at);
  let end = at;
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (isBlank(line)) {
      // An item that begins with nothing ends at a blank line.
      if (next === open.bareAt + 1) open.content = Number.POSITIVE_INFINITY;
      continue;
    }
    if (indentOf(line) >= open.content) open.fence = fenceAfter(line.slice(open.content), open.fence);
    else if (!continuesList(open, lines, next)) break;
    end = next;
  }
  list.add("list", slice(lines, at, end), { lines: range(at, end) });
  return end + 1;
}

/** True for the next item, or for a line that goes on with a paragraph although it stands further left. */
function continuesList(open: OpenList, lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  const marker = listMarker(line);
  if (marker === undefined) {
    const isLazy = open.fence === undefined && isParagraphText(innermost(lines[at - 1])) && !interrupts(line);
    open.fence = undefined;
    return isLazy;
  }
  if (marker.mark !== open.mark) return false;
  startItem(open, lines, at);
  return true;
}

function startItem(open: OpenList, lines: readonly string[], at: number): void {
  const line = lines[at] ?? "";
  if (innermost(`${line} `) === "") open.bareAt = at;
  open.content = listMarker(line)?.content ?? 2;
  open.fence = fenceAfter(line.slice(open.content), undefined);
}

/** The fence that is open behind a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open === undefined) return openingFence(line)?.fence;
  return closesFence(line, open) ? undefined : open;
}

function readQuote({ lines, list }: Parsing, at: number): number {
  let end = at;
  while (end + 1 < lines.length) {
    const line = lines[end + 1] ?? "";
    if (!/^ {0,3}>/u.test(line) && !(isParagraphText(line) && isParagraphText(innermost(lines[end])))) break;
    end++;
  }
  list.add("paragraph", slice(lines, at, end), { lines: range(at, end) });
  return end + 1;
}

/** True for a line that can go on with a paragraph of a container although it does not stand in it. */
function isParagraphText(line: string | undefined): boolean {
  return line !== undefined && !isBlank(line) && !interrupts(line) && listMarker(line) === undefined;
}

/** What a line says within the lists and quotes it opens. */
function innermost(line: string | undefined): string | undefined {
  return line?.replace(/^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])+/u, "");
}

async function readHtmlBlock({ lines, list, input }: Parsing, at: number): Promise<number> {
  const ends = htmlBlockEnd(lines[at] ?? "") ?? "blank";
  const isEnd = (line: string) => (ends === "blank" ? isBlank(line) : ends.test(line));
  let end = at;
  while (end < lines.length - 1 && !isEnd(lines[end] ?? "")) end++;
  await addHtml(slice(lines, at, end), list, {
    limits: input.limits,
    label: input.label,
    place: { lines: range(at, end) },
  });
  return end + 1;
}

function isTableAt(lines: readonly string[], at: number): boolean {
  const cells = delimiterCells(lines[at + 1] ?? "");
  return cells !== undefined && (lines[at] ?? "").includes("|") && countCells(lines[at] ?? "") === cells;
}

function readTable({ lines, list }: Parsing, at: number): number {
  let end = at + 1;
  while (end + 1 < lines.length && !isBlank(lines[end + 1]) && !interrupts(lines[end + 1] ?? "")) end++;
  list.add("table", slice(lines, at, end), { lines: range(at, end), header: slice(lines, at, at + 1) });
  return end + 1;
}

function readParagraph({ lines, list }: Parsing, at: number): number {
  let end = at;
  for (; end + 1 < lines.length; end++) {
    const line = lines[end + 1] ?? "";
    const level = setextLevel(line);
    if (level !== undefined) {
      list.heading(level, plainInline(slice(lines, at, end).trim()), { lines: range(at, end + 1) });
      return end + 2;
    }
    if (isBlank(line) || interrupts(line) || isTableAt(lines, end + 1)) break;
  }
  list.add("paragraph", slice(lines, at, end), { lines: range(at, end) });
  return end + 1;
}

type FrontMatter = { readonly end: number; readonly language: "yaml" | "toml"; readonly title?: string };

/** Front matter: between `---` (YAML) or `+++` (TOML) on the very first lines. */
function frontMatter(lines: readonly string[]): FrontMatter | undefined {
  const mark = lines[0]?.trimEnd();
  if (mark !== "---" && mark !== "+++") return undefined;
  const end = lines.findIndex(
    (line, at) => at > 0 && (line.trimEnd() === mark || (mark === "---" && line.trimEnd() === "...")),
  );
  const isMatter =
    end > 1 &&
    lines.slice(1, end).every((line) => isBlank(line) || /^(?:[\s#\]}-]|\[|["']?[\w.-]+["']?\s*[:=])/u.test(line));
  if (!isMatter) return undefined;
  const title = lines
    .slice(1, end)
    .map((line) => /^title\s*[:=]\s*(.+?)\s*$/u.exec(line)?.[1])
    .find(Boolean);
  const plain = title?.replace(/^(["'])(.*)\1$/u, "$2").trim();
  return {
    end,
    language: mark === "---" ? "yaml" : "toml",
    ...(plain === undefined || plain === "" ? {} : { title: plain }),
  };
}

function slice(lines: readonly string[], first: number, last: number): string {
  return lines.slice(first, last + 1).join("\n");
}

function range(first: number, last: number): Range {
  return { from: first + 1, to: last + 1 };
}
