/**
 * What a caller can do about an error; stable, for programs.
 * - `invalid`: the input is wrong: correct it. `not_found`: name another one. `conflict`: somebody was faster: read again.
 * - `unauthorized`: replace the key. `unavailable`: try again later (see `retryAfterMs`). `exhausted`: a limit, budget or disk is full.
 * - `aborted`: it was called off. `timeout`: it took too long. `corrupt`: stored data is damaged. `internal`: a defect of ours.
 */
export type ErrorCode =
  | "invalid"
  | "not_found"
  | "conflict"
  | "unauthorized"
  | "unavailable"
  | "exhausted"
  | "aborted"
  | "timeout"
  | "corrupt"
  | "internal";

/** What an error may carry beside its message. */
export type ErrorDetails = { readonly cause?: unknown; readonly retryAfterMs?: number };

/** The family's head. The message names the actor, the object and the remedy; never a secret or a user's text. */
export class TroupeError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** A model could not answer: wrong key, unknown name, overload, a broken stream. */
export class ModelError extends TroupeError {}

/** The store could not read or keep something: full disk, read-only home, damage, a lost lease. */
export class StoreError extends TroupeError {}

/** A platform refused or could not be reached. */
export class ClientError extends TroupeError {}

/** A character, setting or command is not usable as it is. */
export class ConfigError extends TroupeError {}

/** A plugin's input is wrong; plugins may throw it. */
export class ValidationError extends TroupeError {
  constructor(message: string, details: ErrorDetails = {}) {
    super("invalid", message, details);
  }
}

/** An action failed. `action` is its registered name. */
export class ActionError extends TroupeError {
  readonly action: string;

  constructor(action: string, message: string, details: ErrorDetails = {}) {
    super("internal", message, details);
    this.action = action;
  }
}

/** True when the error says that the work was called off, by us or by a signal's own reason. */
export function isAbort(error: unknown): boolean {
  if (error instanceof TroupeError) return error.code === "aborted";
  return error instanceof Error && error.name === "AbortError";
}

/** What to tell about anything thrown: its message, without a stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
