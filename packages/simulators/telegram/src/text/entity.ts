/** What a stretch of text is. @see https://core.telegram.org/bots/api#messageentity */
export type EntityType =
  | "mention"
  | "hashtag"
  | "cashtag"
  | "bot_command"
  | "url"
  | "email"
  | "phone_number"
  | "bold"
  | "italic"
  | "underline"
  | "strikethrough"
  | "spoiler"
  | "blockquote"
  | "expandable_blockquote"
  | "code"
  | "pre"
  | "text_link"
  | "text_mention"
  | "custom_emoji";

/** A stretch of text with a meaning; offset and length in UTF-16 code units. */
export type Entity = {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  /** Of a `text_link`. */
  readonly url?: string;
  /** Of a `text_mention`. */
  readonly userId?: number;
  /** Of a `pre`. */
  readonly language?: string;
  /** Of a `custom_emoji`. */
  readonly customEmojiId?: string;
};

/** Text and what its stretches are. */
export type FormattedText = { readonly text: string; readonly entities: readonly Entity[] };

/** A markup that cannot be read; the message is Telegram's, without its "can't parse entities". */
export class MarkupError extends Error {}

const order: readonly EntityType[] = [
  "blockquote",
  "expandable_blockquote",
  "pre",
  "code",
  "text_link",
  "text_mention",
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "custom_emoji",
];

/** Where it starts, then the longer one, then Telegram's order of types. */
export function compareEntities(one: Entity, other: Entity): number {
  return one.offset - other.offset || other.length - one.length || order.indexOf(one.type) - order.indexOf(other.type);
}

/** Where an entity ends, exclusive. */
export function endOf(entity: Entity): number {
  return entity.offset + entity.length;
}

/** How many bytes of UTF-8 come before this place: what Telegram's parse errors count in. */
export function byteOffset(source: string, index: number): number {
  return Buffer.byteLength(source.slice(0, index));
}
