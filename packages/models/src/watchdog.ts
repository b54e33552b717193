import type { Clock, ModelError } from "@troupe/core";
import type { TimeoutKind } from "./errors.ts";

/** Limits of time for one answer. */
export type Timeouts = {
  /** Until the model begins to think or speak, for each attempt. */
  readonly firstDeltaMs: number;
  /** Between two signs of life once it has begun. */
  readonly idleMs: number;
  /** For the whole answer, all attempts together. */
  readonly wholeMs: number;
};

/** One minute to begin, one minute of silence, five minutes in all. */
export const DEFAULT_TIMEOUTS: Timeouts = { firstDeltaMs: 60_000, idleMs: 60_000, wholeMs: 300_000 };

/**
 * Watches over one attempt. Waiting → begun (`begin`) → over (`close`), or called off at any moment: by the caller's signal
 * or by a limit that ran out. `signal` then aborts with the ModelError that says which.
 */
export type Watchdog = {
  readonly signal: AbortSignal;
  /** The model has begun: from now on silence counts, not the wait. */
  begin(): void;
  /** Something came, so the silence is over. */
  alive(): void;
  /** What `work` resolves to; rejects as soon as the attempt is called off. */
  race<Value>(work: Promise<Value>): Promise<Value>;
  /** Ends the watch and calls off whatever is still under way. */
  close(): void;
};

/** What a watchdog needs. */
export type WatchdogParts = {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** Milliseconds since the epoch at which the whole answer has to be there. */
  readonly wholeDueMs: number;
  readonly caller: AbortSignal;
  readonly toAborted: () => ModelError;
  readonly toTimeout: (kind: TimeoutKind, ms: number) => ModelError;
};

/** Starts to watch at once. */
export function createWatchdog(parts: WatchdogParts): Watchdog {
  const { clock, timeouts, wholeDueMs, caller } = parts;
  const attempt = new AbortController();
  const over = new AbortController();
  const calledOff = new Promise<never>((_resolve, reject) => {
    attempt.signal.addEventListener("abort", () => reject(attempt.signal.reason), { once: true });
  });
  calledOff.catch(ignoreHandledElsewhere);
  const onCallerAbort = (): void => attempt.abort(parts.toAborted());
  if (caller.aborted) onCallerAbort();
  caller.addEventListener("abort", onCallerAbort, { once: true });

  let hasBegun = false;
  let dueMs = clock.now() + timeouts.firstDeltaMs;
  const alive = (): void => {
    if (hasBegun) dueMs = clock.now() + timeouts.idleMs;
  };
  const watch = async (): Promise<void> => {
    while (!attempt.signal.aborted) {
      const leftMs = Math.min(dueMs, wholeDueMs) - clock.now();
      if (leftMs <= 0) return attempt.abort(expired());
      // Never longer than a silence may last: the model may begin meanwhile, and then less time is left.
      await clock.sleep(Math.min(leftMs, timeouts.idleMs), over.signal);
    }
  };
  const expired = (): ModelError => {
    if (wholeDueMs <= dueMs) return parts.toTimeout("whole", timeouts.wholeMs);
    return hasBegun ? parts.toTimeout("idle", timeouts.idleMs) : parts.toTimeout("first-delta", timeouts.firstDeltaMs);
  };
  watch().catch(ignoreHandledElsewhere);

  return {
    signal: attempt.signal,
    begin() {
      hasBegun = true;
      alive();
    },
    alive,
    race: (work) => Promise.race([work, calledOff]),
    close() {
      caller.removeEventListener("abort", onCallerAbort);
      over.abort();
      attempt.abort(parts.toAborted());
    },
  };
}

/** For promises whose rejection somebody else already deals with, or that only says that a wait is over. */
function ignoreHandledElsewhere(): undefined {
  return undefined;
}
