import type { Clock } from "../clock.ts";
import { TroupeError } from "../errors.ts";
import { createLocks } from "./locks.ts";
import type { RateLimit } from "./policy.ts";

/** What counting needs of the store's key values: reading, and setting when nobody was faster. */
export type CountStore = {
  get(
    agentId: string,
    namespace: string,
    key: string,
  ): Promise<{ readonly value: string; readonly version: number } | null>;
  set(
    agentId: string,
    namespace: string,
    key: string,
    put: { readonly value: string; readonly ifVersion?: number; readonly expiresAt?: number },
  ): Promise<boolean>;
};

/** Whether one more call fits, or when the next one will. */
type Taken = { readonly ok: true } | { readonly ok: false; readonly retryInMs: number };

/** Counts calls by action and scope. */
export interface RateLimits {
  /**
   * Counts one call if it fits. `scope` is a {@link scopeId}.
   * @throws StoreError when the count cannot be read or kept; TroupeError `conflict` when others kept being faster.
   */
  take(action: string, limit: RateLimit, scope: string): Promise<Taken>;
}

const namespace = "action-rate-limit";
const mostTries = 50;
const never = new AbortController().signal;

/**
 * Rate limits that hold over restarts: the times of the calls of the last `windowMs` are kept, so that never more than `limit`
 * fall into any stretch of that length, wherever it begins (a sliding window, exact). Calls at once are counted one after the
 * other; those of another process are seen by the version of what it wrote. A refused call counts for nothing.
 */
export function createRateLimits(parts: {
  readonly keyValues: CountStore;
  readonly clock: Pick<Clock, "now">;
  readonly agentId: string;
}): RateLimits {
  const turns = createLocks();
  return {
    take: (action, limit, scope) => {
      const key = JSON.stringify([action, scope]);
      return turns.withLock(key, () => takeInTurn(key, limit, parts), { signal: never });
    },
  };
}

async function takeInTurn(
  key: string,
  { limit, windowMs }: RateLimit,
  { keyValues, clock, agentId }: Parameters<typeof createRateLimits>[0],
): Promise<Taken> {
  for (let attempt = 0; attempt < mostTries; attempt++) {
    const stored = await keyValues.get(agentId, namespace, key);
    const now = clock.now();
    // A clock that was set back must not keep a scope waiting longer than one window.
    const times = readTimes(stored?.value).map((at) => Math.min(at, now));
    const recent = times.filter((at) => at > now - windowMs).sort((left, right) => left - right);
    const mustPass = recent.at(-limit);
    if (mustPass !== undefined && recent.length >= limit) return { ok: false, retryInMs: mustPass + windowMs - now };
    const put = { value: JSON.stringify([...recent, now]), expiresAt: now + windowMs, ifVersion: stored?.version ?? 0 };
    if (await keyValues.set(agentId, namespace, key, put)) return { ok: true };
  }
  throw new TroupeError(
    "conflict",
    "The calls could not be counted: other processes count the same ones all the time.",
  );
}

function readTimes(text: string | undefined): number[] {
  if (text === undefined) return [];
  try {
    const times: unknown = JSON.parse(text);
    return Array.isArray(times) ? times.filter((at): at is number => typeof at === "number") : [];
  } catch {
    return [];
  }
}
