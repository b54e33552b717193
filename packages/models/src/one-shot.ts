import type { Clock, JsonObject, Log } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import { silentLog } from "@troupe/core/log";
import { type FailureContext, toAbortedError, toTimeoutError } from "./errors.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
import { waitToRetry } from "./retry-call.ts";
import type { ModelSpec } from "./spec.ts";
import { type ResolvedSpec, resolveSpec } from "./spec.ts";
import { createWatchdog, DEFAULT_TIMEOUTS } from "./watchdog.ts";

/** What a model that answers at once needs beside its spec. */
export type OneShotOptions = {
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly log?: Log;
  readonly retry?: Partial<RetryPolicy>;
  /** For one attempt, and for all of them together. */
  readonly timeouts?: { readonly attemptMs?: number; readonly wholeMs?: number };
};

/** What one attempt is made with. */
export type Attempt = { readonly name: string; readonly signal: AbortSignal };

/** Calls one model, with retries and limits of time. */
export type OneShot = {
  readonly spec: ResolvedSpec;
  /** The vendor's name of the model. */
  readonly name: string;
  /**
   * @throws ModelError whatever `work` throws, translated, after the retries; `timeout`, `aborted`.
   */
  ask<Value>(signal: AbortSignal, work: (attempt: Attempt) => PromiseLike<Value>): Promise<Asked<Value>>;
};

/** An answer, and what happened on the way. */
export type Asked<Value> = { readonly value: Value; readonly notes: readonly JsonObject[] };

/**
 * The way to ask one model that answers at once. `makes`: what it is asked for, as a message says it.
 * @throws ConfigError when the spec lacks a key, a name or an address, or is Anthropic's, which makes none of this.
 */
export function createOneShot(given: ModelSpec, options: OneShotOptions, makes: string): OneShot {
  const spec = resolveSpec(given);
  refuseAnthropic(spec, makes);
  const name = spec.name ?? "auto";
  const { clock, random, log = silentLog } = options;
  const parts = { spec, clock, random, log, retry: { ...DEFAULT_RETRY, ...options.retry } };
  const wholeMs = options.timeouts?.wholeMs ?? DEFAULT_TIMEOUTS.wholeMs;
  const attemptMs = options.timeouts?.attemptMs ?? wholeMs;
  const context = (): FailureContext => ({
    spec,
    model: name,
    hasSpoken: false,
    isOneShot: true,
    nowMs: clock.now(),
  });
  const attemptOnce = async <Value>(
    caller: AbortSignal,
    wholeDueMs: number,
    work: (attempt: Attempt) => PromiseLike<Value>,
  ): Promise<Value> => {
    const watchdog = createWatchdog({
      clock,
      timeouts: { firstDeltaMs: attemptMs, idleMs: attemptMs, wholeMs },
      wholeDueMs,
      caller,
      toAborted: () => toAbortedError(context()),
      toTimeout: (kind, ms) => toTimeoutError(kind, ms, context()),
    });
    try {
      watchdog.signal.throwIfAborted();
      return await watchdog.race(Promise.resolve(work({ name, signal: watchdog.signal })));
    } catch (error) {
      throw watchdog.signal.aborted ? watchdog.signal.reason : error;
    } finally {
      watchdog.close();
    }
  };
  return {
    spec,
    name,
    async ask(signal, work) {
      const call = { signal, wholeDueMs: clock.now() + wholeMs, model: name, hasSpoken: false };
      const notes: JsonObject[] = [];
      for (let attempt = 1; ; attempt++) {
        try {
          return { value: await attemptOnce(signal, call.wholeDueMs, work), notes };
        } catch (error) {
          notes.push(await waitToRetry(parts, call, attempt, { error, context: context() }));
        }
      }
    },
  };
}

function refuseAnthropic({ provider, name, setBy }: ResolvedSpec, makes: string): void {
  if (provider !== "anthropic") return;
  const where = setBy === undefined ? "" : ` (set by ${setBy})`;
  throw new ConfigError(
    "invalid",
    `Anthropic makes no ${makes}, so ${name}${where} cannot; name a model of OpenAI or of a server that speaks like it`,
  );
}
