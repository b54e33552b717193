import type { Clock, JsonObject, LanguageModel, Log, ModelError, ModelEvent, ModelRequest } from "@troupe/core";
import { silentLog } from "@troupe/core/log";
import { runAttempt, toUsage } from "./attempt.ts";
import { type FailureContext, toAbortedError, toModelError, toTimeoutError } from "./errors.ts";
import { explainMissing, pickModel } from "./list-models.ts";
import { priceOf } from "./prices.ts";
import { type GenerationDefaults, toVendorRequest } from "./prompt.ts";
import { DEFAULT_RETRY, type RetryPolicy, retryDelay } from "./retry.ts";
import { type ModelSpec, modelId, type ResolvedSpec, resolveSpec } from "./spec.ts";
import { openVendorModel, type VendorModel } from "./vendor.ts";
import { createWatchdog, DEFAULT_TIMEOUTS, type Timeouts } from "./watchdog.ts";

/** What a language model needs beside its spec. */
export type LanguageModelOptions = {
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly log?: Log;
  readonly retry?: Partial<RetryPolicy>;
  readonly timeouts?: Partial<Timeouts>;
  readonly defaults?: GenerationDefaults;
};

/**
 * A model of a vendor or of a server that speaks a vendor's language. Calls that fail before anything was said are repeated;
 * one that breaks later is not: its error says so, and the caller decides.
 * @throws ConfigError when the spec lacks a key, a name or an address.
 */
export function createLanguageModel(spec: ModelSpec, options: LanguageModelOptions): LanguageModel {
  const resolved = resolveSpec(spec);
  const parts: Parts = {
    spec: resolved,
    clock: options.clock,
    random: options.random,
    log: options.log ?? silentLog,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    defaults: options.defaults ?? {},
    open: createOpener(resolved),
  };
  return { id: modelId(spec), stream: (request) => streamAnswer(parts, request) };
}

type Parts = {
  readonly spec: ResolvedSpec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly defaults: GenerationDefaults;
  readonly open: (signal: AbortSignal) => Promise<OpenModel>;
};

type OpenModel = { readonly name: string; readonly vendor: VendorModel };

/** Opens the vendor's model once. A failure is not kept: the next call tries again. */
function createOpener(spec: ResolvedSpec): (signal: AbortSignal) => Promise<OpenModel> {
  let opened: OpenModel | undefined;
  return async (signal) => {
    if (opened !== undefined) return opened;
    const name = spec.name ?? (await pickModel(spec, signal));
    opened = { name, vendor: await openVendorModel(spec, name) };
    return opened;
  };
}

async function* streamAnswer(parts: Parts, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { clock, retry, spec } = parts;
  const call: Call = {
    request,
    wholeDueMs: clock.now() + parts.timeouts.wholeMs,
    model: spec.name ?? "auto",
    hasSpoken: false,
  };
  const notes: JsonObject[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const event of streamOnce(parts, call)) {
        yield event.type === "finish" && notes.length > 0 ? { ...event, notes } : event;
      }
      return;
    } catch (error) {
      const failure = await explainMissing(
        toModelError(error, contextOf(parts, call)),
        spec,
        call.model,
        request.signal,
      );
      const waitMs = retryDelay(retry, attempt, failure.retryAfterMs, parts.random);
      const isWorthIt = failure.code === "unavailable" && !call.hasSpoken && attempt < retry.attempts;
      if (!isWorthIt || waitMs > retry.maxMs || clock.now() + waitMs >= call.wholeDueMs) throw failure;
      notes.push({
        type: "retry",
        model: `${spec.provider}:${call.model}`,
        attempt,
        waitMs,
        code: failure.code,
        message: failure.message,
      });
      parts.log.warn({ model: modelId(spec), attempt, waitMs, code: failure.code }, failure.message);
      await waitFor(parts, call, waitMs);
    }
  }
}

/** What is known about one call of `stream` while it goes on. */
type Call = {
  readonly request: ModelRequest;
  readonly wholeDueMs: number;
  /** The name once it is known. */
  model: string;
  hasSpoken: boolean;
};

function contextOf({ spec, clock }: Parts, { model, hasSpoken, request }: Call): FailureContext {
  return { spec, model, hasSpoken, hasTools: Boolean(request.tools?.length), nowMs: clock.now() };
}

async function* streamOnce(parts: Parts, call: Call): AsyncGenerator<ModelEvent> {
  const { spec, timeouts, clock } = parts;
  const { request } = call;
  const watchdog = createWatchdog({
    clock,
    timeouts,
    wholeDueMs: call.wholeDueMs,
    caller: request.signal,
    toAborted: () => toAbortedError(contextOf(parts, call)),
    toTimeout: (kind, ms) => toTimeoutError(kind, ms, contextOf(parts, call)),
  });
  try {
    watchdog.signal.throwIfAborted();
    const vendorRequest = toVendorRequest(spec.provider, request, parts.defaults, watchdog.signal);
    const { name, vendor } = await watchdog.race(parts.open(watchdog.signal));
    call.model = name;
    // OpenAI's own API knows no stop words; the others mind them themselves.
    const stop = spec.provider === "openai" ? (request.stop ?? []) : [];
    for await (const event of runAttempt({ vendor, request: vendorRequest, watchdog, stop })) {
      watchdog.signal.throwIfAborted();
      call.hasSpoken = true;
      if (event.type !== "end") {
        yield event;
        continue;
      }
      const costMicrousd = priceOf(name, spec.baseUrl, event.tokens);
      const cost = costMicrousd === undefined ? {} : { costMicrousd };
      yield {
        type: "finish",
        reason: event.reason,
        usage: toUsage(event.tokens),
        model: `${spec.provider}:${name}`,
        ...cost,
      };
    }
  } catch (error) {
    throw watchdog.signal.aborted ? watchdog.signal.reason : error;
  } finally {
    watchdog.close();
  }
}

async function waitFor(parts: Parts, call: Call, waitMs: number): Promise<void> {
  try {
    await parts.clock.sleep(waitMs, call.request.signal);
  } catch (error) {
    throw call.request.signal.aborted ? toAbortedError(contextOf(parts, call)) : (error as ModelError);
  }
}
