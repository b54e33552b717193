import type { Clock } from "../clock.ts";
import { TroupeError } from "../errors.ts";

/** What bounds a piece of work. */
export type Bounds = {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Calls the work off. */
  readonly signal: AbortSignal;
};

/** The longest a timer can run: 2^31 - 1 ms, some 24 days; a longer one would ring at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs work until it ends, the signal aborts or its time is over, whichever comes first; in the latter cases its own signal
 * aborts and nobody waits for it any more.
 * @throws what the work throws, the signal's reason, or TroupeError `timeout`.
 */
export async function runBounded<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { clock, timeoutMs, signal }: Bounds,
): Promise<Value> {
  const own = new AbortController();
  const timer = new AbortController();
  const calledOff = Promise.withResolvers<never>();
  const callOff = (reason: unknown): void => {
    calledOff.reject(reason);
    own.abort(reason);
  };
  const onAbort = (): void => callOff(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timeUp = clock.sleep(Math.min(timeoutMs, longestTimerMs), timer.signal).then(
    () => callOff(new TroupeError("timeout", `it took longer than ${timeoutMs} ms`)),
    () => undefined,
  );
  try {
    return await Promise.race([begin(work, own.signal), calledOff.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.abort();
    await timeUp;
  }
}

/** What throws at once is rejected like what throws later; what was called off before is not begun. */
async function begin<Value>(work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return work(signal);
}
