import { TroupeError } from "../errors.ts";
import type { JsonObject } from "../json.ts";

/** How long to wait before trying again: `initialMs`, then each time `multiplier` times as long, at most `maxMs`. */
export type Backoff = { readonly initialMs: number; readonly multiplier: number; readonly maxMs: number };

/** How jobs of one kind are done. */
export type JobHandler = {
  /**
   * Does one job. A crash may let it run again, so it must do no harm twice: what it writes gets ids derived from the payload.
   * It ends when the signal aborts (a stop, or its time is over): nobody waits for it after that. Throwing means: try again.
   * `attempt` counts how often the job was begun, this time included; tries that a crash cut short too.
   */
  readonly run: (payload: JsonObject, signal: AbortSignal, attempt: number) => Promise<void>;
  /** It loses nothing when it is called off: nobody waits for it when the agent stops. */
  readonly isResumable?: boolean;
  /** One attempt is called off after this; 600,000 when absent. */
  readonly timeoutMs?: number;
  /** How often a job is tried in all, at least 1; 5 when absent. */
  readonly attempts?: number;
  /** 5 s, then 20 s, 80 s and so on up to an hour when absent. An error's `retryAfterMs` makes it longer. */
  readonly backoff?: Backoff;
};

/** What a handler that does not say otherwise keeps to. */
export const handlerDefaults = {
  timeoutMs: 600_000,
  attempts: 5,
  backoff: { initialMs: 5_000, multiplier: 4, maxMs: 3_600_000 },
} as const;

/** Milliseconds until a job is tried again whose attempt number `attempts` (from 1) ended in `error`; a whole number. */
export function retryDelayMs({ initialMs, multiplier, maxMs }: Backoff, attempts: number, error: unknown): number {
  const backoffMs = Math.min(maxMs, initialMs * multiplier ** (attempts - 1));
  const askedMs = error instanceof TroupeError ? (error.retryAfterMs ?? 0) : 0;
  return Math.ceil(Math.max(backoffMs, askedMs));
}
