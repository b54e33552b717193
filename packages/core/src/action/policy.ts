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

/** What an action declares about how it may run; the engine keeps to it. */
export type ActionPolicy = {
  /** The handler is called off after this; 60,000 when absent. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly rateLimit?: { readonly limit: number; readonly windowMs: number; readonly per: Scope };
  /** Never runs twice at once in this scope; the second waits. */
  readonly exclusive?: Scope;
  /** Actions that must have succeeded earlier in the run. */
  readonly dependencies?: readonly string[];
  /** Safe to run again when a crash hid its result. */
  readonly idempotent?: boolean;
};
