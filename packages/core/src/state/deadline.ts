import { type Clock, noLongerNeeded } from "../clock.ts";

/** The work's result, or a rejection once `timeoutMs` are over; the work itself goes on, and its late failure harms nobody. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, clock: Clock): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(timeoutMs, done.signal).then(() => {
    throw new Error(`took longer than ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    work.catch(() => undefined);
    done.abort(noLongerNeeded);
  }
}
