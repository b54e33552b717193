import {
  byteOffset,
  compareEntities,
  type Entity,
  type EntityType,
  type FormattedText,
  MarkupError,
} from "./entity.ts";
import { linkEntity } from "./link.ts";

const types: Readonly<Record<string, EntityType>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  span: "spoiler",
  "tg-spoiler": "spoiler",
  "tg-emoji": "custom_emoji",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

type OpenTag = { readonly name: string; readonly attributes: ReadonlyMap<string, string>; readonly offset: number };
type State = {
  readonly source: string;
  at: number;
  text: string;
  readonly open: OpenTag[];
  readonly entities: Entity[];
};

/**
 * Reads Telegram's HTML.
 * @throws MarkupError in Telegram's words when it is none.
 * @see https://core.telegram.org/bots/api#html-style
 */
export function parseHtml(source: string): FormattedText {
  const state: State = { source, at: 0, text: "", open: [], entities: [] };
  while (state.at < source.length) {
    const character = source.charAt(state.at);
    if (character === "&") readReference(state);
    else if (character !== "<") {
      state.text += character;
      state.at += 1;
    } else if (source.charAt(state.at + 1) === "/") readEndTag(state);
    else readStartTag(state);
  }
  const unclosed = state.open.at(-1);
  if (unclosed) throw new MarkupError(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  if (!state.text.isWellFormed()) {
    throw new MarkupError(
      "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units",
    );
  }
  return { text: state.text, entities: state.entities.map(withoutCodeLanguage).sort(compareEntities) };
}

function readReference(state: State): void {
  const reference = decodeReference(state.source, state.at);
  state.text += reference?.text ?? "&";
  state.at = reference?.end ?? state.at + 1;
}

/** The character a reference at this place stands for, and where it ends; null when it is just an ampersand. */
function decodeReference(source: string, at: number): { readonly text: string; readonly end: number } | null {
  const matcher = /&(?:#x([0-9a-f]*)|#(\d*)|([a-z]+))/iy;
  matcher.lastIndex = at;
  const match = matcher.exec(source);
  if (!match) return null;
  const [whole, hexadecimal, decimal, name] = match;
  const end = at + whole.length + (source.charAt(at + whole.length) === ";" ? 1 : 0);
  if (name !== undefined) {
    const text = Object.hasOwn(named, name) ? named[name] : undefined;
    return text === undefined ? null : { text, end };
  }
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  if (!(code > 0 && code < 0x10ffff) || whole.length >= 10) return null;
  return { text: String.fromCodePoint(code), end };
}

const isSpace = (character: string): boolean => /^[ \t\r\n\f\v\0]$/.test(character);

function readStartTag(state: State): void {
  const { source } = state;
  const begin = state.at;
  let at = begin + 1;
  while (at < source.length && !isSpace(source.charAt(at)) && source.charAt(at) !== ">") at += 1;
  if (at >= source.length) throw new MarkupError(`Unclosed start tag at byte offset ${byteOffset(source, begin)}`);
  const name = source.slice(begin + 1, at).toLowerCase();
  if (!Object.hasOwn(types, name)) {
    throw new MarkupError(`Unsupported start tag "${name}" at byte offset ${byteOffset(source, begin)}`);
  }
  const attributes = new Map<string, string>();
  at = skipSpaces(source, at);
  while (source.charAt(at) !== ">") {
    const attribute = readAttribute(source, at, { name, begin });
    attributes.set(attribute.name, attribute.value);
    at = skipSpaces(source, attribute.end);
    if (at >= source.length) throw new MarkupError(`Unclosed start tag at byte offset ${byteOffset(source, begin)}`);
  }
  if (name === "span" && attributes.get("class") !== "tg-spoiler") {
    throw new MarkupError(`Tag "span" must have class "tg-spoiler" at byte offset ${byteOffset(source, begin)}`);
  }
  state.open.push({ name, attributes, offset: state.text.length });
  state.at = at + 1;
}

type Attribute = { readonly name: string; readonly value: string; readonly end: number };

function readAttribute(
  source: string,
  start: number,
  tag: { readonly name: string; readonly begin: number },
): Attribute {
  let at = start;
  while (at < source.length && !isSpace(source.charAt(at)) && !"=>".includes(source.charAt(at))) at += 1;
  const name = source.slice(start, at).toLowerCase();
  const place = () => `"${tag.name}" at byte offset ${byteOffset(source, tag.begin)}`;
  if (name === "") throw new MarkupError(`Empty attribute name in the tag ${place()}`);
  const afterName = skipSpaces(source, at);
  if (afterName >= source.length) throw new MarkupError(`Unclosed start tag ${place()}`);
  if (source.charAt(afterName) !== "=") return { name, value: "", end: afterName };
  at = skipSpaces(source, afterName + 1);
  if (at >= source.length) throw new MarkupError(`Unclosed start tag ${place()}`);
  const quote = source.charAt(at);
  if (quote === '"' || quote === "'") return { name, ...readQuoted(source, at + 1, quote) };
  const end = at + (/^[a-z0-9.-]*/i.exec(source.slice(at))?.[0].length ?? 0);
  if (end >= source.length || (!isSpace(source.charAt(end)) && source.charAt(end) !== ">")) {
    throw new MarkupError(`Unexpected end of name token at byte offset ${byteOffset(source, at)}`);
  }
  return { name, value: source.slice(at, end).toLowerCase(), end };
}

function readQuoted(source: string, start: number, quote: string): { readonly value: string; readonly end: number } {
  let at = start;
  let value = "";
  while (at < source.length && source.charAt(at) !== quote) {
    const reference = source.charAt(at) === "&" ? decodeReference(source, at) : null;
    value += reference?.text ?? source.charAt(at);
    at = reference?.end ?? at + 1;
  }
  return { value, end: at + 1 };
}

function skipSpaces(source: string, start: number): number {
  let at = start;
  while (at < source.length && isSpace(source.charAt(at))) at += 1;
  return at;
}

function readEndTag(state: State): void {
  const { source } = state;
  const begin = state.at;
  const tag = state.open.pop();
  if (!tag) throw new MarkupError(`Unexpected end tag at byte offset ${byteOffset(source, begin)}`);
  let at = begin + 2;
  while (at < source.length && !isSpace(source.charAt(at)) && source.charAt(at) !== ">") at += 1;
  const name = source.slice(begin + 2, at).toLowerCase();
  at = skipSpaces(source, at);
  if (source.charAt(at) !== ">") throw new MarkupError(`Unclosed end tag at byte offset ${byteOffset(source, begin)}`);
  if (name !== "" && name !== tag.name) {
    throw new MarkupError(
      `Unmatched end tag at byte offset ${byteOffset(source, begin)}, expected "</${tag.name}>", found "</${name}>"`,
    );
  }
  if (state.text.length > tag.offset) addEntity(state, tag);
  state.at = at + 1;
}

function addEntity(state: State, tag: OpenTag): void {
  const { offset, attributes } = tag;
  const length = state.text.length - offset;
  switch (tag.name) {
    case "a":
      state.entities.push(...linkEntity(attributes.get("href") || state.text.slice(offset), offset, length));
      return;
    case "tg-emoji": {
      const id = attributes.get("emoji-id") ?? "";
      if (!/^-?[1-9]\d{0,18}$/.test(id)) throw new MarkupError("Invalid custom emoji identifier specified");
      state.entities.push({ type: "custom_emoji", offset, length, customEmojiId: id });
      return;
    }
    case "blockquote":
      state.entities.push({
        type: attributes.has("expandable") ? "expandable_blockquote" : "blockquote",
        offset,
        length,
      });
      return;
    case "pre":
    case "code":
      addCode(state, tag, length);
      return;
    default:
      state.entities.push({ type: types[tag.name] ?? "bold", offset, length });
  }
}

/** `<pre><code class="language-…">`, either way round, is one block with a language. */
function addCode(state: State, { name, attributes, offset }: OpenTag, length: number): void {
  const inner = state.entities.at(-1);
  const isSame = inner?.offset === offset && inner.length === length;
  const [, own] = name === "code" ? (/^language-(.*)$/s.exec(attributes.get("class") ?? "") ?? []) : [];
  const other = name === "pre" ? "code" : "pre";
  const language = own || (name === "pre" && isSame ? inner.language : undefined);
  if (isSame && inner.type === other && language) {
    state.entities.pop();
    state.entities.push({ type: "pre", offset, length, language });
    return;
  }
  // The language of a lone code is kept until a block around it has been looked for.
  state.entities.push({ type: name === "pre" ? "pre" : "code", offset, length, ...(own ? { language: own } : {}) });
}

function withoutCodeLanguage(entity: Entity): Entity {
  return entity.type === "code" ? { type: "code", offset: entity.offset, length: entity.length } : entity;
}
