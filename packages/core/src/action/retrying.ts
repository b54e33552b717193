import type { Clock } from "../clock.ts";
import { isAbort, TroupeError } from "../errors.ts";
import type { RetryPolicy } from "./policy.ts";

/** What trying needs. */
export type RetryParts = {
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the waits. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** A further say in whether an error is worth another attempt; absent: {@link isWorthRetrying} alone decides. */
  readonly mayRetry?: (error: unknown) => boolean;
};

/** What came of the attempts: the first result, or the last error. */
export type Tried<T> =
  | { readonly ok: true; readonly result: T; readonly attempts: number }
  | { readonly ok: false; readonly error: unknown; readonly attempts: number };

/**
 * Does work again when it throws, as often as the policy says, with exponential waits of which the second half is left to
 * chance. Whatever it returns is an answer and stands. An error that says how long to wait (`retryAfterMs`) is obeyed, and
 * final when that is longer than the policy ever waits. `attempt` counts from 1.
 * @throws the signal's reason, and nothing else, when called off.
 */
export async function retrying<T>(
  work: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  { clock, random, signal, mayRetry }: RetryParts,
): Promise<Tried<T>> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return { ok: true, result: await work(attempt), attempts: attempt };
    } catch (error) {
      signal.throwIfAborted();
      const askedMs = (error instanceof TroupeError ? error.retryAfterMs : undefined) ?? 0;
      const isLast = attempt >= policy.attempts || askedMs > policy.maxMs;
      if (isLast || !isWorthRetrying(error) || mayRetry?.(error) === false) {
        return { ok: false, error, attempts: attempt };
      }
      await clock.sleep(Math.max(askedMs, retryWaitMs(policy, attempt, random)), signal);
    }
  }
}

/** How long to wait after the failed attempt of this number: between half and the whole of the policy's time. */
export function retryWaitMs(policy: RetryPolicy, attempt: number, random: () => number): number {
  const { initialMs, multiplier, maxMs } = policy;
  if (initialMs <= 0) return 0;
  return Math.min(maxMs, initialMs * multiplier ** (attempt - 1)) * (0.5 + random() / 2);
}

/** False for what another attempt cannot mend: wrong input, a missing thing, a refused key, an exhausted limit, a call off. */
export function isWorthRetrying(error: unknown): boolean {
  if (isAbort(error)) return false;
  if (!(error instanceof TroupeError)) return true;
  switch (error.code) {
    case "invalid":
    case "not_found":
    case "unauthorized":
    case "exhausted":
    case "aborted":
    case "corrupt":
      return false;
    case "conflict":
    case "unavailable":
    case "timeout":
    case "internal":
      return true;
  }
}
