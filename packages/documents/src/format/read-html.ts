import type { Parser } from "htmlparser2";
import { type BlockList, createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import type { Block } from "../document.ts";
import { DocumentError } from "../errors.ts";
import type { ReadLimits } from "../limits.ts";
import { decodeText } from "./decode-text.ts";
import { blockElements, droppedElements, isHidden, surroundings, usefulLink } from "./html-elements.ts";
import {
  addLineBreak,
  addText,
  breakOut,
  createHtmlFlow,
  endHeading,
  endList,
  endPre,
  flush,
  type HtmlBlock,
  type HtmlFlow,
  startItem,
  startList,
  startPre,
  wrapText,
} from "./html-flow.ts";
import { endCell, endTable, startCell, startRow, startTable } from "./html-table.ts";

/** Less text than this in `<main>` is not what the page is about. */
const mainCharacters = 200;

/**
 * Reads a page's main text: headings, paragraphs, lists, tables, code; links keep where they lead. Navigation, scripts and what is hidden
 * are left out.
 * @throws DocumentError `unsupported`, `too-much-text`, `too-deep`
 */
export async function readHtml(input: ReaderInput): Promise<ReaderResult> {
  const declared = input.charset ?? declaredCharset(input.bytes);
  const { text, encoding, warnings } = await decodeText(input.bytes, declared, input.label);
  const list = createBlockList(input.limits, input.label);
  const title = await addHtml(text, list, { limits: input.limits, label: input.label });
  return { ...(title === undefined ? {} : { title }), blocks: list.blocks, encoding, warnings };
}

/** How HTML is read as a part of something else. */
export type HtmlOptions = {
  readonly limits: ReadLimits;
  readonly label: string;
  /** Where all of it stands. */
  readonly place?: Pick<Block, "lines" | "page">;
  /** A table's first row may be its header without saying so. */
  readonly assumesHeader?: boolean;
};

/** Adds what a piece of HTML says. Returns its title: `<title>`, else its first heading. @throws DocumentError `too-deep`, `too-much-text` */
export async function addHtml(html: string, list: BlockList, options: HtmlOptions): Promise<string | undefined> {
  const { Parser } = await import("htmlparser2");
  let page = parsePage(html, Parser, options, false);
  // A page whose every word stands in what usually surrounds the text is read whole.
  if (page.blocks.length === 0) page = parsePage(html, Parser, options, true);
  for (const { kind, text, level, header, language } of mainBlocks(page.blocks)) {
    const extra = { ...options.place, ...(header && { header }), ...(language && { language }) };
    if (kind === "heading") list.heading(level ?? 1, text, options.place);
    else list.add(kind, text, extra);
  }
  return page.title ?? page.blocks.find((block) => block.kind === "heading" && block.level === 1)?.text;
}

function mainBlocks(blocks: readonly HtmlBlock[]): readonly HtmlBlock[] {
  const main = blocks.filter((block) => block.isMain);
  const size = (some: readonly HtmlBlock[]) => some.reduce((sum, block) => sum + block.text.length, 0);
  return size(main) >= Math.min(mainCharacters, size(blocks) / 2) && main.length > 0 ? main : blocks;
}

type Open = {
  readonly name: string;
  readonly isDropped: boolean;
  readonly isMain: boolean;
  readonly link?: Link;
  readonly isLinked: boolean;
};
type Link = { readonly href: string; readonly from: number };
type Page = {
  readonly flow: HtmlFlow;
  readonly open: Open[];
  readonly options: HtmlOptions;
  readonly isWhole: boolean;
  title: string;
};

function parsePage(
  html: string,
  ParserClass: typeof Parser,
  options: HtmlOptions,
  isWhole: boolean,
): { readonly blocks: readonly HtmlBlock[]; readonly title?: string } {
  const page: Page = { flow: createHtmlFlow(), open: [], options, isWhole, title: "" };
  const parser = new ParserClass(
    {
      onopentag: (name, attributes) => openElement(page, name, attributes),
      onclosetag: (name) => closeElement(page, name),
      ontext: (data) => addPageText(page, data),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  breakOut(page.flow);
  const title = page.title.replace(/\s+/gu, " ").trim();
  return { blocks: page.flow.found, ...(title === "" ? {} : { title }) };
}

function addPageText(page: Page, data: string): void {
  const inner = page.open.at(-1);
  if (inner?.name === "title" && page.open.at(-2)?.name !== "svg") page.title += data;
  else if (inner?.isDropped !== true) addText(page.flow, data);
}

function openElement(page: Page, name: string, attributes: Readonly<Record<string, string>>): void {
  const { flow, open, options } = page;
  if (open.length >= options.limits.nestingLevels) throw tooDeep(options);
  const outer = open.at(-1);
  const isMain = outer?.isMain === true || name === "main" || name === "article" || attributes["role"] === "main";
  const isSurrounding = surroundings.has(name) && !isMain && !page.isWhole;
  const isDropped =
    outer?.isDropped === true ||
    droppedElements.has(name) ||
    isSurrounding ||
    isHidden(attributes, isMain || page.isWhole);
  if (!isDropped) startElement(flow, name, attributes);
  flow.isMain = isMain;
  if (flow.preDepth > 0) flow.preLanguage ??= /(?:^|\s)lang(?:uage)?-([\w+#-]+)/u.exec(attributes["class"] ?? "")?.[1];
  const isOwnLink = name === "a" && !isDropped && outer?.isLinked !== true;
  const href = isOwnLink ? usefulLink(attributes["href"]) : undefined;
  open.push({
    name,
    isDropped,
    isMain,
    isLinked: outer?.isLinked === true || href !== undefined,
    ...(href === undefined ? {} : { link: { href, from: flow.parts.length } }),
  });
}

function startElement(flow: HtmlFlow, name: string, attributes: Readonly<Record<string, string>>): void {
  if (/^h[1-6]$/u.test(name)) breakOut(flow);
  else if (name === "br") addLineBreak(flow);
  else if (name === "img" && attributes["alt"]?.trim()) addText(flow, ` ${attributes["alt"]} `);
  else if (name === "pre") startPre(flow);
  else if (name === "ul" || name === "ol") startList(flow, name === "ol");
  else if (name === "li") startItem(flow);
  else if (name === "table") startTable(flow);
  else if (name === "tr") startRow(flow);
  else if (name === "td" || name === "th") startCell(flow, name === "th");
  else if (blockElements.has(name)) flush(flow);
}

function closeElement(page: Page, name: string): void {
  const { flow, open } = page;
  const element = open.pop();
  if (element === undefined) return;
  if (!element.isDropped) endElement(page, name, element);
  flow.isMain = open.at(-1)?.isMain === true;
}

function endElement({ flow, options }: Page, name: string, { link }: Open): void {
  if (/^h[1-6]$/u.test(name)) endHeading(flow, Number(name[1]));
  else if (name === "a" && link !== undefined) wrapLink(flow, link);
  else if (name === "pre") endPre(flow);
  else if (name === "ul" || name === "ol") endList(flow);
  else if (name === "table") endTable(flow, options.assumesHeader === true);
  else if (name === "td" || name === "th") endCell(flow);
  else if (name === "li" || blockElements.has(name)) flush(flow);
}

/** `[text](where it leads)`, unless the text already says so. */
function wrapLink(flow: HtmlFlow, { href, from }: Link): void {
  const text = flow.parts.slice(from).join("").trim();
  const isSame = text === href || `mailto:${text}` === href || href.replace(/^https?:\/\//u, "") === text;
  if (!isSame && flow.preDepth === 0) wrapText(flow, from, "[", `](${href})`);
}

function tooDeep({ limits, label }: HtmlOptions): DocumentError {
  return new DocumentError(
    "too-deep",
    `${label} nests elements deeper than ${limits.nestingLevels} levels (nestingLevels): it is damaged or meant to do harm; add its text instead`,
  );
}

/** What `<meta charset>` says, within the first bytes as the HTML standard has it. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4_096)).toString("latin1");
  return /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/iu.exec(start)?.[1];
}
