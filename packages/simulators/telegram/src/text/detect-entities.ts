import { type Entity, type EntityType, endOf } from "./entity.ts";

const domains =
  "com|org|net|io|dev|me|info|edu|gov|app|ai|co|uk|de|fr|es|it|nl|pl|ru|ua|eu|us|ca|ch|at|jp|cn|in|br|tv|xyz|dog";

/** Earlier ones win where two meet. */
const patterns: readonly (readonly [EntityType, RegExp])[] = [
  ["email", /(?<![\w.+-])[a-z0-9._+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24}(?![\w@])/giu],
  ["url", /(?<![\p{L}\p{N}_@/])(?:https?|ftp|tg|ton):\/\/[^\s<>«»"]*[^\s<>«»".,:;!?'()[\]{}…]/giu],
  [
    "url",
    new RegExp(
      `(?<![\\p{L}\\p{N}_@/.-])(?:[\\p{L}\\p{N}_-]+\\.)+(?:${domains})(?![\\p{L}\\p{N}_@-])(?::\\d{1,5})?(?:[/?#](?:[^\\s<>«»"]*[^\\s<>«»".,:;!?'()\\[\\]{}…])?)?`,
      "giu",
    ),
  ],
  ["mention", /(?<![\p{L}\p{N}_/.])@[a-z0-9_]{3,32}(?![\p{L}\p{N}_])/giu],
  ["bot_command", /(?<![\p{L}\p{N}_/<>@])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/giu],
  ["hashtag", /(?<![\p{L}\p{N}_#@])#(?=[\p{N}_·]*\p{L})[\p{L}\p{N}_·\u200c]{1,256}(?![\p{L}\p{N}_#])/gu],
  ["cashtag", /(?<![\p{L}\p{N}_$])\$[A-Z]{1,8}(?![\p{L}\p{N}_$])/gu],
  ["phone_number", /(?<![\p{L}\p{N}_+])\+\d(?:[ -]?\d){7,14}(?![\p{L}\p{N}_])/gu],
];

/** What Telegram recognises by itself: mentions, commands, hashtags, addresses; nothing within `taken`. */
export function detectEntities(text: string, taken: readonly Entity[] = []): readonly Entity[] {
  const found: Entity[] = [];
  for (const [type, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (![...taken, ...found].some((other) => meets(entity, other))) found.push(entity);
    }
  }
  return found;
}

function meets(one: Entity, other: Entity): boolean {
  return one.offset < endOf(other) && other.offset < endOf(one);
}
