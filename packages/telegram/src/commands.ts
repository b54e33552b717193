import { hash } from "node:crypto";
import type { ClientState, Command, CommandCall } from "@troupe/core";
import { commandIn, type Self } from "./heard-text.ts";
import type { Message } from "./payload.ts";

/** A command as Telegram keeps it. @see https://core.telegram.org/bots/api#botcommand */
export type BotCommand = { readonly command: string; readonly description: string };

/** Every conversation with a bot begins so, and every program has help: they are words to the character. */
const words: ReadonlySet<string> = new Set(["start", "help"]);

/** What a message that begins with a command means. */
type MeantCommand = {
  /** The same in words; without the name of the bot. */
  readonly text: string;
  /** Absent when it is a message like any other. */
  readonly call?: CommandCall;
  /** It is for another bot. */
  readonly isForeign: boolean;
};

/**
 * The command a message gives; null when it gives none. In a group one that is not known here is for another bot; alone with
 * the agent every one is for it.
 */
export function toCommand(
  message: Pick<Message, "text" | "entities" | "chat">,
  hearer: Self & { readonly commands: readonly string[] },
): MeantCommand | null {
  const given = commandIn(message, hearer);
  if (!given) return null;
  const name = hearer.commands.find((known) => telegramName(known) === given.name);
  const text = `/${given.name}${given.rest === "" ? "" : ` ${given.rest}`}`;
  const isForeign =
    given.isForeign ||
    (message.chat.type !== "private" && !given.isOurs && name === undefined && !words.has(given.name));
  if (isForeign || (name === undefined && words.has(given.name))) return { text, isForeign };
  const call = { name: name ?? given.name, parameters: { text: given.rest } };
  return { text: name === "ask" && given.rest !== "" ? given.rest : text, call, isForeign };
}

const telegramName = (name: string): string => name.toLowerCase().replaceAll("-", "_");

/** Commands as Telegram takes them: 100 at most, names of letters, digits and `_`. */
function toBotCommands(commands: readonly Command[]): readonly BotCommand[] {
  const byName = new Map<string, BotCommand>();
  for (const { name, description } of commands) {
    const command = telegramName(name);
    if (!/^[a-z0-9_]{1,32}$/.test(command) || byName.has(command)) continue;
    byName.set(command, { command, description: description.trim().slice(0, 256).toWellFormed() || command });
  }
  return [...byName.values()].slice(0, 100);
}

/** Tells Telegram the commands there are, if it was told others the last time. */
export async function registerCommands(
  commands: readonly Command[],
  { state, set }: { readonly state: ClientState; readonly set: (commands: readonly BotCommand[]) => Promise<unknown> },
): Promise<void> {
  const wanted = toBotCommands(commands);
  const mark = hash("sha256", JSON.stringify(wanted));
  if ((await state.get("commands")) === mark) return;
  await set(wanted);
  await state.set("commands", mark);
}
