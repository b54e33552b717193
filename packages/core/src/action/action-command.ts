import type { RegisteredAction } from "./action.ts";

const commandForm = /^[a-z0-9_-]{1,32}$/u;

/** Names that are taken by the house. */
const houseCommands: readonly string[] = ["ask"];

/** What people call an action to ask for it without the model; null when they may not. */
export function commandName({ name, command }: Pick<RegisteredAction, "name" | "command">): string | null {
  if (typeof command === "string") return command.trim().toLowerCase();
  return command === true ? name.trim().toLowerCase().replaceAll(" ", "_") : null;
}

/** What is wrong with an action's command, one sentence each, with the remedy. */
export function checkCommand(action: RegisteredAction, registered: readonly RegisteredAction[]): readonly string[] {
  const { command } = action;
  if (command === undefined || command === false) return [];
  if (command !== true && typeof command !== "string") return ["its command is neither a name nor true; correct it"];
  if ("control" in action) return ["it steers the conversation and cannot be a command; leave command out"];
  const name = commandName(action);
  if (name === null || !commandForm.test(name)) {
    return [`${JSON.stringify(name)} is no name for a command; give it one of 1 to 32 of a-z, 0-9, "_" and "-"`];
  }
  if (houseCommands.includes(name)) return [`the command ${name} is there already; give it another name`];
  const holder = registered.find((other) => commandName(other) === name);
  return holder ? [`${holder.name} has the command ${name} already; give it another name`] : [];
}
