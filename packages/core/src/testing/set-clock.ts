import type { Clock } from "../clock.ts";

/** A clock that stands still until told to move. */
export type SetClock = Clock & {
  /** Moves on and wakes, in order, everybody whose time has come; lets what they start run before it resolves. */
  advance(ms: number): Promise<void>;
  /** How many are waiting. */
  sleepers(): number;
};

type Sleeper = { readonly at: number; readonly wake: () => void };

/** Starts at `startAt`, epoch milliseconds. */
export function createSetClock(startAt = Date.UTC(2026, 0, 1)): SetClock {
  let now = startAt;
  const sleepers = new Set<Sleeper>();
  const nextBy = (limit: number): Sleeper | undefined =>
    [...sleepers].filter(({ at }) => at <= limit).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    sleepers: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    async advance(ms) {
      await settle();
      const end = now + ms;
      for (let next = nextBy(end); next; next = nextBy(end)) {
        now = next.at;
        next.wake();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

/** Lets promises and immediates that are due run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
