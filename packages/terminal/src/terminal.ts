import type { Command, Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { createTerminalApi, type TerminalApi } from "./api.ts";
import { cleanText } from "./clean-text.ts";
import { ownCommands } from "./commands.ts";
import { isClosed } from "./errors.ts";
import { openHistory } from "./history.ts";
import type { HeardLine } from "./inbound.ts";
import { createListening } from "./listening.ts";
import type { EndReason, TerminalOptions } from "./options.ts";
import { createPrinter, type Printer } from "./printer.ts";
import { createPrompt } from "./prompt.ts";
import { createScreen } from "./screen.ts";
import { createPlainSink } from "./sink.ts";
import { createThinking, type Thinking } from "./thinking.ts";

/** A character at the terminal, as the terminal sees it. */
type Member = {
  readonly name: string;
  /** What it may be asked for by name. */
  commands(): readonly Command[];
  /** Takes a line; resolves once it is durable. */
  hear(line: HeardLine): Promise<void>;
};

/** A character's place at the terminal. */
type Seat = {
  /** From now on the character hears. Reading begins when everybody who joined hears. */
  open(): void;
  leave(): void;
};

/** One terminal for one person and one or several characters. */
export type Terminal = {
  /** Whether a person types here, key by key. */
  readonly isInteractive: boolean;
  readonly userName: string;
  readonly printer: Printer;
  readonly thinking: Thinking;
  /** The names of all who ever joined. */
  names(): readonly string[];
  /** Takes a message for one of this session, so that its answer is not labelled as a late one. */
  remember(memoryId: string): void;
  join(member: Member): Seat;
  /** Prints words of the program: a greeting, a warning. Never rejects. */
  notice(text: string, style?: "plain" | "dim" | "error"): Promise<void>;
};

/**
 * Opens a terminal on two streams. It reads once every character that joined has started, and stops when the last one has
 * left. States: `waiting` (for characters) → `reading` → `closed`; what is printed after that still appears, plainly.
 */
export function createTerminal(options: TerminalOptions): Terminal {
  const { clock, log, commands = {}, userName = "you" } = options;
  const api = createTerminalApi(options);
  const { isInteractive } = api;
  const ended = new AbortController();
  const end = (reason: EndReason): void => {
    if (!ended.signal.aborted) options.onEnd(reason);
  };
  const { write, onBroken } = guardWrites(api, log, () => end("output-closed"));
  const hasColours = options.hasColours ?? isInteractive;
  const screen = createScreen({ size: api.size, write }, hasColours);
  const sink = isInteractive ? screen : createPlainSink(write, hasColours);
  const heard = new Set<string>();
  const printer = createPrinter({
    sink,
    isLabelled: () => options.isLabelled !== false,
    wasHeard: (memoryId) => heard.has(memoryId),
  });
  const members = new Map<Member, "joined" | "hearing">();
  const sessionId = options.newId();
  const names: string[] = [];
  let lines = 0;
  let isReading = false;
  let work: Promise<void> = Promise.resolve();

  const notice = async (text: string, style: "plain" | "dim" | "error" = "plain"): Promise<void> => {
    const clean = cleanText(text);
    const isAside = !isInteractive && options.notices !== undefined;
    const saying = isAside ? api.writeNotice(`${clean}\n`) : printer.say([{ text: clean, style: { type: style } }]);
    await saying.catch(onBroken);
  };

  const take = createListening({
    commands: isInteractive ? commands : null,
    listeners: () => [...members.keys()],
    nextLine: (text, command) => ({ text, sessionId, number: ++lines, at: clock.now(), ...(command && { command }) }),
    notice,
    clear: screen.clear,
    quit: () => end("quit"),
    log,
  });
  const queue = (text: string): void => {
    work = work.then(() => take(text)).catch(onBroken);
  };

  const history = openHistory(isInteractive ? options.historyPath : undefined, log);
  const prompt = createPrompt({
    api,
    screen,
    history,
    userName,
    completions: () => completionsOf(Object.keys({ ...commands, ...ownCommands }), [...members.keys()], names),
    echo: (segments) => printer.say(segments),
    onSubmit: queue,
    onInterrupt: () => options.onInterrupt(),
    onEnd: () => end("quit"),
    onBroken,
  });
  const thinking = createThinking(clock, (status) => prompt.setStatus(status));

  const read = (): void => {
    isReading = true;
    if (isInteractive) {
      const closePrompt = prompt.open();
      ended.signal.addEventListener("abort", closePrompt, { once: true });
    } else void api.readLines(take, ended.signal).then(() => end("input-ended"), onBroken);
  };
  const close = (): void => {
    ended.abort();
    thinking.close();
    sink.print([], "fresh-line").catch(onBroken);
  };

  return {
    isInteractive,
    userName,
    printer,
    thinking,
    names: () => names,
    notice,
    remember: (memoryId) => void heard.add(memoryId),
    join(member) {
      members.set(member, "joined");
      names.push(member.name);
      return {
        open() {
          members.set(member, "hearing");
          if (!isReading && [...members.values()].every((state) => state === "hearing")) read();
        },
        leave() {
          members.delete(member);
          if (members.size === 0) close();
        },
      };
    },
  };
}

/** What Tab completes: commands of the program and of the characters, and everybody's names. */
function completionsOf(own: readonly string[], members: readonly Member[], names: readonly string[]): string[] {
  const asked = members.flatMap((member) => member.commands().map(({ name }) => name));
  return [...new Set([...own, ...asked])].map((name) => `/${name}`).concat(names.map((name) => `@${name}`));
}

/** Writes as the streams do; the first sign that nobody reads any more is told once. */
function guardWrites(api: TerminalApi, log: Log, onClosed: () => void) {
  let isKnown = false;
  const onBroken = (error: unknown): void => {
    if (isKnown) return;
    log.warn({ error: errorMessage(error) }, "the terminal could not be written");
    isKnown = isClosed(error);
    if (isKnown) onClosed();
  };
  const write = async (text: string): Promise<void> => {
    try {
      await api.write(text);
    } catch (error) {
      onBroken(error);
      throw error;
    }
  };
  return { write, onBroken };
}
