import type { TelegramChat, TelegramMessage, TelegramOrigin } from "../payload.ts";
import { present } from "../present.ts";
import { messageId } from "./message-id.ts";
import { type Chat, type Member, type Message, renderUser } from "./world.ts";

/** A chat as messages show it. */
export function renderChat(chat: Chat): TelegramChat {
  if (chat.pair) {
    const { user } = chat.pair;
    return {
      id: chat.id,
      type: "private",
      first_name: user.firstName,
      ...present({ last_name: user.lastName, username: user.username }),
    };
  }
  const forum = chat.isForum ? { is_forum: true as const } : {};
  return { id: chat.id, type: chat.type, title: chat.title, ...present({ username: chat.username }), ...forum };
}

/** Telegram's time: whole seconds since 1970. */
export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** A message as a bot sees it; what it answers is shown too, what that answers is not. */
export function renderMessage(message: Message, botId: number, isInner = false): TelegramMessage {
  const { chat, content, from, senderChat, threadId, editedMs, origin, quote, mediaGroupId, markup, pins } = message;
  const reply = message.replyTo ?? (message.isInTopic ? (chat.topics.get(threadId ?? 1)?.created ?? null) : null);
  const isShown = !isInner && reply !== null && !reply.isDeleted && reply !== message;
  return {
    message_id: messageId(message, botId),
    ...(from ? { from: renderUser(from) } : {}),
    ...(senderChat ? { sender_chat: renderChat(senderChat) } : {}),
    chat: renderChat(chat),
    date: toSeconds(message.dateMs),
    ...(threadId === null ? {} : { message_thread_id: threadId }),
    ...(message.isInTopic ? { is_topic_message: true as const } : {}),
    ...(editedMs === null ? {} : { edit_date: toSeconds(editedMs) }),
    ...(origin ? { forward_origin: origin } : {}),
    ...(isShown ? { reply_to_message: renderMessage(reply, botId, true) } : {}),
    ...(message.externalReply ? { external_reply: renderExternal(message.externalReply, botId) } : {}),
    ...(quote ? { quote } : {}),
    ...(mediaGroupId ? { media_group_id: mediaGroupId } : {}),
    ...(message.isProtected ? { has_protected_content: true as const } : {}),
    ...content,
    ...(pins ? { pinned_message: renderMessage(pins, botId, true) } : {}),
    ...(markup?.inline_keyboard ? { reply_markup: { inline_keyboard: markup.inline_keyboard } } : {}),
  };
}

function renderExternal(message: Message, botId: number): NonNullable<TelegramMessage["external_reply"]> {
  const { chat } = message;
  const isNamed = chat.type === "supergroup" || chat.type === "channel";
  return {
    origin: originOf(message, botId),
    ...(isNamed ? { chat: renderChat(chat), message_id: messageId(message, botId) } : {}),
  };
}

/** Where a forwarded message comes from. */
export function originOf(message: Message, botId: number): TelegramOrigin {
  if (message.origin) return message.origin;
  const date = toSeconds(message.dateMs);
  if (message.chat.type === "channel") {
    return { type: "channel", date, chat: renderChat(message.chat), message_id: messageId(message, botId) };
  }
  if (message.senderChat) return { type: "chat", date, sender_chat: renderChat(message.senderChat) };
  if (message.from) return { type: "user", date, sender_user: renderUser(message.from) };
  return { type: "hidden_user", date, sender_user_name: "Somebody" };
}

/** @see https://core.telegram.org/bots/api#chatmember */
export function renderMember({ user, status, rights, title }: Member): Readonly<Record<string, unknown>> {
  const shown = renderUser(user);
  const own = title === undefined ? {} : { custom_title: title };
  switch (status) {
    case "creator":
      return { status, user: shown, is_anonymous: false, ...own };
    case "administrator":
      return { status, user: shown, can_be_edited: false, is_anonymous: false, ...rights, ...own };
    case "restricted":
      return { status, user: shown, is_member: true, until_date: 0, ...rights };
    case "kicked":
      return { status, user: shown, until_date: 0 };
    case "member":
    case "left":
      return { status, user: shown };
  }
}
