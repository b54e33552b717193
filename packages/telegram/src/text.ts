import { fromMarkdown } from "mdast-util-from-markdown";

/** A text as Telegram takes it, and what is left of it once Telegram has read the markup. */
export type TelegramText = {
  /** In Telegram's HTML. @see https://core.telegram.org/bots/api#html-style */
  readonly html: string;
  /** The same without markup: never longer than the Markdown it was made of. */
  readonly text: string;
};

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root["children"][number];
type ListNode = Extract<Node, { type: "list" }>;

/** Where a node stands: the Markdown, and what it stands in. */
type Place = { readonly source: string; readonly isBold: boolean; readonly isQuoted: boolean; readonly depth: number };

/** HTML and indented code are words in a conversation, and what looks like a footnote's address is one too. */
const extensions = [{ disable: { null: ["htmlFlow", "htmlText", "codeIndented", "definition"] } }];

/**
 * Turns Markdown, as models write it, into Telegram's HTML. Headings become bold, tables stay aligned in a block of code, lines
 * and blank lines stay where they were; what is no Markdown is shown as it stands. Any text will do.
 */
export function toTelegramText(markdown: string): TelegramText {
  const source = markdown.replace(/^\ufeff/, "").toWellFormed();
  const { children } = fromMarkdown(source, { extensions });
  const text = renderBlocks(children, { source, isBold: false, isQuoted: false, depth: 0 });
  return text.text.trim() === "" ? plain(source) : text;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A text without any markup. */
function plain(text: string): TelegramText {
  return { html: escape(text), text };
}

function join(pieces: readonly TelegramText[], between = ""): TelegramText {
  return {
    html: pieces.map(({ html }) => html).join(between),
    text: pieces.map(({ text }) => text).join(between),
  };
}

function tagged(tag: string, piece: TelegramText, attribute = ""): TelegramText {
  return piece.text.trim() === "" ? piece : { html: `<${tag}${attribute}>${piece.html}</${tag}>`, text: piece.text };
}

const startOf = (node: Node): number => node.position?.start.offset ?? 0;
const endOf = (node: Node): number => node.position?.end.offset ?? 0;

/** Blocks as far apart as they were, a blank line at most. */
function renderBlocks(blocks: readonly Node[], place: Place): TelegramText {
  const pieces: TelegramText[] = [];
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    const gap = before ? place.source.slice(endOf(before), startOf(block)) : "";
    const breaks = Math.min(2, gap.replace(/\r\n?/g, "\n").split("\n").length - 1);
    pieces.push({ html: "\n".repeat(breaks), text: "\n".repeat(breaks) }, renderBlock(block, place));
  }
  return join(pieces);
}

function renderBlock(node: Node, place: Place): TelegramText {
  switch (node.type) {
    case "paragraph":
      return tableOf(node, place) ?? renderInline(node.children, place);
    case "heading": {
      const title = renderInline(node.children, { ...place, isBold: true });
      return place.isBold ? title : tagged("b", title);
    }
    case "thematicBreak":
      return plain("———");
    case "blockquote": {
      const quote = renderBlocks(node.children, { ...place, isQuoted: true });
      return place.isQuoted ? quote : tagged("blockquote", quote);
    }
    case "list":
      return renderList(node, place);
    case "code":
      return codeBlock(node.value, node.lang ?? undefined);
    default:
      return renderInline([node], place);
  }
}

function codeBlock(value: string, language: string | undefined): TelegramText {
  const code = plain(value);
  if (language === undefined) return tagged("pre", code);
  const inner = tagged("code", code, ` class="language-${escape(language)}"`);
  return tagged("pre", inner);
}

const delimiterRow = /^ *\|? *:?-+:? *(\| *:?-+:? *)+\|? *$/;

/** Telegram has no tables: one stays as it was written, in letters of one width. */
function tableOf(node: Node, { source, isQuoted, depth }: Place): TelegramText | null {
  if (isQuoted || depth > 0) return null;
  const lines = source.slice(startOf(node), endOf(node)).split(/\r?\n/);
  const [head = "", delimiters = ""] = lines;
  return head.includes("|") && delimiterRow.test(delimiters) ? tagged("pre", plain(lines.join("\n"))) : null;
}

function renderList(list: ListNode, place: Place): TelegramText {
  const { source, depth } = place;
  const items = list.children.map((item, index) => {
    const start = startOf(item);
    const number = /^\d{1,9}[.)]/.exec(source.slice(start, start + 10))?.[0];
    // A nested item begins where the eye expects it, and never further right than it was written.
    const column = (item.position?.start.column ?? 1) - 1;
    const isFirstOnLine = index > 0 || source.slice(start - column, start).trim() === "";
    const indent = isFirstOnLine ? " ".repeat(Math.min(2 * depth, column)) : "";
    const content = renderBlocks(item.children, { ...place, depth: depth + 1 });
    const mark = `${indent}${number ?? "•"}${content.text === "" ? "" : " "}`;
    return { node: item, piece: join([plain(mark), content]) };
  });
  const pieces = items.map(({ node, piece }, index) => {
    const before = items[index - 1]?.node;
    const breaks = before ? Math.max(1, source.slice(endOf(before), startOf(node)).split("\n").length - 1) : 0;
    const gap = "\n".repeat(Math.min(2, breaks));
    return { html: gap + piece.html, text: gap + piece.text };
  });
  return join(pieces);
}

function renderInline(nodes: readonly Node[], place: Place): TelegramText {
  return join(nodes.map((node) => renderPhrase(node, place)));
}

function renderPhrase(node: Node, place: Place): TelegramText {
  switch (node.type) {
    case "text":
      return struck(node.value);
    case "emphasis":
      return tagged("i", renderInline(node.children, place));
    case "strong": {
      const words = renderInline(node.children, { ...place, isBold: true });
      return place.isBold ? words : tagged("b", words);
    }
    case "inlineCode":
      return tagged("code", plain(node.value));
    case "break":
      return plain("\n");
    case "link":
      return link(renderInline(node.children, place), node.url);
    case "image":
      return link(plain(node.alt ?? ""), node.url);
    default:
      return plain(place.source.slice(startOf(node), endOf(node)));
  }
}

/** Words that lead somewhere; where Telegram cannot follow, the address stands behind them. */
function link(words: TelegramText, url: string): TelegramText {
  if (words.text.trim() === "" || words.text === url) return plain(url);
  if (/^(https?:\/\/[^\s/?#]+\.[^\s]+|tg:\/\/\S+)$/i.test(url)) return tagged("a", words, ` href="${escape(url)}"`);
  const address = url.replace(/^mailto:/i, "");
  return address === "" || address === words.text ? words : join([words, plain(` (${address})`)]);
}

const marks: readonly { readonly pattern: RegExp; readonly tag: string }[] = [
  { pattern: /~~(?=\S)([^~\n]+?)(?<=\S)~~/u, tag: "s" },
  { pattern: /\|\|(?=\S)([^|\n]+?)(?<=\S)\|\|/u, tag: "tg-spoiler" },
];

/** `~~struck out~~` and `||hidden||`, which are no Markdown but meant as such. */
function struck(value: string): TelegramText {
  for (const { pattern, tag } of marks) {
    const found = pattern.exec(value);
    const [whole, words = ""] = found ?? [];
    if (!found || whole === undefined) continue;
    const before = struck(value.slice(0, found.index));
    return join([before, tagged(tag, struck(words)), struck(value.slice(found.index + whole.length))]);
  }
  return plain(value);
}
