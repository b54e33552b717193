import type { ErrorCode } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { type FailureContext, toModelError, toTimeoutError } from "./errors.ts";
import { resolveSpec } from "./spec.ts";

const openai = resolveSpec({
  provider: "openai",
  name: "gpt-6-luna",
  apiKey: "sk-secret",
  setBy: "TROUPE_SMALL_MODEL",
});
const anthropic = resolveSpec({ provider: "anthropic", name: "claude-haiku-5-5", apiKey: "sk-ant-secret" });
const ollama = resolveSpec({ provider: "openai-compatible", name: "llama3.2", baseUrl: "http://127.0.0.1:11434" });

const context = (spec: FailureContext["spec"], hasSpoken = false, hasTools = false): FailureContext => ({
  spec,
  model: spec.name ?? "auto",
  hasSpoken,
  hasTools,
  nowMs: Date.parse("2026-11-20T12:00:00Z"),
});

/** An error as the AI SDK throws it, with a request and an answer inside that must not come out. */
function apiError(statusCode: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Error {
  const message = "the user wrote swordfish; your key is sk-secret";
  const data = { error: { message, ...error } };
  return Object.assign(new Error(message), {
    name: "AI_APICallError",
    statusCode,
    data,
    responseBody: JSON.stringify(data),
    responseHeaders: headers,
    requestBodyValues: { messages: ["swordfish"] },
  });
}

const network = (code: string): Error =>
  Object.assign(new Error("Cannot connect to API"), { cause: Object.assign(new Error("connect"), { code }) });

type Row = readonly [string, Error | object, FailureContext, ErrorCode, RegExp];

const rows: readonly Row[] = [
  [
    "401 of OpenAI",
    apiError(401, { code: "invalid_api_key" }),
    context(openai),
    "unauthorized",
    /key is wrong; set OPENAI_API_KEY/,
  ],
  [
    "401 of Anthropic",
    apiError(401, { type: "authentication_error" }),
    context(anthropic),
    "unauthorized",
    /ANTHROPIC_API_KEY/,
  ],
  [
    "401 of a server without a key",
    apiError(401, {}),
    context(ollama),
    "unauthorized",
    /127\.0\.0\.1:11434\/v1.*needs a key; set OPENAI_API_KEY/,
  ],
  ["403", apiError(403, { code: "permission" }), context(openai), "unauthorized", /may not use the model gpt-6-luna/],
  [
    "an unknown model",
    apiError(404, { code: "model_not_found" }),
    context(openai),
    "not_found",
    /no model gpt-6-luna \(set by TROUPE_SMALL_MODEL\)/,
  ],
  [
    "an unknown model, refused with 400",
    apiError(400, { message: "nope is not a valid model ID" }),
    context(ollama),
    "not_found",
    /llama3\.2/,
  ],
  [
    "a wrong path",
    Object.assign(new Error("Not Found"), { statusCode: 404, responseBody: "404 page not found" }),
    context(ollama),
    "not_found",
    /OPENAI_BASE_URL end in \/v1/,
  ],
  ["429", apiError(429, { code: "rate_limit_exceeded" }), context(openai), "unavailable", /too many requests/],
  [
    "an empty account at OpenAI",
    apiError(429, { code: "insufficient_quota" }),
    context(openai),
    "exhausted",
    /OPENAI_API_KEY.*credit or quota/,
  ],
  [
    "an empty account at Anthropic",
    apiError(400, { type: "invalid_request_error", message: "Your credit balance is too low" }),
    context(anthropic),
    "exhausted",
    /ANTHROPIC_API_KEY/,
  ],
  ["402", apiError(402, {}), context(ollama), "exhausted", /credit/],
  [
    "a prompt that is too long",
    apiError(400, { code: "context_length_exceeded" }),
    context(openai),
    "invalid",
    /prompt is longer/,
  ],
  [
    "a prompt that is too long, in words",
    apiError(400, { message: "prompt is too long: 300000 tokens > 200000 maximum" }),
    context(anthropic),
    "invalid",
    /token budget/,
  ],
  [
    "another 400",
    apiError(400, { code: "unsupported_value", param: "temperature" }),
    context(openai),
    "invalid",
    /400, unsupported_value, parameter temperature/,
  ],
  ["500", apiError(500, {}), context(openai), "unavailable", /\(500\)/],
  [
    "503 with a page",
    Object.assign(new Error("x"), { statusCode: 503, responseBody: "<html>" }),
    context(openai),
    "unavailable",
    /\(503\)/,
  ],
  ["529", apiError(529, { type: "overloaded_error" }), context(anthropic), "unavailable", /overloaded \(529\)/],
  [
    "a refused connection",
    network("ECONNREFUSED"),
    context(ollama),
    "unavailable",
    /cannot be reached at http:\/\/127\.0\.0\.1:11434\/v1 \(ECONNREFUSED\).*Ollama/,
  ],
  ["an unknown host", network("ENOTFOUND"), context(openai), "unavailable", /api\.openai\.com.*ENOTFOUND.*network/],
  [
    "a socket that closed",
    new TypeError("terminated", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }),
    context(openai),
    "unavailable",
    /UND_ERR_SOCKET/,
  ],
  [
    "an error inside a stream",
    { message: "swordfish", type: "overloaded_error" },
    context(anthropic),
    "unavailable",
    /error of its own/,
  ],
  [
    "a rate limit inside a stream",
    { message: "swordfish", code: "rate_limit_exceeded" },
    context(openai),
    "unavailable",
    /too many requests/,
  ],
  [
    "an answer that is no JSON",
    Object.assign(new Error("bad json: swordfish"), { name: "AI_JSONParseError" }),
    context(ollama),
    "unavailable",
    /cannot be read/,
  ],
  [
    "anything after the first words",
    network("ECONNRESET"),
    context(openai, true),
    "unavailable",
    /broke off after a part of the answer had been shown \(ECONNRESET\)/,
  ],
];

describe("a refusal of tools", () => {
  it.each([
    [400, { message: "registry.example/library/gemma:2b does not support tools", type: "api_error" }],
    [400, { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' }],
    [404, { message: "No endpoints found that support tool use. Try disabling it." }],
    [500, { message: "tools param requires --jinja flag" }],
    [400, { message: "`tool calling` is not supported with this model", code: "invalid_request_error" }],
    [400, { message: "Unsupported parameter: 'tools' is not supported with this model.", param: "tools" }],
    [422, { message: "This model doesn't support function calling" }],
    [501, { message: "Function-calling is unsupported." }],
  ])("names the remedy: %i %j", (status, body) => {
    const error = apiError(status, body);
    expect(toModelError(error, context(ollama, false, true))).toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/llama3\.2.*no native tool calls; set settings\.responseFormat: "json"/),
    });
    expect(toModelError(error, context(ollama)).message).not.toContain("tool calls");
  });

  it.each([
    { message: "Invalid schema for function 'x': 'format' is not supported", param: "tools[0].parameters" },
    { message: "tools.0.custom.input_schema: JSON schema is invalid", type: "invalid_request_error" },
    { message: "no", code: "invalid_function_parameters" },
  ])("tells a wrong schema of one tool apart: %j", (body) => {
    const { code, message } = toModelError(apiError(400, body), context(openai, false, true));
    expect(code).toBe("invalid");
    expect(message).toMatch(/refused the request.*check the parameters of the actions/);
  });

  it("leaves other failures of a request with tools what they are", () => {
    const withTools = context(ollama, false, true);
    expect(toModelError(apiError(404, { code: "model_not_found" }), withTools).code).toBe("not_found");
    expect(toModelError(apiError(429, { message: "tools are not available now" }), withTools).code).toBe("unavailable");
    expect(toModelError(apiError(400, { param: "temperature" }), withTools).message).toContain(
      "check the model's name",
    );
  });
});

describe("toModelError", () => {
  it.each(rows)("translates %s", (...[, error, where, code, words]) => {
    const translated = toModelError(error, where);
    expect(translated.code).toBe(code);
    expect(translated.message).toMatch(words);
  });

  it.each(rows)("keeps the key and the user's words out of %s", (_title, error, where) => {
    const { message, cause } = toModelError(error, where);
    expect(`${message} ${String(cause)} ${JSON.stringify(cause)}`).not.toMatch(/swordfish|sk-/);
  });

  it.each([
    [{ "retry-after-ms": "1500" }, 1_500],
    [{ "Retry-After": "7" }, 7_000],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
    [{}, undefined],
  ])("takes over how long the vendor asks to wait: %j", (headers, expected) => {
    expect(toModelError(apiError(429, {}, headers), context(openai)).retryAfterMs).toBe(expected);
  });

  it("names what took too long and the remedy", () => {
    const error = toTimeoutError("first-delta", 60_000, context(ollama));
    expect(error.code).toBe("timeout");
    expect(error.message).toMatch(/llama3\.2.*did not begin to answer within 60 s/);
  });
});
