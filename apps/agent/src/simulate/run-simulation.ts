import { randomUUID } from "node:crypto";
import { platformSettings } from "@troupe/core/character";
import { systemClock } from "@troupe/core/clock";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import { createTerminal, type Terminal } from "@troupe/terminal";
import { chooseCharacters } from "../choose-characters.ts";
import { platforms } from "../clients/platforms.ts";
import type { CommandContext } from "../commands/context.ts";
import { type Player, startAgents, type Troupe } from "../compose.ts";
import { exitCodeOf, type Life } from "../life.ts";
import { openLogFile } from "../log-file.ts";
import { beginProcessLife } from "../process-life.ts";
import { untilAborted } from "../until-aborted.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { openStage } from "./open-stage.ts";
import { isSound, renderReckoning } from "./render-reckoning.ts";
import { simulatedContext } from "./simulated-context.ts";
import { readSpokenLine, spokenHelp } from "./spoken-line.ts";
import { pickOne, type Stage } from "./stage.ts";
import { stagedPlatforms } from "./stages.ts";
import { createTranscript, lineOf, type Transcript } from "./transcript.ts";

/** How a simulation is run. */
export type SimulationFlags = {
  /** It ends by itself after so long; else when somebody ends it. */
  readonly seconds?: number;
  /** Things go wrong now and then. */
  readonly hasFaults: boolean;
  /** Nobody in the towns does anything of their own accord. */
  readonly isQuiet: boolean;
};

const stepMs = 1_000;
const faultMs = 2_500;
/** After the end everything that was said gets so long to be answered. */
const settleMs = 60_000;
const lookMs = 200;

/**
 * Runs the chosen characters on every simulated platform among people who talk, and prints what happens; a person may talk too.
 * At the end it tells what became of everything that was said to a character; the exit code is 1 when something was lost, or
 * answered twice where the platform lets that be known.
 */
export async function runSimulation(context: CommandContext, flags: SimulationFlags): Promise<void> {
  const life = beginProcessLife(context);
  try {
    const stages = await openStages(context, life);
    const simulation = await begin(context, life, stages);
    await play(simulation, flags);
    const isInterrupted = life.stopping.aborted;
    if (!isInterrupted) await untilSettled(simulation);
    simulation.transcript.flush();
    await tellOutcome(context, simulation, isInterrupted);
  } finally {
    await life.close();
  }
  const reason = life.reason();
  // Ctrl-C is how a person leaves a simulation.
  if (reason !== undefined && !(reason.type === "signal" && reason.signal === "SIGINT"))
    context.setExitCode(exitCodeOf(reason));
}

/** A stage for each platform the program has a client for, and that a character in use does not refuse. */
async function openStages(context: CommandContext, life: Life): Promise<readonly Stage[]> {
  const characters = chooseCharacters(await context.loadCharacters(), context.err).map(({ character }) => character);
  const startedAt = systemClock.now();
  const stages: Stage[] = [];
  const connectable = stagedPlatforms.filter(({ name }) => platforms.some((platform) => platform.name === name));
  for (const platform of connectable) {
    const bots = characters
      .filter((character) => platformSettings(character, platform.name).enabled !== false)
      .map(({ name }) => name);
    if (bots.length === 0) continue;
    const stage = await openStage(platform, { bots: [...new Set(bots)], random: Math.random, startedAt });
    life.onClose(`the simulated ${stage.title}`, () => stage.close());
    stages.push(stage);
  }
  if (stages.length > 0) return stages;
  throw new ConfigError(
    "invalid",
    'the character\'s file refuses every platform there is a simulator for; remove "enabled": false under platforms',
  );
}

/** A simulation at work. */
type Simulation = {
  readonly stages: readonly Stage[];
  readonly troupe: Troupe;
  readonly ledgers: readonly { readonly stage: Stage; readonly ledger: Ledger }[];
  readonly transcript: Transcript;
  readonly terminal: Terminal;
  /** Prints a line. */
  readonly print: (line: string, style?: "dim" | "error") => void;
  /** Resolves when somebody, or a signal, ends it. */
  readonly ended: Promise<void>;
};

async function begin(context: CommandContext, life: Life, stages: readonly Stage[]): Promise<Simulation> {
  const quit = Promise.withResolvers<void>();
  const terminal = createTerminal({
    input: process.stdin,
    output: process.stdout,
    isTty: process.stdin.isTTY === true && process.stdout.isTTY === true,
    hasColours: process.stdout.isTTY === true && context.config.isColourWanted,
    userName: "visitor",
    commands: { places: { description: "lists where something can be said", run: async () => placesText(stages) } },
    onInterrupt: () => life.stop({ type: "signal", signal: "SIGINT" }),
    // What is piped in may end; the simulation goes on.
    onEnd: (reason) => (reason === "input-ended" ? undefined : quit.resolve()),
    clock: systemClock,
    log: context.log,
    newId: () => randomUUID(),
  });
  const print: Simulation["print"] = (line, style) => void terminal.notice(line, style);
  const simulated = simulatedContext(context, await context.loadCharacters(), stages);
  const troupe = await startAgents(simulated, life, {
    command: "simulate",
    usualLogLevel: "warn",
    openLogSink: () => openLogFile(simulated.home.logPath),
    isOnPlatforms: true,
    connect: async () => () => [],
    listen: (player) => listen(player, print),
  });
  const transcript = createTranscript({ print, later });
  const ledgers = stages.map((stage) => ({ stage, ledger: ledgerOf(stage, troupe) }));
  for (const { stage, ledger } of ledgers) {
    const unlisten = stage.listen((happening) => {
      ledger.note(happening);
      transcript.note(stage.platform, happening);
    });
    life.onClose(`the transcript of ${stage.title}`, unlisten);
  }
  introduce(troupe, { stages, print, homePath: simulated.home.path });
  const seat = terminal.join({
    name: "everybody",
    commands: () => [],
    hear: createVisitor(stages, print, quit.resolve),
  });
  life.onClose("the terminal", () => seat.leave());
  seat.open();
  return {
    stages,
    troupe,
    ledgers,
    transcript,
    terminal,
    print,
    ended: Promise.race([quit.promise, untilAborted(life.stopping)]),
  };
}

function ledgerOf(stage: Stage, { players, store }: Troupe): Ledger {
  const agents = stage.bots.flatMap(({ name, account }) => {
    const player = players.find(({ character }) => character.name === name);
    return player ? [[account, player.agentId] as const] : [];
  });
  return createLedger({ stage, store, agents: new Map(agents) });
}

function introduce(
  { players }: Troupe,
  { stages, print, homePath }: Pick<Simulation, "stages" | "print"> & { readonly homePath: string },
): void {
  const cast = players.map(({ character, models }) => `${character.name} (${models.large})`).join(", ");
  print(`${cast} on simulated platforms; nothing leaves this machine but what a model of yours is asked.`, "dim");
  for (const { title, description } of stages) print(`${title}: ${description}.`, "dim");
  print(`Kept in ${homePath}. Say something: discord harbour: hello. /help, /quit.`, "dim");
}

/** Tells what did not go well, as far as nobody on a platform sees it. */
function listen({ agent, character: { name } }: Player, print: Simulation["print"]): void {
  agent.on((event) => {
    if (event.type !== "RUN_ENDED" || (event.outcome !== "failed" && event.outcome !== "uncertain")) return;
    print(`(${name}: ${event.outcome}, ${event.reason ?? "and nothing says why"})`, "error");
  });
}

/** Makes what takes the lines a person types. */
function createVisitor(
  stages: readonly Stage[],
  print: Simulation["print"],
  quit: () => void,
): (line: { readonly text: string }) => Promise<void> {
  let last: { readonly stage: Stage; readonly place: string } | undefined;
  const platforms = stages.map(({ platform }) => platform);
  return async ({ text }) => {
    const line = readSpokenLine(text, platforms);
    switch (line.type) {
      case "nothing":
        return;
      case "help":
        return print(spokenHelp);
      case "places":
        return print(placesText(stages));
      case "quit":
        return quit();
      case "say":
      case "go-on": {
        const stage = line.type === "say" ? stages.find(({ platform }) => platform === line.platform) : last?.stage;
        const place = line.type === "say" ? line.place : last?.place;
        if (!stage || place === undefined) return print(`Where? For example: ${platforms[0]} direct: hello`, "error");
        try {
          stage.say(place, line.text);
          last = { stage, place };
        } catch (error) {
          print(errorMessage(error), "error");
        }
      }
    }
  };
}

function placesText(stages: readonly Stage[]): string {
  return stages.map((stage) => `${stage.platform}: ${stage.places().join(", ")}`).join("\n");
}

/** Lets the towns talk, and things go wrong, until the time is over or somebody ends it. */
async function play(
  { stages, print, ended }: Simulation,
  { seconds, hasFaults, isQuiet }: SimulationFlags,
): Promise<void> {
  const town = setInterval(() => {
    if (!isQuiet) pickOne(Math.random, stages).step();
  }, stepMs);
  const faults = setInterval(() => {
    if (!hasFaults) return;
    const stage = pickOne(Math.random, stages);
    print(lineOf(stage.platform, "(fault)", stage.disturb()), "dim");
  }, faultMs);
  const isOver = new AbortController();
  const time = seconds === undefined ? [] : [systemClock.sleep(seconds * 1_000, isOver.signal).catch(() => undefined)];
  await Promise.race([ended, ...time]);
  isOver.abort("it is over");
  clearInterval(town);
  clearInterval(faults);
  for (const stage of stages) stage.calm();
}

/** Waits until everything that was said has its outcome, within bounds. */
async function untilSettled({ stages, troupe, ledgers, print, ended }: Simulation): Promise<void> {
  print("(the towns are quiet; waiting for what is under way)", "dim");
  const deadline = systemClock.now() + settleMs;
  let isSettled = false;
  const interrupted = ended.then(() => "interrupted" as const);
  while (!isSettled && systemClock.now() < deadline) {
    await Promise.race([Promise.all(troupe.players.map(({ agent }) => agent.idle())), systemClock.sleep(lookMs)]);
    const reckonings = await Promise.all(ledgers.map(({ ledger }) => ledger.reckon()));
    const isDone = reckonings.every(
      ({ never, waiting }) => waiting.length === 0 && never.every(({ isExcused }) => isExcused),
    );
    isSettled = isDone && stages.every((stage) => stage.isToldAll());
    const next = await Promise.race([systemClock.sleep(isSettled ? settleLookMs : lookMs), interrupted]);
    if (next === "interrupted") return;
  }
}

/** What is answered twice may show a little later. */
const settleLookMs = 2_000;

async function tellOutcome(
  context: CommandContext,
  { ledgers, print }: Simulation,
  isInterrupted: boolean,
): Promise<void> {
  for (const { stage, ledger } of ledgers) {
    const reckoning = await ledger.reckon();
    const isRight = isSound(reckoning);
    print(renderReckoning(stage.title, reckoning), isRight ? undefined : "error");
    // Whoever ends it at once does not wait for the last answers.
    if (!isRight && !isInterrupted) context.setExitCode(1);
  }
}

function later(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
