import { ModelError } from "@troupe/core/errors";
import { toAbortedError, toModelError, toTimeoutError } from "./errors.ts";
import { type ModelSpec, type ResolvedSpec, resolveSpec } from "./spec.ts";

/** Names listed in a message, at most. */
const SHOWN_NAMES = 12;

/** A server that cannot even say what it has within this time is not one to wait for. */
const LIST_TIMEOUT_MS = 10_000;

/**
 * The names of the models a provider offers, in its own order: one cheap request that generates nothing and also proves
 * address and key.
 * @throws ConfigError for an incomplete spec. ModelError as in `LanguageModel.stream`.
 */
export async function listModels(spec: ModelSpec, signal: AbortSignal): Promise<readonly string[]> {
  return fetchNames(resolveSpec(spec), signal);
}

/** What asking a provider for its models found. */
export type ModelCheck =
  | { readonly isOk: true; readonly model: string; readonly offered: readonly string[] }
  | { readonly isOk: false; readonly model: string; readonly error: ModelError };

/** Asks whether a model can be used: address, key and name. Generates nothing, so it costs nothing. Never throws but for an incomplete spec. */
export async function checkModel(spec: ModelSpec, signal: AbortSignal): Promise<ModelCheck> {
  const resolved = resolveSpec(spec);
  const model = `${spec.provider}:${spec.name ?? "auto"}`;
  try {
    const offered = await fetchNames(resolved, signal);
    if (spec.name === undefined) return { isOk: true, model: `${spec.provider}:${choose(resolved, offered)}`, offered };
    if (!isOffered(spec.name, offered)) return { isOk: false, model, error: toMissing(resolved, spec.name, offered) };
    return { isOk: true, model, offered };
  } catch (error) {
    return { isOk: false, model, error: toModelError(error, contextOf(resolved)) };
  }
}

/** The model to take when nobody named one: the first the server offers that can hold a conversation. */
export async function pickModel(spec: ResolvedSpec, signal: AbortSignal): Promise<string> {
  return choose(spec, await fetchNames(spec, signal));
}

/** A `not_found` of a model server, with the names it does offer; every other error as it is. */
export async function explainMissing(
  failure: ModelError,
  spec: ResolvedSpec,
  name: string,
  signal: AbortSignal,
): Promise<ModelError> {
  if (failure.code !== "not_found" || spec.name === undefined || signal.aborted) return failure;
  try {
    const offered = await fetchNames(spec, signal);
    return isOffered(name, offered) ? failure : toMissing(spec, name, offered);
  } catch {
    // The list is an extra; without it the first failure still says what is wrong.
    return failure;
  }
}

function toMissing(spec: ResolvedSpec, name: string, offered: readonly string[]): ModelError {
  const setBy = spec.setBy === undefined ? "" : ` (set by ${spec.setBy})`;
  const shown = offered.slice(0, SHOWN_NAMES).join(", ");
  const more = offered.length > SHOWN_NAMES ? ` and ${offered.length - SHOWN_NAMES} more` : "";
  const offer = offered.length === 0 ? "it offers none; load one first" : `it offers ${shown}${more}`;
  return new ModelError("not_found", `${spec.facts.title} at ${spec.baseUrl} has no model ${name}${setBy}; ${offer}`);
}

/** Models that embed, rank, hear or draw cannot hold a conversation. */
const NOT_FOR_CONVERSATION = /embed|rerank|whisper|tts|bge-|minilm|moderation|stable-diffusion|flux/i;

function choose(spec: ResolvedSpec, offered: readonly string[]): string {
  const name = offered.find((candidate) => !NOT_FOR_CONVERSATION.test(candidate));
  if (name !== undefined) return name;
  throw new ModelError(
    "not_found",
    `${spec.facts.title} at ${spec.baseUrl} offers no model for conversation; load one first (Ollama: ollama pull NAME), or name one in TROUPE_LARGE_MODEL`,
  );
}

/** True for the name itself, its dated version and its tag: `claude-haiku-4-5` is `claude-haiku-4-5-20251001`, `llama3.2` is `llama3.2:latest`. */
function isOffered(name: string, offered: readonly string[]): boolean {
  return offered.some(
    (one) =>
      one === name || one === `${name}:latest` || (one.startsWith(`${name}-`) && /-\d{8}$|-\d{4}-\d\d-\d\d$/.test(one)),
  );
}

async function fetchNames(spec: ResolvedSpec, signal: AbortSignal): Promise<readonly string[]> {
  const isAnthropic = spec.provider === "anthropic";
  const headers: Record<string, string> = { accept: "application/json" };
  if (spec.apiKey && isAnthropic)
    Object.assign(headers, { "x-api-key": spec.apiKey, "anthropic-version": "2023-06-01" });
  if (spec.apiKey && !isAnthropic) headers["authorization"] = `Bearer ${spec.apiKey}`;
  const deadline = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    const response = await fetch(`${spec.baseUrl}/models${isAnthropic ? "?limit=1000" : ""}`, {
      headers,
      signal: AbortSignal.any([signal, deadline]),
    });
    const body = await response.text();
    if (!response.ok) throw toHttpFailure(response, body);
    return readNames(body);
  } catch (error) {
    if (signal.aborted) throw toAbortedError(contextOf(spec));
    if (deadline.aborted) throw toTimeoutError("first-delta", LIST_TIMEOUT_MS, contextOf(spec));
    throw toModelError(error, contextOf(spec));
  }
}

/** A refused request in the shape `toModelError` reads. */
function toHttpFailure(response: Response, responseBody: string): Error {
  const error = new Error(`HTTP ${response.status}`);
  let data: unknown;
  try {
    data = JSON.parse(responseBody);
  } catch {
    // An error page instead of an error: its status says enough.
    data = undefined;
  }
  const facts = {
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
    data,
  };
  return Object.assign(error, facts);
}

/** `{ data: [{ id }] }`, the one list all three providers know. */
function readNames(body: string): readonly string[] {
  const parsed: unknown = JSON.parse(body);
  const list = typeof parsed === "object" && parsed !== null && "data" in parsed ? parsed.data : undefined;
  // Ollama without models says `null`.
  if (list === null) return [];
  if (!Array.isArray(list)) throw new SyntaxError("the list of models has no data");
  return list.flatMap((item: unknown) =>
    typeof item === "object" && item !== null && "id" in item && typeof item.id === "string" ? [item.id] : [],
  );
}

function contextOf(spec: ResolvedSpec): Parameters<typeof toModelError>[1] {
  return { spec, model: spec.name ?? "auto", hasSpoken: false, nowMs: Date.now() };
}
