import { badRequest } from "../api-error.ts";
import type { MessageContent, TelegramEntity } from "../payload.ts";
import type { Entity, FormattedText } from "../text/entity.ts";
import { formatText } from "../text/format-text.ts";
import { renderUser, type World } from "../world/world.ts";
import type { Parameters } from "./parameters.ts";

/** The longest text and the longest caption, after the markup was read, in UTF-16 code units. */
export const limits = { text: 4096, caption: 1024 };

/** Entities as payloads show them; who nobody knows is not mentioned. */
export function renderEntities(world: World, entities: readonly Entity[]): readonly TelegramEntity[] {
  return entities.flatMap(({ userId, customEmojiId, ...entity }): readonly TelegramEntity[] => {
    if (customEmojiId !== undefined) return [{ ...entity, custom_emoji_id: customEmojiId }];
    if (userId === undefined) return [entity];
    const user = world.users.get(userId);
    return user ? [{ ...entity, user: renderUser(user) }] : [];
  });
}

/** Text as the content of a message. */
export function textContent(world: World, { text, entities }: FormattedText): MessageContent {
  const shown = renderEntities(world, entities);
  return { text, ...(shown.length > 0 ? { entities: shown } : {}) };
}

/** A caption as part of the content of a message. */
export function captionContent(world: World, { text, entities }: FormattedText): MessageContent {
  if (text === "") return {};
  const shown = renderEntities(world, entities);
  return { caption: text, ...(shown.length > 0 ? { caption_entities: shown } : {}) };
}

/** The text a bot sends. @throws ApiError when it is empty, too long or badly marked up. */
export function readText(world: World, parameters: Parameters): MessageContent {
  const source = parameters.text("text") ?? "";
  if (source === "") throw badRequest("message text is empty");
  const formatted = formatText({
    text: source,
    parseMode: parameters.text("parse_mode") ?? "",
    entities: parameters.json("entities"),
  });
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > limits.text) throw badRequest("message is too long");
  return textContent(world, formatted);
}

/** The caption a bot sends; nothing without one. @throws ApiError when it is too long or badly marked up. */
export function readCaption(world: World, parameters: Parameters): MessageContent {
  const formatted = formatText({
    text: parameters.text("caption") ?? "",
    parseMode: parameters.text("parse_mode") ?? "",
    entities: parameters.json("caption_entities"),
  });
  if (formatted.text.length > limits.caption) throw badRequest("message caption is too long");
  return captionContent(world, formatted);
}
