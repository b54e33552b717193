import { badRequest } from "../api-error.ts";
import type { MessageContent, TelegramMessage, TelegramOrigin } from "../payload.ts";
import { postMessage } from "../world/post.ts";
import { renderMessage } from "../world/render.ts";
import type { Chat, Message } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { readMarkup } from "./markup.ts";
import { readReply } from "./reply.ts";
import { checkMayWrite, type Kind, namedChat, namedTopic } from "./target.ts";
import { readText } from "./text-content.ts";

/** What is sent, and as what. */
export type Sending = Kind & {
  readonly chat: Chat;
  readonly contents: readonly MessageContent[];
  readonly mediaGroupId?: string;
  readonly origin?: TelegramOrigin;
};

/** Sends messages together, as the call says: to whom, answering what, with which keyboard. @throws ApiError */
export function sendContents(call: Call, sending: Sending): readonly Message[] {
  const { world, bot, parameters, flood } = call;
  const { chat, contents, mediaGroupId = null, origin = null } = sending;
  const markup = readMarkup(call);
  checkMayWrite(call, chat, sending);
  const topicId = namedTopic(call, chat);
  const reply = readReply(call, chat);
  if (chat.type === "channel" && markup && !markup.inline_keyboard)
    throw badRequest("reply keyboard markup is not allowed in channels");
  flood.spend(bot, chat, contents.length);
  return contents.map((content) =>
    postMessage(world, {
      chat,
      from: chat.type === "channel" ? null : bot.user,
      senderChat: chat.type === "channel" ? chat : null,
      by: bot.user,
      content,
      ...reply,
      topicId,
      mediaGroupId,
      origin,
      markup,
      isProtected: parameters.flag("protect_content"),
    }),
  );
}

/** Sends one message and shows it to the bot. @throws ApiError */
export function sendContent(call: Call, kind: Kind, content: MessageContent): TelegramMessage | null {
  const [message] = sendContents(call, { ...kind, chat: namedChat(call), contents: [content] });
  return message ? renderMessage(message, call.bot.user.id) : null;
}

const textKind: Kind = { permission: "can_send_messages", noun: "text messages" };

/** @see https://core.telegram.org/bots/api#sendmessage */
export const sendMessage: Method = (call) => sendContent(call, textKind, readText(call.world, call.parameters));

/** @see https://core.telegram.org/bots/api#sendlocation */
export const sendLocation: Method = (call) => {
  const latitude = call.parameters.number("latitude");
  const longitude = call.parameters.number("longitude");
  if (latitude === null) throw badRequest("latitude is empty");
  if (longitude === null) throw badRequest("longitude is empty");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw badRequest("wrong geo point specified");
  return sendContent(call, textKind, { location: { latitude, longitude } });
};

/** @see https://core.telegram.org/bots/api#sendcontact */
export const sendContact: Method = (call) => {
  const phone = call.parameters.text("phone_number") ?? "";
  const name = call.parameters.text("first_name") ?? "";
  if (phone === "") throw badRequest("phone number is empty");
  if (name === "") throw badRequest("first name is empty");
  const last = call.parameters.text("last_name");
  return sendContent(call, textKind, {
    contact: { phone_number: phone, first_name: name, ...(last ? { last_name: last } : {}) },
  });
};
