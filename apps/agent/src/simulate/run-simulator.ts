import { systemClock } from "@troupe/core/clock";
import { ConfigError } from "@troupe/core/errors";
import type { CommandContext } from "../commands/context.ts";
import { exitCodeOf } from "../life.ts";
import { beginProcessLife } from "../process-life.ts";
import { untilAborted } from "../until-aborted.ts";
import { openStage } from "./open-stage.ts";
import type { Stage } from "./stage.ts";
import { stagedPlatforms } from "./stages.ts";
import { createTranscript } from "./transcript.ts";

/** How a simulator is run as a server. */
export type SimulatorFlags = {
  readonly port?: number;
  /** Nobody in the town does anything of their own accord. */
  readonly isQuiet: boolean;
  readonly seconds?: number;
};

/** Now and then somebody does something. */
const stepMs = 4_000;
const lookMs = 500;

/** Runs one platform's simulator as a server until Ctrl-C: prints what `.env` needs, then what happens. */
export async function runSimulator(context: CommandContext, name: string, flags: SimulatorFlags): Promise<void> {
  const platform = stagedPlatforms.find((one) => one.name === name);
  if (!platform) {
    const names = stagedPlatforms.map((one) => one.name).join(", ");
    throw new ConfigError("invalid", `there is no simulator for ${name}; there are: ${names}`);
  }
  const life = beginProcessLife(context);
  const print = (line: string): void => context.out.write(`${line}\n`);
  const bots = await botNames(context);
  const stage = await openStage(platform, {
    ...(flags.port !== undefined && { port: flags.port }),
    bots,
    random: Math.random,
    startedAt: systemClock.now(),
  });
  life.onClose("the simulator", () => stage.close());
  try {
    print(introduction(stage, flags));
    await play(stage, flags, { print, stopping: life.stopping });
  } finally {
    await life.close();
  }
  const reason = life.reason();
  // Ctrl-C is how a person ends a server.
  if (reason?.type === "defect") context.setExitCode(exitCodeOf(reason));
}

/** A bot for each character in use; one for whoever comes when none can be read. */
async function botNames(context: CommandContext): Promise<readonly string[]> {
  const loaded = await context.loadCharacters();
  const names = loaded.flatMap(({ reading }) => (reading.ok ? [reading.character.name] : []));
  return names.length > 0 ? [...new Set(names)] : ["Ada"];
}

/** Lines for `.env`, and for each further bot where its lines belong. */
function introduction(stage: Stage, { isQuiet }: SimulatorFlags): string {
  const [first, ...others] = stage.bots;
  const assign = (record: object): readonly string[] =>
    Object.entries(record).map(([variable, value]) => `${variable}=${String(value)}`);
  return [
    `${stage.title} of your own at ${stage.address}: ${stage.description}${isQuiet ? ", who keep quiet" : ""}.`,
    "Put these lines into .env, and start the characters in another terminal:",
    "",
    ...assign({ ...first?.credentials, ...stage.variables }),
    ...others.flatMap(({ name, credentials }) =>
      assign(credentials).map((line) => `CHARACTER.${name.toUpperCase().replaceAll(/\s+/gu, "_")}.${line}`),
    ),
    "",
    "Everything is forgotten when it ends. Ctrl-C ends it.",
    "",
  ].join("\n");
}

async function play(
  stage: Stage,
  { isQuiet, seconds }: SimulatorFlags,
  { print, stopping }: { readonly print: (line: string) => void; readonly stopping: AbortSignal },
): Promise<void> {
  const transcript = createTranscript({ print, later });
  const unlisten = stage.listen((happening) => transcript.note(stage.platform, happening));
  let wasConnected = false;
  const look = setInterval(() => {
    const isConnected = stage.isConnected();
    if (isConnected !== wasConnected) print(isConnected ? "(a bot is connected)" : "(no bot is connected any more)");
    wasConnected = isConnected;
  }, lookMs);
  // Before anybody listens a town would talk to itself.
  const town = setInterval(() => {
    if (!isQuiet && stage.isConnected()) stage.step();
  }, stepMs);
  const over = seconds === undefined ? [] : [systemClock.sleep(seconds * 1_000, stopping).catch(() => undefined)];
  await Promise.race([untilAborted(stopping), ...over]);
  clearInterval(look);
  clearInterval(town);
  transcript.flush();
  unlisten();
}

function later(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
