import type { Readable, Writable } from "node:stream";
import type { Clock, Command, Log } from "@troupe/core";
import type { Terminal } from "./terminal.ts";

/** A command of the program that a person may type, e.g. `/why`. */
export type TerminalCommand = {
  /** One line for `/help`. */
  readonly description: string;
  /** Does it; `argument` is what stands behind the name. What it returns is printed; what it throws is printed as an error. */
  run(argument: string): Promise<string>;
};

/**
 * Why the conversation ends. `quit`: the person wants to go. `input-ended`: the piped input is over, answers may still be on
 * their way. `output-closed`: nobody reads any more.
 */
export type EndReason = "quit" | "input-ended" | "output-closed";

/** What a terminal is made of; shared by all characters that speak in it. */
export type TerminalOptions = {
  readonly input: Readable;
  readonly output: Writable;
  /** Where the program's own words go when this is no terminal, usually standard error; `output` unless it is given. */
  readonly notices?: Writable;
  /** Whether a person sits here; asked of the streams unless it is said. */
  readonly isTty?: boolean;
  /** Whether to use colours; the program knows NO_COLOR. Never without a terminal unless it is said. */
  readonly hasColours?: boolean;
  /** Whether names stand before what is said; they do unless it is said. */
  readonly isLabelled?: boolean;
  /** How the person is called; `you` unless it is said. */
  readonly userName?: string;
  /** Keeps what was typed over restarts, in a file for the owner alone. */
  readonly historyPath?: string;
  /** By name, without the slash. */
  readonly commands?: Readonly<Record<string, TerminalCommand>>;
  /** Ctrl-C on an empty line. */
  onInterrupt(): void;
  onEnd(reason: EndReason): void;
  readonly clock: Clock;
  readonly log: Log;
  /** A new id that no other session has. */
  newId(): string;
};

/** One character in a terminal. */
export type TerminalClientOptions = {
  readonly terminal: Terminal;
  readonly agentId: string;
  readonly agentName: string;
  /** `agentName` unless it is said. */
  readonly account?: string;
  /** What people may ask the character for by name; nothing unless it is said. */
  readonly commands?: () => readonly Command[];
};
