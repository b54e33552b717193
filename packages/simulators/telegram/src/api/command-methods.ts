import { badRequest } from "../api-error.ts";
import type { Command } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { asRecord, parametersOf } from "./parameters.ts";
import { chatOf } from "./target.ts";

const wide = ["default", "all_private_chats", "all_group_chats", "all_chat_administrators"];
const narrow = ["chat", "chat_administrators", "chat_member"];

/** For whom commands are kept: a scope and a language. */
function scopeKey(call: Call): string {
  const { parameters } = call;
  const stated = parameters.json("scope");
  const language = parameters.text("language_code") ?? "";
  if (language !== "" && !/^[a-z]{2}$/.test(language)) throw badRequest("invalid language code specified");
  if (stated === undefined) return `default//${language}`;
  const fields = asRecord(stated, "BotCommandScope");
  const type = String(fields["type"]);
  if (wide.includes(type)) return `${type}//${language}`;
  if (!narrow.includes(type)) throw badRequest("can't parse BotCommandScope: Unsupported type specified");
  const scope = parametersOf(new Map(Object.entries(fields)));
  const chat = chatOf(call, scope.text("chat_id")?.trim() ?? "");
  if (type !== "chat" && chat.pair) throw badRequest("chat_id of a private chat is unallowed in the scope");
  const userId = type === "chat_member" ? scope.integer("user_id") : null;
  if (type === "chat_member" && userId === null)
    throw badRequest("can't parse BotCommandScope: Can't find field \"user_id\"");
  return `${type}/${chat.id}${userId === null ? "" : `:${userId}`}/${language}`;
}

/** @see https://core.telegram.org/bots/api#setmycommands */
export const setMyCommands: Method = (call) => {
  const stated = call.parameters.json("commands");
  if (!Array.isArray(stated)) throw badRequest("can't parse commands list JSON object");
  if (stated.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  const commands = stated.map((item: unknown) => readCommand(asRecord(item, "BotCommand")));
  call.bot.commands.set(scopeKey(call), commands);
  return true;
};

function readCommand({ command, description }: Readonly<Record<string, unknown>>): Command {
  if (typeof command !== "string") throw badRequest("can't parse BotCommand: Can't find field \"command\"");
  if (typeof description !== "string") throw badRequest("can't parse BotCommand: Can't find field \"description\"");
  const name = command.replace(/^\//, "");
  if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID");
  if (description.length < 1 || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  return { command: name, description };
}

/** @see https://core.telegram.org/bots/api#getmycommands */
export const getMyCommands: Method = (call) => call.bot.commands.get(scopeKey(call)) ?? [];

/** @see https://core.telegram.org/bots/api#deletemycommands */
export const deleteMyCommands: Method = (call) => {
  call.bot.commands.delete(scopeKey(call));
  return true;
};
