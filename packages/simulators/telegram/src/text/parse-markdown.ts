import { byteOffset, compareEntities, type Entity, type FormattedText, MarkupError } from "./entity.ts";
import { linkEntity } from "./link.ts";

/**
 * Reads Telegram's legacy Markdown: four kinds of entities, none within another.
 * @throws MarkupError in Telegram's words when it is none.
 * @see https://core.telegram.org/bots/api#markdown-style
 */
export function parseMarkdown(source: string): FormattedText {
  const entities: Entity[] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\" && /^[_*`[]$/.test(source.charAt(at + 1))) {
      text += source.charAt(at + 1);
      at += 2;
    } else if (!"_*`[".includes(character)) {
      text += character;
      at += 1;
    } else {
      const part = readEntity(source, at);
      const found = entitiesOf(part, text.length);
      text += part.text;
      at = part.end;
      entities.push(...found);
    }
  }
  return { text, entities: entities.sort(compareEntities) };
}

type Part = {
  readonly opener: string;
  readonly text: string;
  readonly end: number;
  readonly address: string;
  readonly language: string;
};

function readEntity(source: string, at: number): Part {
  const opener = source.startsWith("```", at) ? "```" : source.charAt(at);
  const closer = opener === "[" ? "]" : opener;
  const [language = ""] = opener === "```" ? (/^[^\s`]+(?=[\s])/.exec(source.slice(at + 3)) ?? []) : [];
  let begin = at + opener.length + language.length;
  if (opener === "```") begin += /^(?:\r\n|\n\r|\n|\r)/.exec(source.slice(begin, begin + 2))?.[0].length ?? 0;
  const close = source.indexOf(closer, begin);
  if (close < 0) {
    throw new MarkupError(`Can't find end of the entity starting at byte offset ${byteOffset(source, at)}`);
  }
  const text = source.slice(begin, close);
  const end = close + closer.length;
  if (opener !== "[") return { opener, text, end, address: "", language };
  if (source.charAt(end) !== "(") return { opener, text, end, address: text, language };
  const parenthesis = source.indexOf(")", end);
  const stop = parenthesis < 0 ? source.length : parenthesis;
  return { opener, text, end: Math.min(stop + 1, source.length), address: source.slice(end + 1, stop), language };
}

function entitiesOf({ opener, text, address, language }: Part, offset: number): readonly Entity[] {
  const { length } = text;
  if (length === 0) return [];
  switch (opener) {
    case "*":
      return [{ type: "bold", offset, length }];
    case "_":
      return [{ type: "italic", offset, length }];
    case "`":
      return [{ type: "code", offset, length }];
    case "[":
      return linkEntity(address, offset, length);
    default:
      return [{ type: "pre", offset, length, ...(language ? { language } : {}) }];
  }
}
