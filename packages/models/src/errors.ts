import { ModelError, TroupeError } from "@troupe/core/errors";
import { readRetryAfter } from "./retry.ts";
import type { ResolvedSpec } from "./spec.ts";

/** What a message has to name: whose model failed, and what had already been said. */
export type FailureContext = {
  readonly spec: ResolvedSpec;
  /** The name asked for; the server's own choice when the spec names none. */
  readonly model: string;
  /** True when text, a thought or a call of this answer had already been passed on. */
  readonly hasSpoken: boolean;
  /** True for what is answered at once: vectors, transcripts, files. */
  readonly isOneShot?: boolean;
  /** True when the request offered tools. */
  readonly hasTools?: boolean;
  /** Milliseconds since the epoch, for a retry-after that is a date. */
  readonly nowMs: number;
};

/** Which of the three limits ran out. */
export type TimeoutKind = "first-delta" | "idle" | "whole";

/**
 * Whatever a vendor's library throws or sends as an error, as a ModelError. The message never repeats what the vendor
 * wrote, which may quote the prompt or a piece of the key; only plain identifiers (status, error code) are taken over.
 */
export function toModelError(error: unknown, context: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof TroupeError) return new ModelError(error.code, error.message, { cause: error });
  const facts = readFacts(error);
  if (context.hasSpoken) return brokenOff(facts, context);
  if (context.hasTools && isToolsRefused(facts)) return withoutTools(context);
  return byStatus(facts, context) ?? byCode(facts, context) ?? byNetwork(facts, context) ?? malformed(facts, context);
}

/** The error for a limit of time that ran out. */
export function toTimeoutError(kind: TimeoutKind, ms: number, context: FailureContext): ModelError {
  const seconds = `${Math.round(ms / 100) / 10} s`;
  const what = {
    "first-delta": `did not begin to answer within ${seconds}`,
    idle: `fell silent for ${seconds} in the middle of an answer`,
    whole: `did not finish an answer within ${seconds}`,
  }[kind];
  return new ModelError(
    "timeout",
    `${subject(context)} ${what}; try again, take a faster model or raise the time limit`,
  );
}

/** The error for a call that was called off. */
export function toAbortedError(context: FailureContext): ModelError {
  return new ModelError("aborted", `The call of ${context.spec.provider}:${context.model} was called off`);
}

/** What can be recognised in an error without trusting its words. */
type VendorFacts = {
  readonly status: number | undefined;
  /** Error code and type as the vendor names them, lower case. */
  readonly codes: readonly string[];
  /** The parameter that was refused. */
  readonly parameter: string | undefined;
  /** Only to be matched against, never shown. */
  readonly words: string;
  readonly retryAfterHeaders: Readonly<Record<string, string>>;
  /** `ECONNREFUSED` and the like. */
  readonly network: string | undefined;
  readonly hasJsonBody: boolean;
  /** What may be kept as the cause: never an error that carries the request. */
  readonly cause: unknown;
};

const IDENTIFIER = /^[\w.:/[\]-]{1,60}$/;

function readFacts(error: unknown): VendorFacts {
  const outer = asRecord(error);
  const data = asRecord(outer["data"]);
  const body = { ...outer, ...asRecord(data["error"]) };
  const codes = [body["code"], body["type"], data["type"]]
    .map((value) => (typeof value === "number" ? String(value) : value))
    .filter((value): value is string => typeof value === "string" && IDENTIFIER.test(value))
    .map((value) => value.toLowerCase());
  const inner = asRecord(body["error"]);
  const words = [body["message"], inner["message"], outer["responseBody"]].filter((text) => typeof text === "string");
  const network = findNetworkCode(error);
  return {
    status: readStatus(outer, codes),
    codes,
    parameter: typeof body["param"] === "string" && IDENTIFIER.test(body["param"]) ? body["param"] : undefined,
    words: words.join("\n").slice(0, 4_000).toLowerCase(),
    retryAfterHeaders: readHeaders(outer["responseHeaders"]),
    network,
    hasJsonBody: outer["data"] !== undefined || /^\s*\{/.test(String(outer["responseBody"] ?? "")),
    cause: network === undefined ? undefined : new Error(network),
  };
}

function readStatus(outer: Readonly<Record<string, unknown>>, codes: readonly string[]): number | undefined {
  const status = outer["statusCode"];
  if (typeof status === "number" && status >= 400) return status;
  const code = codes.find((text) => /^[45]\d\d$/.test(text));
  return code === undefined ? undefined : Number(code);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Every object can be looked into by name; what is found there is checked where it is used.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  const pairs = Object.entries(asRecord(value)).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs.map(([name, text]) => [name.toLowerCase(), text]));
}

/** Node's and undici's own code, however deep it sits. */
function findNetworkCode(error: unknown, depth = 0): string | undefined {
  if (depth > 5) return undefined;
  const record = asRecord(error);
  const code = record["code"];
  if (typeof code === "string" && /^(E[A-Z_]{3,}|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*SELF_SIGNED[A-Z_]*)$/.test(code)) {
    return code;
  }
  if (error instanceof TypeError && /terminated|fetch failed|network/i.test(error.message) && !record["cause"]) {
    return "connection closed";
  }
  if (Array.isArray(record["errors"])) return findNetworkCode(record["errors"][0], depth + 1);
  const inner = record["cause"] === undefined ? undefined : findNetworkCode(record["cause"], depth + 1);
  // The AI SDK's own mark of a request that never got an answer.
  const isUnanswered = record["name"] === "AI_APICallError" && record["statusCode"] === undefined;
  return inner ?? (isUnanswered && record["isRetryable"] === true ? "no connection" : undefined);
}

function byStatus(facts: VendorFacts, context: FailureContext): ModelError | undefined {
  const { status } = facts;
  if (status === undefined) return undefined;
  if (status === 402 || isOutOfCredit(facts)) return outOfCredit(context);
  if (status === 401 || status === 403) return unauthorized(status, context);
  if (isContextTooLong(facts) || status === 413) return tooLong(context);
  if (status === 404 || isUnknownModel(facts)) return notFound(facts, context);
  if (status === 429) return overloaded(facts, context, "has had too many requests (429)");
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return overloaded(
      facts,
      context,
      status === 529 ? "is overloaded (529)" : `answered with an error of its own (${status})`,
    );
  }
  return refused(facts, context);
}

/** Errors without a status, sent in the middle of a stream that began well. */
function byCode(facts: VendorFacts, context: FailureContext): ModelError | undefined {
  const has = (pattern: RegExp): boolean => facts.codes.some((code) => pattern.test(code));
  if (isOutOfCredit(facts)) return outOfCredit(context);
  if (has(/authentication|permission|invalid_api_key/)) return unauthorized(401, context);
  if (isContextTooLong(facts)) return tooLong(context);
  if (has(/not_found/) || isUnknownModel(facts)) return notFound(facts, context);
  if (has(/rate_limit/)) return overloaded(facts, context, "has had too many requests");
  if (has(/overloaded|server_error|api_error|timeout|unavailable/)) {
    return overloaded(facts, context, "answered with an error of its own");
  }
  return has(/^invalid_/) ? refused(facts, context) : undefined;
}

function byNetwork(facts: VendorFacts, context: FailureContext): ModelError | undefined {
  if (facts.network === undefined) return undefined;
  const { spec } = context;
  const remedy =
    spec.provider === "openai-compatible"
      ? `is it running (Ollama: ollama serve), and is ${spec.facts.baseUrlVariable} right?`
      : "check the network connection";
  const message = `${spec.facts.title} cannot be reached at ${spec.baseUrl} (${facts.network}); ${remedy}`;
  return new ModelError("unavailable", message, { cause: facts.cause });
}

function isOutOfCredit({ codes, words }: VendorFacts): boolean {
  if (codes.some((code) => /insufficient_quota|billing|insufficient_credit|credit_balance/.test(code))) return true;
  return /credit balance is too low|exceeded your current quota|insufficient (credits|balance|quota)/.test(words);
}

function isContextTooLong({ codes, words }: VendorFacts): boolean {
  if (codes.some((code) => /context_length|context_window|string_above_max|request_too_large/.test(code))) return true;
  return /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens/.test(words);
}

/** Servers say in words of their own that the model, its chat template or the server itself takes no tools. */
const toolsRefusals: readonly RegExp[] = [
  /(not|n't|cannot|unable to) (currently )?(support|handle|accept|allow|use|call)\w*[^.\n]{0,30}\b(tools?|functions?)\b/,
  /\b(tools?|functions?)\b[^.\n]{0,60}(not |n't |un)(currently |yet |be )?(support|available|enabled|allowed|implemented)/,
  /endpoints? found[^.\n]{0,20}support[^.\n]{0,20}\b(tools?|functions?)\b/,
  /\b(tools?|functions?)\b[^.\n]{0,20}(requires?|needs?) --/,
];

function isToolsRefused(facts: VendorFacts): boolean {
  const { status, words } = facts;
  if (status === 401 || status === 403 || status === 429 || isOneToolRefused(facts)) return false;
  // Their words come as `tool_choice`, `tool calling`, `function-calling`.
  const plain = words.replace(/[_`"]/g, " ");
  return toolsRefusals.some((refusal) => refusal.test(plain));
}

/** One tool's schema is wrong: the rest would do. */
function isOneToolRefused({ codes, parameter, words }: VendorFacts): boolean {
  return (
    codes.includes("invalid_function_parameters") ||
    /^tools?[.[]/.test(parameter ?? "") ||
    /\btools[.[]\d|schema for function/.test(words)
  );
}

function isUnknownModel({ codes, words }: VendorFacts): boolean {
  if (codes.some((code) => /model_not_found|unknown_model/.test(code))) return true;
  return /model.{0,120}(not found|does not exist|is not a valid|not a valid model)|not a valid model/.test(words);
}

function subject({ spec, model }: FailureContext): string {
  return `${spec.facts.title} (model ${model})`;
}

function unauthorized(status: number, context: FailureContext): ModelError {
  const { spec, model } = context;
  const at = spec.provider === "openai-compatible" ? ` at ${spec.baseUrl}` : "";
  const why =
    status === 403 ? `this key may not use the model ${model}` : spec.apiKey ? "the key is wrong" : "it needs a key";
  return new ModelError(
    "unauthorized",
    `${spec.facts.title}${at} refused (${status}): ${why}; set ${spec.facts.keyVariable}`,
  );
}

function outOfCredit(context: FailureContext): ModelError {
  const { title, keyVariable } = context.spec.facts;
  return new ModelError(
    "exhausted",
    `The account behind ${keyVariable} at ${title} is out of credit or quota; top it up with the vendor`,
  );
}

function tooLong(context: FailureContext): ModelError {
  if (context.isOneShot) {
    return new ModelError("invalid", `${subject(context)} was given more at once than it takes; give it less`);
  }
  return new ModelError(
    "invalid",
    `The prompt is longer than ${subject(context)} can read; lower the history's token budget or take a model with a larger context`,
  );
}

function notFound(facts: VendorFacts, { spec, model }: FailureContext): ModelError {
  const setBy = spec.setBy === undefined ? "" : ` (set by ${spec.setBy})`;
  if (!facts.hasJsonBody && facts.codes.length === 0) {
    const message = `Nothing at ${spec.baseUrl} answers for the model ${model}${setBy} (404); does ${spec.facts.baseUrlVariable} end in /v1?`;
    return new ModelError("not_found", message);
  }
  return new ModelError(
    "not_found",
    `${spec.facts.title} at ${spec.baseUrl} has no model ${model}${setBy}; name another one`,
  );
}

function overloaded(facts: VendorFacts, context: FailureContext, what: string): ModelError {
  const retryAfterMs = readRetryAfter(facts.retryAfterHeaders, context.nowMs);
  const message = `${subject(context)} ${what}; try again later`;
  return new ModelError("unavailable", message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

function withoutTools(context: FailureContext): ModelError {
  return new ModelError(
    "invalid",
    `${subject(context)} takes no native tool calls; set settings.responseFormat: "json" in the character, or take a model that calls tools`,
  );
}

function refused(facts: VendorFacts, context: FailureContext): ModelError {
  const named = [facts.status, facts.codes[0], facts.parameter && `parameter ${facts.parameter}`].filter(Boolean);
  const remedy =
    context.hasTools && isOneToolRefused(facts)
      ? 'check the parameters of the actions, or set settings.responseFormat: "json" in the character'
      : "check the model's name and its settings";
  return new ModelError("invalid", `${subject(context)} refused the request (${named.join(", ")}); ${remedy}`);
}

function malformed(facts: VendorFacts, context: FailureContext): ModelError {
  const message = `${subject(context)} sent an answer that cannot be read; try again, or take another model`;
  return new ModelError("unavailable", message, facts.cause === undefined ? {} : { cause: facts.cause });
}

function brokenOff(facts: VendorFacts, context: FailureContext): ModelError {
  const why = facts.network ?? facts.codes[0] ?? facts.status ?? "the stream cannot be read";
  const message = `${subject(context)} broke off after a part of the answer had been shown (${why}); try again later`;
  return new ModelError("unavailable", message, facts.cause === undefined ? {} : { cause: facts.cause });
}
