import type { Schedule } from "../store/tasks.ts";

/** When and by whose clocks words are read. */
export type ReadingTime = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** An IANA name. */
  readonly timeZone: string;
};

/** A schedule somebody meant, or one sentence that says what to write instead. */
export type WhenReading =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly error: string };

/** A reading of the part of a text from `start` to `end`. */
export type FoundWhen = WhenReading & { readonly start: number; readonly end: number };

/** A reading of tokens: a schedule or an error, and how many tokens it took. */
export type TokenReading = WhenReading & { readonly length: number };

/** What to write where nothing else helps. */
export const forms =
  "write it like “in 2 hours”, “tomorrow at 8”, “every Monday at 9”, “every 15 minutes”, “2026-03-01 14:00” or as a cron expression";

/** An error with its remedy. */
export function unreadable(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}
