import { type Clock, noLongerNeeded } from "../clock.ts";
import { TroupeError } from "../errors.ts";

/** How long work may take, and who may call it off. */
export type TimeLimit = {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What the work is called in the error, e.g. `Action WEATHER`. */
  readonly name: string;
};

/**
 * Does work within a time limit. The work's own signal is aborted when the time is over or the outer signal aborts; neither
 * waits for the work to notice, and what it does afterwards, failing included, is nobody's concern any more.
 * @throws TroupeError `timeout` when the time is over; the outer signal's reason when it aborts; else what the work throws.
 */
export async function runWithTimeout<T>(work: (signal: AbortSignal) => Promise<T>, limit: TimeLimit): Promise<T> {
  const { timeoutMs, clock, signal, name } = limit;
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const onAbort = (): void => {
    inner.abort(signal.reason);
    timer.abort(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const end = clock.sleep(timeoutMs, timer.signal).then(() => {
    const late = new TroupeError(
      "timeout",
      `${name} took longer than its limit of ${timeoutMs} ms and was called off.`,
    );
    inner.abort(late);
    throw late;
  });
  try {
    return await Promise.race([end, start(work, inner.signal)]);
  } catch (error) {
    // Work that heeds its signal may fail first; what called it off is the reason all the same.
    if (inner.signal.aborted) throw inner.signal.reason;
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.abort(noLongerNeeded);
  }
}

/** Work that throws before its first promise fails like any other. */
async function start<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
