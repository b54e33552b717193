import { badRequest } from "../api-error.ts";
import type { MessageContent } from "../payload.ts";
import { isService } from "../world/deliver.ts";
import { react } from "../world/members.ts";
import { findMessage, messageId } from "../world/message-id.ts";
import { postMessage, deleteMessage as remove } from "../world/post.ts";
import { originOf, renderMessage } from "../world/render.ts";
import { hasRight } from "../world/rights.ts";
import type { Chat, Message } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { readReactions } from "./reactions.ts";
import { sendContents } from "./send.ts";
import { checkMayWrite, checkRight, type Kind, membership, namedChat, namedMessage } from "./target.ts";
import { readCaption } from "./text-content.ts";

const twoDaysMs = 48 * 60 * 60 * 1000;
const asText: Kind = { permission: "can_send_messages", noun: "text messages" };

function mayDelete({ world, bot }: Call, message: Message): boolean {
  const { chat, by, dateMs } = message;
  const isRecent = world.clock.now() - dateMs < twoDaysMs;
  if (chat.pair) return isRecent;
  const member = chat.members.get(bot.user.id);
  if (hasRight(member, "can_delete_messages")) return true;
  const isOwn = by === bot.user;
  return isOwn && isRecent && !("group_chat_created" in message.content);
}

/** @see https://core.telegram.org/bots/api#deletemessage */
export const deleteMessage: Method = (call) => {
  const chat = namedChat(call);
  if (!chat.pair) membership(call, chat);
  const message = namedMessage(call, chat, "message to delete not found");
  if (!mayDelete(call, message)) throw badRequest("message can't be deleted for everyone");
  remove(call.world, message, call.bot.user);
  return true;
};

/** @see https://core.telegram.org/bots/api#deletemessages */
export const deleteMessages: Method = (call) => {
  const chat = namedChat(call);
  for (const id of messageIds(call)) {
    const message = findMessage(chat, call.bot, id);
    if (message && mayDelete(call, message)) remove(call.world, message, call.bot.user);
  }
  return true;
};

function messageIds(call: Call): readonly number[] {
  const ids = call.parameters.json("message_ids");
  if (!Array.isArray(ids) || ids.length === 0) throw badRequest("message identifiers are not specified");
  if (ids.length > 100) throw badRequest("too many message identifiers specified");
  return ids.map(Number);
}

function sourceChat(call: Call): Chat {
  const chat = namedChat(call, "from_chat_id");
  if (!chat.pair) membership(call, chat);
  return chat;
}

function checkForwardable(message: Message, verb: string): void {
  if (message.isProtected) throw badRequest("message has protected content and can't be forwarded");
  if (isService(message)) throw badRequest(`message can't be ${verb}`);
}

function forward(call: Call, message: Message): Message | undefined {
  checkForwardable(message, "forwarded");
  const origin = originOf(message, call.bot.user.id);
  return sendContents(call, { ...asText, chat: namedChat(call), contents: [message.content], origin })[0];
}

/** @see https://core.telegram.org/bots/api#forwardmessage */
export const forwardMessage: Method = (call) => {
  const sent = forward(call, namedMessage(call, sourceChat(call), "message to forward not found"));
  return sent ? renderMessage(sent, call.bot.user.id) : null;
};

/** @see https://core.telegram.org/bots/api#forwardmessages */
export const forwardMessages: Method = (call) => {
  const chat = sourceChat(call);
  const found = messageIds(call).flatMap((id) => findMessage(chat, call.bot, id) ?? []);
  if (found.length === 0) throw badRequest("there are no messages to forward");
  return found.flatMap((message) => {
    const sent = forward(call, message);
    return sent ? [{ message_id: messageId(sent, call.bot.user.id) }] : [];
  });
};

/** @see https://core.telegram.org/bots/api#copymessage */
export const copyMessage: Method = (call) => {
  const message = namedMessage(call, sourceChat(call), "message to copy not found");
  checkForwardable(message, "copied");
  const { caption, caption_entities: entities, ...rest } = message.content;
  const kept: MessageContent = {
    ...(caption === undefined ? {} : { caption }),
    ...(entities ? { caption_entities: entities } : {}),
  };
  const isNew = call.parameters.text("caption") !== null && rest.text === undefined;
  const content = { ...rest, ...(isNew ? readCaption(call.world, call.parameters) : kept) };
  const [sent] = sendContents(call, { ...asText, chat: namedChat(call), contents: [content] });
  return sent ? { message_id: messageId(sent, call.bot.user.id) } : null;
};

/** @see https://core.telegram.org/bots/api#setmessagereaction */
export const setMessageReaction: Method = (call) => {
  const chat = namedChat(call);
  const message = namedMessage(call, chat, "message to react not found");
  if (chat.pair) checkMayWrite(call, chat, asText);
  else membership(call, chat);
  react(call.world, { message, user: call.bot.user, reactions: readReactions(call, chat) });
  return true;
};

const actions = [
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
];

/** @see https://core.telegram.org/bots/api#sendchataction */
export const sendChatAction: Method = (call) => {
  const action = call.parameters.text("action") ?? "";
  if (!actions.includes(action)) throw badRequest("wrong parameter action in request");
  const chat = namedChat(call);
  checkMayWrite(call, chat, asText);
  const threadId = call.parameters.integer("message_thread_id");
  // Unlike a message an action may name the General topic.
  if (threadId !== null && threadId !== 0 && !chat.topics.has(threadId)) throw badRequest("message thread not found");
  call.world.bus.emit({ type: "action", chat, by: call.bot.user, action, threadId });
  return true;
};

function checkMayPin(call: Call, chat: Chat): void {
  if (chat.pair) checkMayWrite(call, chat, asText);
  else {
    const right = chat.type === "channel" ? "can_edit_messages" : "can_pin_messages";
    checkRight(call, chat, { right, refusal: "not enough rights to manage pinned messages in the chat" });
  }
}

/** @see https://core.telegram.org/bots/api#pinchatmessage */
export const pinChatMessage: Method = (call) => {
  const chat = namedChat(call);
  checkMayPin(call, chat);
  const message = namedMessage(call, chat, "message to pin not found");
  if (!chat.pinned.includes(message)) {
    chat.pinned.push(message);
    const topicId = message.isInTopic ? message.threadId : null;
    const isChannel = chat.type === "channel";
    postMessage(call.world, {
      chat,
      from: isChannel ? null : call.bot.user,
      senderChat: isChannel ? chat : null,
      by: call.bot.user,
      content: {},
      pins: message,
      topicId,
    });
  }
  return true;
};

/** @see https://core.telegram.org/bots/api#unpinchatmessage */
export const unpinChatMessage: Method = (call) => {
  const chat = namedChat(call);
  checkMayPin(call, chat);
  const isNamed = call.parameters.integer("message_id") !== null;
  const message = isNamed ? namedMessage(call, chat, "message to unpin not found") : chat.pinned.at(-1);
  const index = message ? chat.pinned.indexOf(message) : -1;
  if (index >= 0) chat.pinned.splice(index, 1);
  return true;
};
