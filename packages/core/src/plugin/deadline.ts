import { type Clock, noLongerNeeded } from "../clock.ts";
import { TroupeError } from "../errors.ts";

/** How long something may take, and what is told when it takes longer. */
export type Deadline = { readonly clock: Clock; readonly timeoutMs: number; readonly what: string };

/**
 * Waits for `work`, but not longer than the deadline. What comes later is handed to `onLate`, so that it can be put away.
 * @throws TroupeError `timeout` naming what was waited for; whatever `work` throws in time.
 */
export async function withinDeadline<Value>(
  work: () => Promise<Value> | Value,
  { clock, timeoutMs, what }: Deadline,
  onLate?: (value: Value) => void,
): Promise<Value> {
  const done = new AbortController();
  let isLate = false;
  const late = clock.sleep(timeoutMs, done.signal).then(() => {
    isLate = true;
    throw new TroupeError("timeout", `${what} took longer than ${timeoutMs} ms`);
  });
  const working = Promise.resolve().then(work);
  working.then(
    (value) => {
      if (isLate) onLate?.(value);
    },
    () => undefined,
  );
  try {
    return await Promise.race([working, late]);
  } finally {
    late.catch(() => undefined);
    done.abort(noLongerNeeded);
  }
}
