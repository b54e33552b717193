import {
  byteOffset,
  compareEntities,
  type Entity,
  type EntityType,
  type FormattedText,
  MarkupError,
} from "./entity.ts";
import { linkEntity } from "./link.ts";

/** What is open: the names are those of Telegram's error texts. */
type Kind =
  | "Bold"
  | "Italic"
  | "Underline"
  | "Strikethrough"
  | "Spoiler"
  | "TextUrl"
  | "CustomEmoji"
  | "Code"
  | "Pre"
  | "PreCode"
  | "BlockQuote";

type Open = { readonly kind: Kind; readonly offset: number; readonly begin: number; readonly language: string };
type State = { readonly source: string; at: number; text: string; readonly open: Open[]; readonly entities: Entity[] };

const reserved = "_*[]()~`>#+-=|{}.!";
const types: Readonly<Partial<Record<Kind, EntityType>>> = {
  Bold: "bold",
  Italic: "italic",
  Underline: "underline",
  Strikethrough: "strikethrough",
  Spoiler: "spoiler",
  Code: "code",
  Pre: "pre",
};

/**
 * Reads Telegram's MarkdownV2.
 * @throws MarkupError in Telegram's words when it is none.
 * @see https://core.telegram.org/bots/api#markdownv2-style
 */
export function parseMarkdownV2(source: string): FormattedText {
  const state: State = { source, at: 0, text: "", open: [], entities: [] };
  while (state.at < source.length) step(state);
  if (state.open.some(({ kind }) => kind === "BlockQuote")) closeQuote(state);
  const unclosed = state.open.at(-1);
  if (unclosed) throw unclosedError(state, unclosed);
  return { text: state.text, entities: state.entities.sort(compareEntities) };
}

function step(state: State): void {
  const { source } = state;
  const character = source.charAt(state.at);
  const next = source.charCodeAt(state.at + 1);
  const isCode = ["Code", "Pre", "PreCode"].includes(state.open.at(-1)?.kind ?? "");
  if (character === "\\" && next > 0 && next <= 126) return take(state, source.charAt(state.at + 1), 2);
  if (character === "\n" && !isCode && state.open.some(({ kind }) => kind === "BlockQuote"))
    return endQuotedLine(state);
  if (!(isCode ? "`" : reserved).includes(character)) return take(state, character, 1);
  if (character === ">" && startsLine(state) && !state.open.some(({ kind }) => kind === "BlockQuote")) {
    return open(state, "BlockQuote", 1);
  }
  if (!closeTop(state)) begin(state);
}

function take(state: State, text: string, width: number): void {
  state.text += text;
  state.at += width;
}

function open(state: State, kind: Kind, width: number, language = ""): void {
  state.open.push({ kind, offset: state.text.length, begin: state.at, language });
  state.at += width;
}

function startsLine({ text }: State): boolean {
  return text === "" || text.endsWith("\n") || text.endsWith("\r");
}

function endQuotedLine(state: State): void {
  take(state, "\n", 1);
  if (state.source.charAt(state.at) === ">") state.at += 1;
  else closeQuote(state);
}

/** Ends the quote; an empty spoiler at its very end makes it an expandable one. */
function closeQuote(state: State): void {
  const last = state.open.at(-1);
  const isExpandable = last?.kind === "Spoiler" && /^\r?\n?$/.test(state.text.slice(last.offset));
  if (isExpandable) state.open.pop();
  const quote = state.open.pop();
  if (quote?.kind !== "BlockQuote") throw unclosedError(state, isExpandable ? last : quote);
  const length = state.text.length - quote.offset;
  const type = isExpandable ? "expandable_blockquote" : "blockquote";
  if (length > 0) state.entities.push({ type, offset: quote.offset, length });
}

function unclosedError(state: State, unclosed: Open | undefined): MarkupError {
  const place = byteOffset(state.source, unclosed?.begin ?? 0);
  return new MarkupError(`Can't find end of ${unclosed?.kind} entity at byte offset ${place}`);
}

const closers: Readonly<Record<Kind, string>> = {
  Bold: "*",
  Italic: "_",
  Underline: "__",
  Strikethrough: "~",
  Spoiler: "||",
  TextUrl: "]",
  CustomEmoji: "]",
  Code: "`",
  Pre: "```",
  PreCode: "```",
  BlockQuote: "\n",
};

/** Ends what was opened last, when this is its end. */
function closeTop(state: State): boolean {
  const top = state.open.at(-1);
  if (!top || top.kind === "BlockQuote") return false;
  const closer = closers[top.kind];
  if (!state.source.startsWith(closer, state.at)) return false;
  if (top.kind === "Italic" && state.source.charAt(state.at + 1) === "_") return false;
  state.open.pop();
  state.at += closer.length;
  const length = state.text.length - top.offset;
  if (top.kind === "TextUrl") closeLink(state, top.offset);
  else if (top.kind === "CustomEmoji") closeEmoji(state, top.offset);
  else if (length > 0) {
    const type = types[top.kind] ?? "pre";
    state.entities.push({ type, offset: top.offset, length, ...(top.language ? { language: top.language } : {}) });
  }
  return true;
}

/** The address in parentheses at this place, null without parentheses. */
function readAddress(state: State, what: string): string | null {
  const { source } = state;
  if (source.charAt(state.at) !== "(") return null;
  const begin = state.at + 1;
  let address = "";
  let at = begin;
  while (at < source.length && source.charAt(at) !== ")") {
    const next = source.charCodeAt(at + 1);
    if (source.charAt(at) === "\\" && next > 0 && next <= 126) at += 1;
    address += source.charAt(at);
    at += 1;
  }
  if (at >= source.length)
    throw new MarkupError(`Can't find end of ${what} at byte offset ${byteOffset(source, begin)}`);
  state.at = at + 1;
  return address;
}

function closeLink(state: State, offset: number): void {
  const address = readAddress(state, "a URL") ?? state.text.slice(offset);
  const length = state.text.length - offset;
  if (length > 0) state.entities.push(...linkEntity(address, offset, length));
}

function closeEmoji(state: State, offset: number): void {
  const address = readAddress(state, "a custom emoji URL");
  if (address === null) throw new MarkupError("Custom emoji entity must contain a tg://emoji URL");
  const [, scheme, host, query = ""] = /^([a-z]+):(?:\/\/)?([^/?#]*)\/?(?:\?([^#]*))?/i.exec(address) ?? [];
  if (scheme?.toLowerCase() !== "tg") throw new MarkupError("Custom emoji URL must have scheme tg");
  if (host?.toLowerCase() !== "emoji") throw new MarkupError('Custom emoji URL must have host "emoji"');
  const id = new URLSearchParams(query).get("id");
  if (!id) throw new MarkupError("Custom emoji URL must have an emoji identifier");
  if (!/^-?[1-9]\d{0,18}$/.test(id)) throw new MarkupError("Invalid custom emoji identifier specified");
  const length = state.text.length - offset;
  if (length > 0) state.entities.push({ type: "custom_emoji", offset, length, customEmojiId: id });
}

function begin(state: State): void {
  const { source, at } = state;
  const character = source.charAt(at);
  const next = source.charAt(at + 1);
  if (character === "_") return next === "_" ? open(state, "Underline", 2) : open(state, "Italic", 1);
  if (character === "*") return open(state, "Bold", 1);
  if (character === "~") return open(state, "Strikethrough", 1);
  if (character === "|" && next === "|") return open(state, "Spoiler", 2);
  if (character === "[") return open(state, "TextUrl", 1);
  if (character === "!" && next === "[") return open(state, "CustomEmoji", 2);
  if (character === "`") return source.startsWith("```", at) ? openBlock(state) : open(state, "Code", 1);
  throw new MarkupError(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
}

function openBlock(state: State): void {
  const { source, at } = state;
  const [language = ""] = /^[^\s`]+/.exec(source.slice(at + 3)) ?? [];
  const end = at + 3 + language.length;
  const isLanguage = language !== "" && end < source.length && source.charAt(end) !== "`";
  open(state, isLanguage ? "PreCode" : "Pre", 3 + (isLanguage ? language.length : 0), isLanguage ? language : "");
  const [newline = ""] = /^(?:\r\n|\n\r|\n|\r)/.exec(source.slice(state.at, state.at + 2)) ?? [];
  state.at += newline.length;
}
