import { badRequest } from "../api-error.ts";
import type { TelegramButton, TelegramMarkup } from "../payload.ts";
import { checkedLink } from "../text/link.ts";
import type { Call } from "./call.ts";
import { asRecord } from "./parameters.ts";

const actions = [
  "url",
  "callback_data",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
];

/** The keyboard that comes with a message, checked; null for none. @throws ApiError */
export function readMarkup({ parameters }: Call): TelegramMarkup | null {
  const stated = parameters.json("reply_markup");
  if (stated === undefined) return null;
  if (typeof stated !== "object" || stated === null || Array.isArray(stated)) {
    throw badRequest("object expected as reply markup");
  }
  const markup = asRecord(stated, "reply markup");
  if ("inline_keyboard" in markup)
    return { inline_keyboard: readRows(markup["inline_keyboard"], "InlineKeyboardButton", readInline) };
  if ("keyboard" in markup) return { ...markup, keyboard: readRows(markup["keyboard"], "KeyboardButton", readPlain) };
  return markup;
}

/** Only a keyboard under a message, for edits. @throws ApiError */
export function readInlineMarkup(call: Call): TelegramMarkup | null {
  const markup = readMarkup(call);
  if (markup && !markup.inline_keyboard) throw badRequest("inline keyboard expected");
  return markup?.inline_keyboard?.length === 0 ? null : markup;
}

function readRows(
  rows: unknown,
  name: string,
  read: (button: unknown) => TelegramButton,
): readonly (readonly TelegramButton[])[] {
  if (!Array.isArray(rows)) throw badRequest(`can't parse inline keyboard: Field must be of type Array`);
  const read2 = rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest(`can't parse keyboard: ${name} rows must be Arrays`);
    return row.map(read);
  });
  if (read2.flat().length > 300) throw badRequest("REPLY_MARKUP_TOO_LONG");
  return read2.filter((row) => row.length > 0);
}

function readPlain(button: unknown): TelegramButton {
  if (typeof button === "string") return { text: button };
  const fields = asRecord(button, "KeyboardButton");
  if (typeof fields["text"] !== "string") throw badRequest("can't parse keyboard button: Can't find field \"text\"");
  return { ...fields, text: fields["text"] };
}

function readInline(button: unknown): TelegramButton {
  const fields = asRecord(button, "InlineKeyboardButton");
  const { text, url, callback_data: data } = fields;
  if (typeof text !== "string") throw badRequest("can't parse inline keyboard button: Can't find field \"text\"");
  if (text.trim() === "") throw badRequest("BUTTON_TEXT_INVALID");
  if (!actions.some((action) => fields[action] !== undefined)) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  if (data !== undefined && (typeof data !== "string" || data === "" || Buffer.byteLength(data) > 64)) {
    throw badRequest("BUTTON_DATA_INVALID");
  }
  if (url !== undefined && (typeof url !== "string" || checkedLink(url) === null)) {
    throw badRequest(`inline keyboard button URL '${String(url)}' is invalid: Wrong HTTP URL`);
  }
  return { ...fields, text };
}
