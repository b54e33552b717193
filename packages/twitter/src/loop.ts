import type { ClientState, Clock, Log } from "@troupe/core";
import { ClientError, errorMessage, StoreError } from "@troupe/core/errors";
import { failureFields, readFailure } from "./errors.ts";
import { keepValue } from "./kept-value.ts";

/** One time a loop does its work. The same turn has the same id, however often it is begun. */
export type Turn = { readonly id: string; readonly signal: AbortSignal };

/** Something the account does again and again. */
export type Loop = {
  readonly name: string;
  /** How long it rests between two turns, from and to. */
  readonly restMs: readonly [number, number];
  /** Whether its first turn comes at once: for what only listens. */
  readonly isEager?: boolean;
  run(turn: Turn): Promise<void>;
};

/** What a loop runs on. */
export type LoopParts = {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly state: ClientState;
  readonly log: Log;
  readonly signal: AbortSignal;
};

const firstPauseMs = 5_000;
const longestPauseMs = 15 * 60_000;
/** A turn whose time came while the program was not there comes within this share of the rest. */
const lateShare = 0.1;

/**
 * Runs a loop until the signal aborts. When its next turn is due is kept: a restart changes nothing about it. One that was
 * missed, however often, is made up for once, a while after the start and never at once. A turn that fails is tried again, as
 * the same turn; one that would go over a limit waits until it would not.
 */
export async function runLoop(loop: Loop, parts: LoopParts): Promise<void> {
  const { clock, random, signal } = parts;
  const due = await keepValue(parts.state, { key: `loop/${loop.name}`, empty: 0, read: readTime });
  const [from, to] = loop.restMs;
  const restMs = (): number => Math.round(from + (to - from) * random());
  const begunAt = clock.now();
  if (due.get() === 0) await due.change(() => begunAt + (loop.isEager === true ? 0 : restMs()));
  const madeUpAt = begunAt + (loop.isEager === true ? 0 : Math.round(restMs() * lateShare) + 1_000);
  let wakeAt = due.get() <= begunAt ? madeUpAt : due.get();
  while (!signal.aborted) {
    await clock.sleep(Math.max(0, wakeAt - clock.now()), signal);
    await untilDone(loop, `${loop.name}/${due.get()}`, parts);
    wakeAt = clock.now() + restMs();
    const next = wakeAt;
    await due.change(() => next);
  }
}

/** Tries one turn until it is done. @throws ClientError when nothing helps any more; the signal's reason. */
async function untilDone(loop: Loop, id: string, parts: LoopParts): Promise<void> {
  const { clock, log, signal } = parts;
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted();
    try {
      await loop.run({ id, signal });
      if (failures > 0) log.info({ loop: loop.name, failures }, "a loop goes on");
      return;
    } catch (error) {
      signal.throwIfAborted();
      const pauseMs = bear(error, { loop, failures, parts });
      if (pauseMs === null) return;
      await clock.sleep(pauseMs, signal);
    }
  }
}

type Trouble = { readonly loop: Loop; readonly failures: number; readonly parts: LoopParts };

/** How long to wait before the turn is tried again; null when it is left, for waiting does not mend it. @throws what is for good. */
function bear(error: unknown, { loop, failures, parts }: Trouble): number | null {
  const { clock, random, log } = parts;
  if (error instanceof ClientError && error.code === "unauthorized") throw error;
  const failure = readFailure(error, clock.now());
  const told = error instanceof StoreError ? { error: errorMessage(error) } : failureFields(failure);
  // A log's methods work on the log alone.
  const level = failures === 0 && failure.type !== "withheld" ? "warn" : "debug";
  log[level]({ loop: loop.name, ...told }, "a loop could not do its work");
  const asked = "retryInMs" in failure ? failure.retryInMs : undefined;
  if (failure.type === "refused" && asked === undefined) return null;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + random() / 2);
  return Math.max(pauseMs, asked ?? 0);
}

function readTime(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}
