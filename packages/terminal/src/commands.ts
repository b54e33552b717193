import type { TerminalCommand } from "./options.ts";

/** A line that is no message but a wish to the program. */
export type CommandCall = { readonly name: string; readonly argument: string };

const call = /^\/([a-z?][\w-]*)(?:\s+([^]*))?$/iu;

/** Reads `/name argument`; null for a message, which a path such as `/etc/hosts` is too. */
export function readCommand(text: string): CommandCall | null {
  const found = call.exec(text.trim());
  return found ? { name: (found[1] ?? "").toLowerCase(), argument: (found[2] ?? "").trim() } : null;
}

/** What a line that begins with a slash says as a message: `//help` is "/help". */
export function unescapeSlash(text: string): string {
  return text.startsWith("//") ? text.slice(1) : text;
}

/** The commands every terminal has. */
export const ownCommands: Readonly<Record<string, string>> = {
  help: "shows this list",
  clear: "wipes the screen",
  quit: "ends the conversation (Ctrl-D too)",
};

/** The text of `/help`: what the characters may be asked for, then what the program does. */
export function helpText(
  commands: Readonly<Record<string, TerminalCommand>>,
  ofCharacters: readonly { readonly name: string; readonly description: string }[] = [],
): string {
  const known = new Map(ofCharacters.map(({ name, description }) => [`/${name}`, description]));
  const rows = [
    ...known,
    ...Object.entries(commands).map(([name, { description }]) => [`/${name}`, description] as const),
    ...Object.entries(ownCommands).map(([name, description]) => [`/${name}`, description] as const),
    ["\\ or Alt-Enter", "goes on in a new line; //… says a message that begins with a slash"] as const,
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`).join("\n");
}
