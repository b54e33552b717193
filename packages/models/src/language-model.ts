import type { Clock, JsonObject, Log, ModelEvent } from "@troupe/core";
import { silentLog } from "@troupe/core/log";
import { runAttempt, toUsage } from "./attempt.ts";
import { type FailureContext, toAbortedError, toModelError, toTimeoutError } from "./errors.ts";
import { pickModel } from "./list-models.ts";
import { priceOf } from "./prices.ts";
import { type GenerationDefaults, type PicturedRequest, toVendorRequest } from "./prompt.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
import { waitToRetry } from "./retry-call.ts";
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

/** A language model that can be shown a picture with a request, where the model behind it can see. */
export interface PicturedModel {
  readonly id: string;
  /** @throws ModelError as `LanguageModel.stream`. */
  stream(request: PicturedRequest): AsyncIterable<ModelEvent>;
}

/**
 * A model of a vendor or of a server that speaks a vendor's language. Calls that fail before anything was said are repeated;
 * one that breaks later is not: its error says so, and the caller decides.
 * @throws ConfigError when the spec lacks a key, a name or an address.
 */
export function createLanguageModel(spec: ModelSpec, options: LanguageModelOptions): PicturedModel {
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
    takesSchemas: { value: true },
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
  /** Until the model refuses one. */
  readonly takesSchemas: { value: boolean };
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

async function* streamAnswer(parts: Parts, request: PicturedRequest): AsyncGenerator<ModelEvent> {
  const { clock, spec } = parts;
  const call: Call = {
    request,
    signal: request.signal,
    wholeDueMs: clock.now() + parts.timeouts.wholeMs,
    model: spec.name ?? "auto",
    hasSpoken: false,
    isPlain: false,
  };
  const notes: JsonObject[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const event of streamOnce(parts, call)) {
        yield event.type === "finish" && notes.length > 0 ? { ...event, notes } : event;
      }
      return;
    } catch (error) {
      const failed = { error, context: contextOf(parts, call) };
      if (withoutSchema(parts, call, failed)) continue;
      notes.push(await waitToRetry(parts, call, attempt, failed));
    }
  }
}

/** Many servers take no schema: they are asked again without one; whoever asks for an object checks it anyway. */
function withoutSchema(
  parts: Parts,
  call: Call,
  { error, context }: { error: unknown; context: FailureContext },
): boolean {
  const hadSchema = call.request.responseSchema !== undefined && parts.takesSchemas.value && !call.isPlain;
  if (!hadSchema || call.hasSpoken || toModelError(error, context).code !== "invalid") return false;
  call.isPlain = true;
  return true;
}

/** What is known about one call of `stream` while it goes on. */
type Call = {
  readonly request: PicturedRequest;
  readonly signal: AbortSignal;
  readonly wholeDueMs: number;
  /** The name once it is known. */
  model: string;
  hasSpoken: boolean;
  /** Its schema was refused, and it is asked without. */
  isPlain: boolean;
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
    const { responseSchema: _refused, ...plain } = request;
    const asked = parts.takesSchemas.value && !call.isPlain ? request : plain;
    const vendorRequest = toVendorRequest(spec.provider, asked, parts.defaults, watchdog.signal);
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
      // It was the schema: it is not tried again.
      if (call.isPlain) parts.takesSchemas.value = false;
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
