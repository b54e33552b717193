import { badRequest } from "../api-error.ts";
import { type Entity, type EntityType, endOf, type FormattedText, MarkupError } from "./entity.ts";
import { fixText } from "./fix-text.ts";
import { linkEntity } from "./link.ts";
import { parseHtml } from "./parse-html.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { parseMarkdownV2 } from "./parse-markdown-v2.ts";

/** Text as a bot sends it: with a `parse_mode`, or with entities of its own. */
export type SourceText = {
  readonly text: string;
  readonly parseMode?: string | undefined;
  readonly entities?: unknown;
};

/** The text and the entities that a message gets. @throws ApiError when they cannot be read. */
export function formatText({ text, parseMode = "", entities }: SourceText): FormattedText {
  if (!text.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
  try {
    return fixText(parse(text, parseMode.toLowerCase(), entities));
  } catch (error) {
    if (error instanceof MarkupError) throw badRequest(`can't parse entities: ${error.message}`);
    throw error;
  }
}

function parse(text: string, mode: string, entities: unknown): FormattedText {
  switch (mode) {
    case "":
    case "none":
      return { text, entities: readEntities(text, entities) };
    case "html":
      return parseHtml(text);
    case "markdown":
      return parseMarkdown(text);
    case "markdownv2":
      return parseMarkdownV2(text);
    default:
      throw badRequest("unsupported parse_mode");
  }
}

const stated: ReadonlySet<string> = new Set<EntityType>([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
  "pre",
]);

function readEntities(text: string, entities: unknown): readonly Entity[] {
  if (entities === undefined || entities === null) return [];
  if (!Array.isArray(entities)) throw badRequest("can't parse entities: expected an Array");
  return entities.flatMap((entity: unknown) => readEntity(text, entity));
}

/** One stated entity; those that Telegram finds by itself are ignored, as Telegram does. */
function readEntity(text: string, stating: unknown): readonly Entity[] {
  if (typeof stating !== "object" || stating === null)
    throw badRequest("can't parse MessageEntity: expected an Object");
  const { type, offset, length, url, user, language, custom_emoji_id: emoji } = stating as Record<string, unknown>;
  if (typeof type !== "string") throw badRequest("can't parse MessageEntity: Can't find field \"type\"");
  const place = { offset: asInteger(offset, "offset"), length: asInteger(length, "length") };
  if (place.length <= 0 || place.offset < 0) return [];
  checkPlace(text, place);
  if (stated.has(type)) {
    // The set holds entity types only.
    const entity = { type: type as EntityType, ...place };
    return [type === "pre" && typeof language === "string" && language !== "" ? { ...entity, language } : entity];
  }
  if (type === "text_link") return statedLink(url, place);
  if (type === "custom_emoji" && typeof emoji === "string") return [{ type, ...place, customEmojiId: emoji }];
  if (type === "text_mention" && typeof user === "object" && user !== null && "id" in user) {
    return [{ type, ...place, userId: Number(user.id) }];
  }
  return [];
}

function statedLink(url: unknown, { offset, length }: Place): readonly Entity[] {
  const found = typeof url === "string" ? linkEntity(url, offset, length) : [];
  if (found.length === 0) throw badRequest(`entity URL '${String(url)}' is invalid: Wrong HTTP URL`);
  return found;
}

type Place = { readonly offset: number; readonly length: number };

function asInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(Number(value)) || value === null || value === "") {
    throw badRequest(`can't parse MessageEntity: Field "${name}" must be of type Number`);
  }
  return Number(value);
}

function checkPlace(text: string, place: Place): void {
  const end = endOf({ type: "bold", ...place });
  if (end > text.length) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${place.offset} ends after the end of the text at UTF-16 offset ${end}`,
    );
  }
  const isInside = (index: number): boolean =>
    index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  if (isInside(place.offset))
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at UTF-16 offset ${place.offset}`);
  if (isInside(end)) throw badRequest(`entity ends in a middle of a UTF-16 symbol at UTF-16 offset ${end}`);
}
