import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { systemClock } from "@troupe/core/clock";
import { ConfigError } from "@troupe/core/errors";
import { createTerminal, createTerminalClient, type Terminal, type TerminalOptions } from "@troupe/terminal";
import type { CommandContext } from "./commands/context.ts";
import { type Plan, type Player, startAgents, type Troupe } from "./compose.ts";
import { greet } from "./greeting.ts";
import { exitCodeOf, type Life } from "./life.ts";
import { openLogFile } from "./log-file.ts";
import { beginProcessLife } from "./process-life.ts";
import { readAll } from "./read-all.ts";
import { createRunNotices, type RunNotices } from "./run-notices.ts";
import { untilAborted } from "./until-aborted.ts";

/** What both ways of talking share: the streams, and a plan for starting the agents in them. */
type Conversation = {
  readonly life: Life;
  /** Told once the agents are at work. */
  readonly onReady: (troupe: Troupe) => void;
  readonly plan: Plan;
  readonly notices: RunNotices;
  /** The terminal, once the agents were connected to it. */
  terminal(): Terminal;
};

/** What differs between the ways of talking. */
type Stage = Pick<TerminalOptions, "input" | "onEnd"> & {
  readonly isLabelled: boolean;
  readonly isQuiet: boolean;
  /** Changes the terminal before the characters join it. */
  readonly prepare: (terminal: Terminal) => Terminal;
};

/** A conversation until the person ends it, or until everything that was piped in is answered. */
export async function runConversation(context: CommandContext): Promise<void> {
  const ended = Promise.withResolvers<"quit" | "input-ended" | "output-closed">();
  const conversation = openConversation(context, {
    input: process.stdin,
    isLabelled: true,
    isQuiet: false,
    onEnd: ended.resolve,
    prepare: (terminal) => terminal,
  });
  const { life, notices } = conversation;
  await within(context, conversation, async (troupe) => {
    const reason = await Promise.race([ended.promise, untilAborted(life.stopping)]);
    if (reason === "input-ended") await Promise.race([untilIdle(troupe), untilAborted(life.stopping)]);
    if (notices.underWay() > 0 && conversation.terminal().isInteractive) {
      await conversation.terminal().notice("(finishing what is under way; Ctrl-C leaves at once)", "dim");
    }
  });
  if (notices.failures().length > 0 && !conversation.terminal().isInteractive) context.setExitCode(1);
}

/** One message and its reply: the text given, else everything on standard input. */
export async function runOnce(context: CommandContext, given: string | undefined): Promise<void> {
  const text = given ?? (await readAll(process.stdin));
  if (text.trim() === "") {
    throw new ConfigError(
      "invalid",
      'nothing was said; write chat --once "text", or pipe it in: echo hi | npm start -s -- chat --once',
    );
  }
  const members: Parameters<Terminal["join"]>[0][] = [];
  const conversation = openConversation(context, {
    // Nothing is read from it: what is to be said is known.
    input: new PassThrough(),
    isLabelled: false,
    isQuiet: true,
    onEnd: () => undefined,
    prepare: (terminal) => ({
      ...terminal,
      join(member) {
        members.push(member);
        return terminal.join(member);
      },
    }),
  });
  const { life, notices } = conversation;
  await within(context, conversation, async (troupe) => {
    const line = { text: text.replace(/\r?\n$/, ""), sessionId: randomUUID(), number: 1, at: systemClock.now() };
    await Promise.all(members.map((member) => member.hear(line)));
    await Promise.race([untilIdle(troupe), untilAborted(life.stopping)]);
  });
  for (const failure of notices.failures()) context.err.write(`troupe: ${failure}\n`);
  if (notices.failures().length > 0) context.setExitCode(1);
  else if (notices.ended() === 0 && life.reason() === undefined) {
    context.err.write(`troupe: the message is kept but was not answered; ${context.home.logPath} says why\n`);
    context.setExitCode(1);
  }
}

function openConversation(context: CommandContext, stage: Stage): Conversation {
  const { home, config } = context;
  const life = beginProcessLife(context);
  let terminal: Terminal | undefined;
  let troupe: Troupe | undefined;
  const { stdin, stdout, stderr } = process;
  const isTty = !stage.isQuiet && stdin.isTTY === true && stdout.isTTY === true;
  const notices = createRunNotices(async (text) => {
    if (!stage.isQuiet) await terminal?.notice(text, "dim");
  });
  return {
    life,
    notices,
    onReady(ready) {
      troupe = ready;
    },
    terminal() {
      if (!terminal) throw new Error("the terminal was used before the agents were connected to it");
      return terminal;
    },
    plan: {
      command: stage.isQuiet ? "chat --once" : "chat",
      usualLogLevel: "warn",
      isOnPlatforms: !stage.isQuiet,
      openLogSink: () => openLogFile(home.logPath),
      async connect(roles, { log, commandsOf }) {
        terminal = createTerminal({
          input: stage.input,
          output: stdout,
          notices: stderr,
          isTty,
          hasColours: stdout.isTTY === true && config.isColourWanted,
          isLabelled: stage.isLabelled,
          historyPath: join(home.path, "history"),
          commands: {
            why: {
              description: "says what caused the last answer or silence, or those of a message's id",
              run: async (wanted) => explainMessage(context, troupe, wanted),
            },
          },
          onInterrupt: () => life.stop({ type: "signal", signal: "SIGINT" }),
          onEnd: stage.onEnd,
          clock: systemClock,
          log,
          newId: () => randomUUID(),
        });
        if (!stage.isQuiet) await greet(roles, terminal);
        const joined = stage.prepare(terminal);
        return ({ agentId, character }) => [
          createTerminalClient({
            terminal: joined,
            agentId,
            agentName: character.name,
            commands: () => commandsOf(agentId),
          }),
        ];
      },
      listen: (player) => notices.listen(player),
    },
  };
}

/** Starts the agents, works with them and closes everything, whatever happened; then the exit code tells why it ended. */
async function within(
  context: CommandContext,
  { life, plan, terminal, onReady }: Conversation,
  work: (troupe: Troupe) => Promise<void>,
): Promise<void> {
  let isInteractive = false;
  try {
    const troupe = await startAgents(context, life, plan);
    isInteractive = terminal().isInteractive;
    onReady(troupe);
    await work(troupe);
  } finally {
    await life.close();
  }
  const reason = life.reason();
  // Ctrl-C is how a person leaves a conversation.
  const isFarewell = isInteractive && reason?.type === "signal" && reason.signal === "SIGINT";
  if (reason !== undefined && !isFarewell) context.setExitCode(exitCodeOf(reason));
}

async function untilIdle({ players }: Troupe): Promise<void> {
  await Promise.all(players.map(({ agent }: Player) => agent.idle()));
}

/** What the command `why` would print, read from the store that is open already. */
async function explainMessage(context: CommandContext, troupe: Troupe | undefined, wanted: string): Promise<string> {
  if (!troupe) return "Nobody is at work yet.";
  const texts: string[] = [];
  const { explain } = await import("./view/why.ts");
  const inside = {
    ...context,
    out: { write: (text: string) => void texts.push(text) },
    openStoreReadOnly: async () => troupe.store,
    setExitCode: () => undefined,
  };
  await explain(inside, wanted || "last", {});
  return texts.join("").trimEnd();
}
