import { badRequest } from "../api-error.ts";
import type { TelegramMessage } from "../payload.ts";
import { formatText } from "../text/format-text.ts";
import { findMessage } from "../world/message-id.ts";
import type { Chat, Message } from "../world/world.ts";
import type { Call } from "./call.ts";
import { asRecord, type Parameters, parametersOf } from "./parameters.ts";
import { chatOf } from "./target.ts";
import { renderEntities } from "./text-content.ts";

/** What a message answers. */
export type Reply = {
  readonly replyTo: Message | null;
  /** A message of another chat. */
  readonly externalReply: Message | null;
  readonly quote: TelegramMessage["quote"] | null;
};

const none: Reply = { replyTo: null, externalReply: null, quote: null };

/**
 * Reads `reply_parameters`, or the `reply_to_message_id` of older days.
 * @throws ApiError when what is answered is not there and that is not allowed.
 */
export function readReply(call: Call, chat: Chat): Reply {
  const stated = call.parameters.json("reply_parameters");
  const fields =
    stated === undefined ? call.parameters : parametersOf(new Map(Object.entries(asRecord(stated, "ReplyParameters"))));
  const id = fields.integer(stated === undefined ? "reply_to_message_id" : "message_id");
  if (id === null || id === 0) {
    if (stated !== undefined) throw badRequest("can't parse reply parameters: Can't find field \"message_id\"");
    return none;
  }
  const otherId = stated === undefined ? null : fields.text("chat_id");
  const where = otherId === null ? chat : chatOf(call, otherId.trim());
  const message = findMessage(where, call.bot, id);
  if (!message) {
    if (fields.flag("allow_sending_without_reply")) return none;
    throw badRequest("message to be replied not found");
  }
  const quote = stated === undefined ? null : readQuote(call, message, fields);
  return where === chat
    ? { replyTo: message, externalReply: null, quote }
    : { replyTo: null, externalReply: message, quote };
}

function readQuote(call: Call, message: Message, fields: Parameters): TelegramMessage["quote"] | null {
  const source = fields.text("quote");
  if (source === null || source === "") return null;
  const parseMode = fields.text("quote_parse_mode") ?? undefined;
  const quoted = formatText({ text: source, parseMode, entities: fields.json("quote_entities") });
  const whole = message.content.text ?? message.content.caption ?? "";
  const wanted = fields.integer("quote_position") ?? 0;
  const position = whole.startsWith(quoted.text, wanted) ? wanted : whole.indexOf(quoted.text);
  if (quoted.text === "" || position < 0) throw badRequest("QUOTE_TEXT_INVALID");
  if (quoted.text.length > 1024) throw badRequest("QUOTE_TEXT_TOO_LONG");
  const kept = quoted.entities.filter(({ type }) =>
    ["bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji"].includes(type),
  );
  const entities = renderEntities(call.world, kept);
  return { text: quoted.text, position, is_manual: true, ...(entities.length > 0 ? { entities } : {}) };
}
