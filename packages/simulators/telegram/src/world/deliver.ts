import { messageId } from "./message-id.ts";
import { renderMessage } from "./render.ts";
import { isAdmin, isPresent } from "./rights.ts";
import type { Bot, Chat, Message, World } from "./world.ts";

/** The bots that are in a chat. */
export function botsIn(world: World, chat: Chat): readonly Bot[] {
  if (chat.pair) return [chat.pair.bot];
  return [...chat.members.values()].filter(isPresent).flatMap(({ user }) => world.bots.get(user.id) ?? []);
}

/** Brings an update to one bot. */
export function notify(
  bot: Bot,
  update: { readonly kind: string; readonly payload: unknown; readonly chat: Chat },
): void {
  bot.updates.push(update.kind, update.payload, String(update.chat.id));
}

/** Brings a new or edited message to the bots that may see it. */
export function deliverMessage(world: World, message: Message, isEdit: boolean): void {
  const { chat } = message;
  const noun = chat.type === "channel" ? "channel_post" : "message";
  for (const bot of botsIn(world, chat)) {
    if (!sees(bot, message)) continue;
    notify(bot, { kind: isEdit ? `edited_${noun}` : noun, payload: renderMessage(message, bot.user.id), chat });
  }
}

/**
 * A bot sees neither what it said nor what another bot said; in groups, with privacy mode and without being
 * an administrator, only what is meant for it.
 * @see https://core.telegram.org/bots/features#privacy-mode
 */
function sees(bot: Bot, message: Message): boolean {
  const { chat, from, by } = message;
  if (!message.ids.has(chat.type === "group" || chat.type === "private" ? bot.user.id : 0)) return false;
  if (by === bot.user) return false;
  if (chat.type === "channel" || chat.type === "private") return true;
  if (isService(message)) return true;
  if (from?.isBot) return false;
  if (!bot.hasPrivacyMode || isAdmin(chat.members.get(bot.user.id))) return true;
  return isMeantFor(bot, message);
}

const services = [
  "new_chat_members",
  "left_chat_member",
  "group_chat_created",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
  "forum_topic_created",
  "forum_topic_edited",
  "forum_topic_closed",
  "forum_topic_reopened",
];

/** Nobody said it: somebody joined, a topic was made … */
export function isService(message: Message): boolean {
  return message.pins !== null || services.some((name) => name in message.content);
}

function isMeantFor(bot: Bot, message: Message): boolean {
  const { chat, content, replyTo } = message;
  if (replyTo?.from?.id === bot.user.id) return true;
  const text = content.text ?? content.caption ?? "";
  const name = `@${bot.user.username ?? ""}`.toLowerCase();
  return (content.entities ?? content.caption_entities ?? []).some(({ type, offset, length, user }) => {
    const part = text.slice(offset, offset + length).toLowerCase();
    if (type === "mention") return part === name;
    if (type === "text_mention") return user?.id === bot.user.id;
    if (type !== "bot_command" || offset > 0) return false;
    const isGeneral = !part.includes("@") && (chat.lastBotId === null || chat.lastBotId === bot.user.id);
    return isGeneral || part.endsWith(name);
  });
}

/** What somebody looking from outside sees: the message under the chat's first numbering. */
export function shown(message: Message): ReturnType<typeof renderMessage> {
  const [botId = 0] = message.ids.keys();
  return { ...renderMessage(message, botId), message_id: messageId(message, botId) };
}
