import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { type Clock, systemClock } from "../clock.ts";
import { errorMessage } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { createInbound, type HeardMessage } from "./create-inbound.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedClientOptions } from "./scripted-client.ts";
import { applyRecord, emptyShownState, type Shown, type ShownRecord } from "./shown-record.ts";

/** What a file client is made of. Beside what every scripted client can do: */
export type FileClientOptions = Omit<ScriptedClientOptions, "records"> & {
  /** The platform's side of it: one record a line, on the disk before anything goes on. Made when it is not there. */
  readonly path: string;
  /** What the platform has to offer, oldest first; each is offered until it was acknowledged, over restarts too. */
  readonly inputs?: readonly HeardMessage[];
  /** How long an input rests that could not be received; 100 ms unless it is said. */
  readonly retryMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
};

/** A scripted client whose platform outlives the process. */
export type FileClient = ScriptedClient & {
  /** The platform has one more input. */
  offer(input: HeardMessage): void;
  /** Event ids of what will not be offered again. */
  acknowledged(): readonly string[];
};

/** What a file client's platform knows, read from outside. */
export type FileClientView = {
  readonly shown: readonly Shown[];
  readonly acknowledged: readonly string[];
  readonly repeats: number;
  readonly records: readonly ShownRecord[];
};

/** Reads a file client's file; a line that was cut short by a crash does not count. No file: nothing happened. */
export function readFileClient(path: string): FileClientView {
  const records = readRecords(path);
  const state = emptyShownState();
  for (const record of records) applyRecord(state, record);
  return {
    shown: [...state.shown.values()].filter((shown) => !shown.isRemoved),
    acknowledged: [...state.acknowledged],
    repeats: state.repeats,
    records,
  };
}

/**
 * A client whose platform is a file, for tests that end processes: what was shown and acknowledged stays, and inputs that
 * were not acknowledged are offered again, in order, one at a time. `end` the signal of `start` to close the file.
 */
export function createFileClient(options: FileClientOptions): FileClient {
  const { path, clock = systemClock, log = silentLog, retryMs = 100 } = options;
  const { agentId, platform = "file", account = "file" } = options;
  const earlier = readRecords(path);
  endLastLine(path);
  const append = (record: ShownRecord): void => appendRecord(path, record);
  const { inputs: _, ...scripted } = options;
  const client = createScriptedClient({ ...scripted, platform, account, records: { earlier, append } });
  const acknowledged = new Set(earlier.flatMap((record) => (record.type === "acknowledge" ? [record.eventId] : [])));
  const waiting = (options.inputs ?? []).filter((input) => !acknowledged.has(input.eventId));
  let wake: () => void = () => undefined;

  const offerAll = async (receive: Parameters<FileClient["start"]>[0], signal: AbortSignal): Promise<void> => {
    const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      const [input] = waiting;
      if (!input) {
        await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
        continue;
      }
      try {
        await receive(createInbound({ agentId, platform, account }, input));
        acknowledged.add(input.eventId);
        append({ type: "acknowledge", eventId: input.eventId });
        waiting.shift();
      } catch (error) {
        log.warn(
          { eventId: input.eventId, error: errorMessage(error) },
          "an input was not received; offering it again",
        );
        await clock.sleep(retryMs, signal).catch(() => undefined);
      }
    }
  };

  return {
    ...client,
    async start(receive, signal) {
      await client.start(receive, signal);
      void offerAll(receive, signal).catch((error) =>
        log.error({ error: errorMessage(error) }, "the file client failed"),
      );
    },
    offer(input) {
      if (acknowledged.has(input.eventId) || waiting.some((each) => each.eventId === input.eventId)) return;
      waiting.push(input);
      wake();
    },
    acknowledged: () => [...acknowledged],
  };
}

function readRecords(path: string): readonly ShownRecord[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => parseRecord(line) ?? []);
}

function parseRecord(line: string): ShownRecord | null {
  if (line === "") return null;
  try {
    // Our own lines; what else may stand in the file is a line cut short.
    return JSON.parse(line) as ShownRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a crash cut short stays a line of its own. */
function endLastLine(path: string): void {
  if (existsSync(path) && !/(^|\n)$/.test(readFileSync(path, "utf8").slice(-1))) appendFileSync(path, "\n");
}

/** One write and one fsync a record, so that a killed process leaves whole lines. */
function appendRecord(path: string, record: ShownRecord): void {
  const file = openSync(path, "a+", 0o600);
  try {
    writeSync(file, `${JSON.stringify(record)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
