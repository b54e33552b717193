import type { Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { type CommandCall, helpText, readCommand, unescapeSlash } from "./commands.ts";
import type { HeardLine } from "./inbound.ts";
import type { TerminalCommand } from "./options.ts";

/** Somebody who takes lines; resolves once one is durable. */
type Listener = {
  readonly name: string;
  commands(): readonly { readonly name: string; readonly description: string }[];
  hear(line: HeardLine): Promise<void>;
};

/** What becomes of a line that was typed or piped in. */
export type ListeningParts = {
  /** The program's own commands; null where every line is a message. */
  readonly commands: Readonly<Record<string, TerminalCommand>> | null;
  listeners(): readonly Listener[];
  /** Gives a message its place in the session. */
  nextLine(text: string, command?: CommandCall): HeardLine;
  notice(text: string, style?: "error"): Promise<void>;
  clear(): Promise<void>;
  quit(): void;
  readonly log: Log;
};

/** Makes the function that runs a command or hands a message to everybody, and resolves when that is done. */
export function createListening(parts: ListeningParts): (text: string) => Promise<void> {
  const { commands, notice } = parts;

  /** A command goes to those who have it, a message to everybody. */
  const hear = async (text: string, command?: CommandCall): Promise<void> => {
    const line = parts.nextLine(text, command);
    const all = parts.listeners();
    const listeners = command ? all.filter((listener) => hasCommand(listener, command.name)) : all;
    const results = await Promise.allSettled(listeners.map((listener) => listener.hear(line)));
    for (const [index, result] of results.entries()) {
      if (result.status === "fulfilled") continue;
      const name = listeners[index]?.name ?? "Nobody";
      const why = errorMessage(result.reason);
      parts.log.error({ error: why }, "a message from the terminal was not kept");
      await notice(`${name} did not get your message: ${why} (It was not kept: say it again.)`, "error");
    }
  };

  const runCommand = async (name: string, argument: string): Promise<void> => {
    if (name === "quit" || name === "exit") return parts.quit();
    if (name === "clear") return parts.clear();
    if (name === "help" || name === "?")
      return notice(
        helpText(
          commands ?? {},
          parts.listeners().flatMap((one) => one.commands()),
        ),
      );
    const command = commands && Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command && parts.listeners().some((listener) => hasCommand(listener, name))) {
      return hear(`/${name} ${argument}`.trim(), { name, argument });
    }
    if (!command) {
      return notice(`There is no /${name}. /help lists the commands; //${name} says it as a message.`, "error");
    }
    try {
      await notice(await command.run(argument));
    } catch (error) {
      await notice(`/${name} failed: ${errorMessage(error)}`, "error");
    }
  };

  return (text) => {
    const call = commands ? readCommand(text) : null;
    if (call) return runCommand(call.name, call.argument);
    return hear(commands ? unescapeSlash(text) : text);
  };
}

function hasCommand(listener: Listener, name: string): boolean {
  return listener.commands().some((command) => command.name === name);
}
