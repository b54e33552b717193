import type { Clock } from "@troupe/core";
import type { Fields } from "./payload.ts";

/**
 * How important a call is. `first`: answering people. `post`: what the character says by itself. `engagement`: likes and what
 * else nobody waits for. Each leaves a reserve for those before it.
 */
export type Importance = "first" | "post" | "engagement";

/** Of a window's calls so large a share stays free for what is more important. */
const reserves: Readonly<Record<Importance, number>> = { first: 0, post: 0.15, engagement: 0.35 };

/** What may be called when, by X's own headers; one of an account. */
export type Budget = {
  /** 0 when the endpoint (`POST /2/tweets`) may be called now; else the milliseconds to wait. */
  waitMs(endpoint: string, importance: Importance): number;
  /** A call is made: it counts until X says how many are left. */
  begin(endpoint: string): void;
  /** What X says in the headers of an answer, a refusal too; whether it says anything. */
  note(endpoint: string, headers: Fields): boolean;
  /** X asked to wait without saying in its headers why. */
  pause(endpoint: string, ms: number): void;
};

type Window = { readonly limit: number; remaining: number; readonly resetAt: number };

const windows = ["x-rate-limit", "x-user-limit-24hour", "x-app-limit-24hour"] as const;

/** A budget that knows nothing yet: everything may be called until X says otherwise. */
export function createBudget(clock: Pick<Clock, "now">): Budget {
  const known = new Map<string, Map<string, Window>>();
  const pausedUntil = new Map<string, number>();
  return {
    waitMs(endpoint, importance) {
      const now = clock.now();
      const waits = [...(known.get(endpoint)?.values() ?? [])].map(({ limit, remaining, resetAt }) => {
        const isFree = resetAt <= now || remaining > Math.floor(limit * reserves[importance]);
        return isFree ? 0 : resetAt - now;
      });
      return Math.max(0, (pausedUntil.get(endpoint) ?? 0) - now, ...waits);
    },
    begin(endpoint) {
      for (const window of known.get(endpoint)?.values() ?? []) window.remaining -= 1;
    },
    note(endpoint, headers) {
      const read = new Map<string, Window>();
      for (const name of windows) {
        const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((part) =>
          Number(headers[`${name}-${part}`] ?? Number.NaN),
        );
        if (!limit || remaining === undefined || !Number.isFinite(remaining) || !reset) continue;
        const before = known.get(endpoint)?.get(name);
        const resetAt = reset * 1_000;
        // Answers may overtake each other: within one window the lower count is the later one.
        const least = before?.resetAt === resetAt ? Math.min(before.remaining, remaining) : remaining;
        read.set(name, { limit, remaining: least, resetAt });
      }
      if (read.size > 0) known.set(endpoint, read);
      return read.size > 0;
    },
    pause(endpoint, ms) {
      pausedUntil.set(endpoint, clock.now() + ms);
    },
  };
}
