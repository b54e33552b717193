import type { Attachment, Choice, Delivery } from "@troupe/core";
import { asDocument, type SentAs, sentAs, toInputFile } from "./attachments.ts";
import { choiceData } from "./choices.ts";
import type { RefusalKind } from "./errors.ts";
import { type TelegramSettings, textLimit } from "./options.ts";
import type { Fields } from "./payload.ts";
import { toTelegramText } from "./text.ts";

/** How long the words under a file may be, in UTF-16 code units after Telegram has read the markup. */
const captionLimit = 1_024;

/** A call of a method, and what to call instead when Telegram refuses it for a reason. */
export type Outgoing = {
  readonly method: string;
  readonly payload: Fields;
  readonly otherwise?: readonly { readonly when: RefusalKind; readonly call: Outgoing }[];
};

/** A room, as Telegram is told of it. */
export type Target = { readonly chatId: string; readonly topicId?: number };

/** Reads a room's id: `<chat>` or `<chat>/<topic>`. */
export function readTarget(roomPlatformId: string): Target {
  const [chatId = "", topic] = roomPlatformId.split("/");
  const topicId = Number(topic);
  return { chatId, ...(Number.isSafeInteger(topicId) && topicId > 0 && { topicId }) };
}

/** Reads a message's id, `<chat>:<message>`; null when it is none. */
export function readMessageId(platformId: string): { readonly chatId: string; readonly messageId: number } | null {
  const [, chatId, message] = /^(-?\d{1,20}):(\d{1,15})$/.exec(platformId) ?? [];
  return chatId === undefined ? null : { chatId, messageId: Number(message) };
}

/** What a delivery comes to, in the order of sending: 1..n calls, or why there are none. */
export function toCalls(
  delivery: Delivery,
  settings: TelegramSettings,
): readonly Outgoing[] | { readonly refusal: string } {
  const { kind, replyToPlatformId, target } = delivery;
  const answered = replyToPlatformId === undefined ? null : readMessageId(replyToPlatformId);
  switch (kind) {
    case "message":
    case "quote":
      return toMessages(delivery, settings);
    case "like":
      if (!answered) return { refusal: "There is no message on Telegram to react to." };
      return [toReaction(answered, settings.likeEmoji)];
    case "retweet": {
      if (settings.forwardTo === undefined) {
        return { refusal: "There is no chat to forward to; name one in platforms.telegram.forwardTo." };
      }
      if (!answered) return { refusal: `There is no message on Telegram to forward from room ${target}.` };
      const { chatId, topicId } = readTarget(settings.forwardTo);
      const from = { from_chat_id: answered.chatId, message_id: answered.messageId };
      return [{ method: "forwardMessage", payload: { chat_id: chatId, ...inTopic(topicId), ...from } }];
    }
    case "follow":
      return { refusal: "Telegram has nobody to follow." };
    case "unlike":
    case "unretweet":
    case "bookmark":
      return { refusal: `Telegram cannot ${kind}.` };
  }
}

function toReaction(
  { chatId, messageId }: { readonly chatId: string; readonly messageId: number },
  emoji: string,
): Outgoing {
  const reaction = [{ type: "emoji", emoji: emoji.replaceAll("\ufe0f", "") }];
  return { method: "setMessageReaction", payload: { chat_id: chatId, message_id: messageId, reaction } };
}

const inTopic = (topicId: number | undefined): Fields => (topicId === undefined ? {} : { message_thread_id: topicId });

/** The text, with its files behind it; one file takes a short text along. */
function toMessages(
  delivery: Delivery,
  settings: TelegramSettings,
): readonly Outgoing[] | { readonly refusal: string } {
  const { content, target } = delivery;
  const { chatId, topicId } = readTarget(target);
  const place = { chat_id: chatId, ...inTopic(topicId) };
  const first = { ...place, ...replyOf(delivery, settings) };
  const files = content.attachments ?? [];
  const buttons = keyboardOf(content.choices ?? []);
  const [file] = files;
  if (file && files.length === 1 && isCaption(content.text)) {
    return [withoutQuote(toFile(file, { ...first, ...buttons }, content.text))];
  }
  const text = content.text.trim() === "" ? [] : [toText("sendMessage", { ...first, ...buttons }, content.text)];
  const sent = files.map((one, index) => toFile(one, index === 0 && text.length === 0 ? first : place, ""));
  const calls = [...text, ...sent];
  if (calls.length === 0) return { refusal: `There is nothing to say in room ${target}: neither text nor file.` };
  return calls.map(withoutQuote);
}

function isCaption(markdown: string): boolean {
  return markdown.length <= captionLimit;
}

/** Points at the message that is answered, as far as it is in the same chat. One that is gone is no obstacle. */
function replyOf(
  { kind, target, replyToPlatformId, inReplyToText }: Delivery,
  { repliesIn }: TelegramSettings,
): Fields {
  const answered = replyToPlatformId === undefined ? null : readMessageId(replyToPlatformId);
  const { chatId } = readTarget(target);
  const isGroup = !/^\d/.test(chatId);
  const isWanted = kind === "quote" || repliesIn === "all" || (repliesIn === "groups" && isGroup);
  if (!answered || answered.chatId !== chatId || !isWanted) return {};
  const quote = kind === "quote" && inReplyToText !== undefined && !inReplyToText.endsWith("…") ? inReplyToText : "";
  return {
    reply_parameters: {
      message_id: answered.messageId,
      allow_sending_without_reply: true,
      ...(quote !== "" && { quote }),
    },
  };
}

/** Quoted words must stand there exactly so; if they do not, the message alone is pointed at. */
function withoutQuote(call: Outgoing): Outgoing {
  const { reply_parameters: reply, ...payload } = call.payload;
  if (typeof reply !== "object" || reply === null || !("quote" in reply)) return call;
  const { quote: _, ...bare } = reply;
  const otherwise = { when: "quote" as const, call: { ...call, payload: { ...payload, reply_parameters: bare } } };
  return { ...call, otherwise: [otherwise, ...(call.otherwise ?? [])] };
}

/** A text in Telegram's HTML; should Telegram not be able to read it, as it stands. */
function toText(method: "sendMessage" | "editMessageText", place: Fields, markdown: string): Outgoing {
  const { html, text } = toTelegramText(markdown);
  const asItIs: Outgoing = { method, payload: { ...place, text: markdown } };
  if (text.length > textLimit || text === markdown) return asItIs;
  const payload = { ...place, text: html, parse_mode: "HTML" };
  return { method, payload, otherwise: [{ when: "markup", call: asItIs }] };
}

/** The words of a changed message; `buttons` are what stands under it from then on. */
export function toEdit(platformId: string, { content }: Delivery, isFinal: boolean): Outgoing | null {
  const message = readMessageId(platformId);
  if (!message || content.text.trim() === "") return null;
  const place = { chat_id: message.chatId, message_id: message.messageId };
  const buttons = isFinal ? keyboardOf(content.choices ?? []) : {};
  const words = toText("editMessageText", { ...place, ...buttons }, content.text);
  const { html } = toTelegramText(content.text);
  const payload = { ...place, ...buttons, caption: html, parse_mode: "HTML" };
  const underFile = { when: "caption" as const, call: { method: "editMessageCaption", payload } };
  return { ...words, otherwise: [...(words.otherwise ?? []), underFile] };
}

function toFile(file: Attachment, place: Fields, caption: string): Outgoing {
  const input = toInputFile(file);
  const words = [caption, file.title ?? "", /^https?:/i.test(file.url) ? file.url : ""].filter((part) => part !== "");
  const asWords = toText("sendMessage", place, words.join("\n") || "…");
  if (input === null) return asWords;
  const how = sentAs(file.mediaType);
  const inOtherForm: Outgoing = {
    ...fileCall(asDocument, { place, input, caption }),
    otherwise: [{ when: "media", call: asWords }],
  };
  if (how.method === asDocument.method) return inOtherForm;
  return { ...fileCall(how, { place, input, caption }), otherwise: [{ when: "media", call: inOtherForm }] };
}

type SentFile = { readonly place: Fields; readonly input: unknown; readonly caption: string };

function fileCall({ method, field }: SentAs, { place, input, caption }: SentFile): Outgoing {
  const { html } = toTelegramText(caption);
  const words = caption.trim() === "" ? {} : { caption: html, parse_mode: "HTML" };
  return { method, payload: { ...place, [field]: input, ...words } };
}

const longestLabel = 80;

/** Buttons under a message: short ones side by side, four at most. */
function keyboardOf(choices: readonly Choice[]): Fields {
  if (choices.length === 0) return {};
  const buttons = choices.slice(0, 100).map(({ value, label }) => ({
    text: (label.trim() === "" ? value : label).slice(0, longestLabel).toWellFormed() || "…",
    callback_data: choiceData(value),
  }));
  const longest = Math.max(...buttons.map(({ text }) => text.length));
  const perRow = longest <= 8 ? 4 : longest <= 16 ? 2 : 1;
  const rows = Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) =>
    buttons.slice(row * perRow, (row + 1) * perRow),
  );
  return { reply_markup: { inline_keyboard: rows } };
}
