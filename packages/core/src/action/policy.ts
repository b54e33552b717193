/** How failures are tried again: after `initialMs`, then each time `multiplier` times as long, at most `maxMs`. */
export type RetryPolicy = {
  /** How often it is tried in all, at least 1. */
  readonly attempts: number;
  readonly initialMs: number;
  readonly multiplier: number;
  readonly maxMs: number;
};

/** Whom a limit or a lock counts for: who speaks, where, or the agent as a whole. */
export type Scope = "entity" | "room" | "agent";

/** At most so many calls in any stretch of `windowMs`; 1 to 1,000. */
export type RateLimit = { readonly limit: number; readonly windowMs: number; readonly per: Scope };

/** What an action declares about how it may run; the engine keeps to it. */
export type ActionPolicy = {
  /** Each attempt of the handler is called off after this; 60,000 when absent. */
  readonly timeoutMs?: number;
  /**
   * What is thrown is tried again; a returned failure is an answer and stands. An attempt whose time was over may still be at
   * work: it is tried again only where `idempotent` says that this does no harm, and never beside `exclusive`.
   */
  readonly retry?: RetryPolicy;
  readonly rateLimit?: RateLimit;
  /** Never runs twice at once in this scope; the second waits. */
  readonly exclusive?: Scope;
  /** Calls with the same key wait for each other, in order, whatever their actions; 1..100 characters. */
  readonly queueKey?: string;
  /** So many calls of its queue run at once, 1 to 1,000: 1 when absent. Without a queueKey the queue is the action's own. */
  readonly concurrency?: number;
  /** Actions that must have succeeded earlier in the run. */
  readonly dependencies?: readonly string[];
  /** Safe to run again when a crash hid its result. */
  readonly idempotent?: boolean;
};
