import { isDeepStrictEqual } from "node:util";
import { badRequest } from "../api-error.ts";
import type { MessageContent, TelegramMessage } from "../payload.ts";
import { editMessage } from "../world/post.ts";
import { renderMessage } from "../world/render.ts";
import { hasRight } from "../world/rights.ts";
import type { Message } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { readInlineMarkup } from "./markup.ts";
import { readInputMedia } from "./media.ts";
import { asRecord, parametersOf } from "./parameters.ts";
import { checkMayWrite, namedChat, namedMessage } from "./target.ts";
import { readCaption, readText } from "./text-content.ts";

const unchanged =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

/** The message a call wants to change. @throws ApiError when the bot may not. */
function editable(call: Call): Message {
  if (call.parameters.text("inline_message_id")) throw badRequest("MESSAGE_ID_INVALID");
  const chat = namedChat(call);
  const message = namedMessage(call, chat, "message to edit not found");
  checkMayWrite(call, chat, { permission: "can_send_messages", noun: "text messages" });
  const isOwn = message.by === call.bot.user;
  const isEditor = chat.type === "channel" && hasRight(chat.members.get(call.bot.user.id), "can_edit_messages");
  if ((!isOwn && !isEditor) || message.origin) throw badRequest("message can't be edited");
  return message;
}

function change(call: Call, message: Message, content: MessageContent | null): TelegramMessage {
  const markup = readInlineMarkup(call);
  const isSame =
    (content === null || isDeepStrictEqual(content, message.content)) && isDeepStrictEqual(markup, message.markup);
  if (isSame) throw badRequest(unchanged);
  call.flood.spend(call.bot, message.chat);
  editMessage(call.world, message, { ...(content ? { content } : {}), markup }, call.bot.user);
  return renderMessage(message, call.bot.user.id);
}

/** @see https://core.telegram.org/bots/api#editmessagetext */
export const editMessageText: Method = (call) => {
  const content = readText(call.world, call.parameters);
  const message = editable(call);
  if (message.content.text === undefined) throw badRequest("there is no text in the message to edit");
  return change(call, message, content);
};

/** @see https://core.telegram.org/bots/api#editmessagecaption */
export const editMessageCaption: Method = (call) => {
  const caption = readCaption(call.world, call.parameters);
  const message = editable(call);
  const { caption: _, caption_entities: __, ...content } = message.content;
  if (!["photo", "document", "voice", "audio", "video", "animation"].some((kind) => kind in content)) {
    throw badRequest("there is no caption in the message to edit");
  }
  return change(call, message, { ...content, ...caption });
};

/** @see https://core.telegram.org/bots/api#editmessagereplymarkup */
export const editMessageReplyMarkup: Method = (call) => change(call, editable(call), null);

/** @see https://core.telegram.org/bots/api#editmessagemedia */
export const editMessageMedia: Method = async (call) => {
  const media = asRecord(call.parameters.json("media"), "InputMedia");
  const content = await readInputMedia(call, parametersOf(new Map(Object.entries(media))));
  return change(call, editable(call), content);
};
