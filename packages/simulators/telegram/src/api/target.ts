import { ApiError, badRequest, forbidden } from "../api-error.ts";
import { privateChat } from "../world/chats.ts";
import { findMessage } from "../world/message-id.ts";
import { hasRight, isPermitted, isPresent } from "../world/rights.ts";
import type { Chat, Member, Message } from "../world/world.ts";
import type { Call } from "./call.ts";

/** The chat a call names. @throws ApiError when there is none, or it went to a supergroup. */
export function namedChat(call: Call, name = "chat_id"): Chat {
  return chatOf(call, call.parameters.text(name)?.trim() ?? "", name);
}

/** The chat of this id or @username, if the bot knows it. @throws ApiError */
export function chatOf({ world, bot }: Call, id: string, name = "chat_id"): Chat {
  if (id === "") throw badRequest(`${name} is empty`);
  if (id.startsWith("@")) {
    const username = id.slice(1).toLowerCase();
    const found = [...world.chats.values()].find((chat) => chat.username?.toLowerCase() === username);
    if (!found || found.type === "group") throw badRequest("chat not found");
    return found;
  }
  const number = Number(id);
  if (number > 0) {
    const user = world.users.get(number);
    if (!user || number === bot.user.id) throw badRequest("chat not found");
    if (user.isBot) throw forbidden("bot can't send messages to bots");
    return privateChat(world, bot, user);
  }
  const chat = world.chats.get(number);
  const isKnown = chat !== undefined && (chat.members.has(bot.user.id) || chat.username !== undefined);
  if (!isKnown) throw badRequest("chat not found");
  if (chat.migratedTo !== null) {
    throw badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: chat.migratedTo });
  }
  return chat;
}

/** How the bot stands to a chat that is no private one. @throws ApiError when it is not in it. */
export function membership({ bot }: Call, chat: Chat): Member {
  const member = chat.members.get(bot.user.id);
  if (member && isPresent(member)) return member;
  throw member?.status === "kicked"
    ? forbidden(`bot was kicked from the ${chat.type} chat`)
    : forbidden(`bot is not a member of the ${chat.type} chat`);
}

/** What a message is, to permissions and in error texts. */
export type Kind = { readonly permission: string; readonly noun: string };

/** @throws ApiError when the bot may not write there. */
export function checkMayWrite(call: Call, chat: Chat, { permission, noun }: Kind): void {
  if (chat.pair) {
    if (chat.pair.user.isDeactivated) throw forbidden("user is deactivated");
    if (chat.isBlocked) throw forbidden("bot was blocked by the user");
    if (!chat.isStarted) throw forbidden("bot can't initiate conversation with a user");
    return;
  }
  const member = membership(call, chat);
  if (chat.type === "channel") {
    if (!hasRight(member, "can_post_messages")) throw badRequest("need administrator rights in the channel chat");
    return;
  }
  if (!isPermitted(chat, member, "can_send_messages") || !isPermitted(chat, member, permission)) {
    throw badRequest(`not enough rights to send ${noun} to the chat`);
  }
}

/** The topic a call names, null for none or the General one. @throws ApiError when it cannot be written to. */
export function namedTopic({ parameters, bot }: Call, chat: Chat): number | null {
  const id = parameters.integer("message_thread_id");
  if (id === null || id === 0) {
    checkTopicOpen(chat, 1, bot.user.id);
    return null;
  }
  // A message is sent to the General topic by naming none.
  if (!chat.isForum || id === 1 || !chat.topics.has(id)) throw badRequest("message thread not found");
  checkTopicOpen(chat, id, bot.user.id);
  return id;
}

function checkTopicOpen(chat: Chat, id: number, botId: number): void {
  if (chat.topics.get(id)?.isClosed && !hasRight(chat.members.get(botId), "can_manage_topics")) {
    throw badRequest("TOPIC_CLOSED");
  }
}

/** The message a call names; `missing` says what to answer when it is not there. */
export function namedMessage(call: Call, chat: Chat, missing: string, name = "message_id"): Message {
  const id = call.parameters.integer(name);
  if (id === null) throw badRequest("message identifier is not specified");
  const message = findMessage(chat, call.bot, id);
  if (!message) throw badRequest(missing);
  return message;
}

/** The user a call names. @throws ApiError */
export function namedUserId({ parameters }: Call): number {
  const id = parameters.integer("user_id");
  if (id === null || id <= 0) throw badRequest("invalid user_id specified");
  return id;
}

/** @throws ApiError when the bot lacks a right in the chat. */
export function checkRight(
  call: Call,
  chat: Chat,
  { right, refusal }: { readonly right: string; readonly refusal: string },
): void {
  if (chat.pair) throw new ApiError(400, "Bad Request: method is available only for supergroups and channels");
  if (!hasRight(membership(call, chat), right)) throw badRequest(refusal);
}
