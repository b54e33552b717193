import type { Clock } from "@troupe/core";

/** A clock that stands still until a test moves it. */
export type SetClock = Clock & {
  /** Moves on and wakes whoever has waited long enough. */
  advance(ms: number): void;
  /** Waits that were skipped, in order, in milliseconds. */
  readonly skipped: readonly number[];
};

/** Waits up to `skipUpToMs` are over at once (and move the clock); longer ones last until the test moves it. */
export function createSetClock(skipUpToMs = 0): SetClock {
  const sleepers = new Set<{ readonly dueMs: number; readonly wake: () => void }>();
  const skipped: number[] = [];
  let nowMs = Date.parse("2026-11-20T12:00:00Z");
  return {
    skipped,
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
      for (const { dueMs, wake } of sleepers) if (dueMs <= nowMs) wake();
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms <= skipUpToMs) {
        skipped.push(ms);
        nowMs += ms;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { dueMs: nowMs + ms, wake: resolve };
      const onAbort = (): void => reject(signal?.reason);
      sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        await promise;
      } finally {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", onAbort);
      }
    },
  };
}
