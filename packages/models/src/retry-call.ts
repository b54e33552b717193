import type { Clock, JsonObject, Log } from "@troupe/core";
import { type FailureContext, toAbortedError, toModelError } from "./errors.ts";
import { explainMissing } from "./list-models.ts";
import { type RetryPolicy, retryDelay } from "./retry.ts";
import { modelId, type ResolvedSpec } from "./spec.ts";

/** What repeating a call needs. */
export type RetryParts = {
  readonly spec: ResolvedSpec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly retry: RetryPolicy;
};

/** One call under way, all its attempts together. */
export type CallState = {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch at which the whole answer has to be there. */
  readonly wholeDueMs: number;
  /** The name once it is known. */
  readonly model: string;
  readonly hasSpoken: boolean;
};

/**
 * After the `attempt`-th (1-based) failed: waits until it may be repeated, and returns the note of it.
 * @throws ModelError what went wrong, when repeating is not worth it or the wait is too long; `aborted` when it is called off.
 */
export async function waitToRetry(
  parts: RetryParts,
  call: CallState,
  attempt: number,
  { error, context }: { readonly error: unknown; readonly context: FailureContext },
): Promise<JsonObject> {
  const { spec, clock, retry, random, log } = parts;
  const failure = await explainMissing(toModelError(error, context), spec, call.model, call.signal);
  const waitMs = retryDelay(retry, attempt, failure.retryAfterMs, random);
  const isWorthIt = failure.code === "unavailable" && !call.hasSpoken && attempt < retry.attempts;
  if (!isWorthIt || waitMs > retry.maxMs || clock.now() + waitMs >= call.wholeDueMs) throw failure;
  const { code, message } = failure;
  log.warn({ model: modelId(spec), attempt, waitMs, code }, message);
  try {
    await clock.sleep(waitMs, call.signal);
  } catch (interrupted) {
    throw call.signal.aborted ? toAbortedError(context) : interrupted;
  }
  return { type: "retry", model: `${spec.provider}:${call.model}`, attempt, waitMs, code, message };
}
