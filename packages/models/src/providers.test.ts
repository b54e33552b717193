import type { LLMock } from "@copilotkit/aimock";
import type { ErrorCode, LanguageModel } from "@troupe/core";
import { type ModelSituation, modelContract } from "@troupe/core/testing/contracts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLanguageModel } from "./language-model.ts";
import type { ProviderName } from "./spec.ts";
import { callsWire } from "./testing/call-wires.ts";
import { createSetClock } from "./testing/set-clock.ts";
import { ask, hear, KEY, specAt, startRaw, startVendors, unusedUrl } from "./testing/vendor-server.ts";

const PROVIDERS: readonly ProviderName[] = ["openai", "anthropic", "openai-compatible"];
const STATUS: Partial<Record<ErrorCode, number>> = { unauthorized: 401, not_found: 404, unavailable: 503 };

const open = (provider: ProviderName, url: string, attempts = 1): LanguageModel =>
  createLanguageModel(specAt(provider, url), { clock: createSetClock(50_000), random: () => 0.5, retry: { attempts } });

/** The mock server mends garbled arguments on Anthropic's wire; there the bytes are ours. */
const isBeyondMock = (provider: ProviderName, situation: ModelSituation): boolean =>
  provider === "anthropic" && situation.kind === "calls" && situation.calls.some(({ raw }) => !isJson(raw));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

for (const provider of PROVIDERS) {
  modelContract(`${provider} over HTTP`, {
    canCallTools: true,
    open: async (situation) => {
      if (situation.kind === "calls" && isBeyondMock(provider, situation)) {
        const server = await startRaw((response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(callsWire(provider, situation));
        });
        return { model: open(provider, server.url), close: () => server.close() };
      }
      const vendors = await startVendors();
      const match = { endpoint: "chat" } as const;
      if (situation.kind === "answers") vendors.on(match, { content: "I am Ada, at your service." });
      if (situation.kind === "says") vendors.on(match, { content: situation.pieces.join("") });
      if (situation.kind === "calls") {
        const toolCalls = situation.calls.map(({ name, raw }) => ({ name, arguments: raw }));
        vendors.on(match, situation.text === "" ? { toolCalls } : { content: situation.text, toolCalls });
      }
      if (situation.kind === "hangs") vendors.on(match, { content: "late" }, { chaos: { latencyMs: 30_000 } });
      if (situation.kind === "fails") {
        const error = { message: "no to swordfish", type: "server_error" };
        vendors.on(match, { error, status: STATUS[situation.code] ?? 500 });
      }
      return { model: open(provider, vendors.url), close: () => vendors.stop() };
    },
  });
}

describe.each(PROVIDERS)("%s", (provider) => {
  let vendors: LLMock;
  beforeAll(async () => {
    vendors = await startVendors();
  });
  afterEach(() => {
    vendors.reset();
  });
  afterAll(() => vendors.stop());

  it("passes thoughts on as thoughts", async () => {
    vendors.onMessage("Hello", { content: "Hi", reasoning: "They greet me." });
    const { text, thought } = await hear(open(provider, vendors.url).stream(ask()));
    expect({ text, thought }).toEqual({ text: "Hi", thought: "They greet me." });
  });

  it("asks again after 503 and notes that it did", async () => {
    vendors.nextRequestError(503, { message: "down" });
    vendors.onMessage("Hello", { content: "Hi" });
    const { text, finish, error } = await hear(open(provider, vendors.url, 3).stream(ask()));
    expect([text, error]).toEqual(["Hi", undefined]);
    expect(finish?.notes).toMatchObject([{ type: "retry", attempt: 1, code: "unavailable", waitMs: 375 }]);
  });

  it("gives up after the last attempt", async () => {
    vendors.onMessage("Hello", { error: { message: "down" }, status: 503 });
    const { error } = await hear(open(provider, vendors.url, 3).stream(ask()));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(vendors.getRequests()).toHaveLength(3);
  });

  it("waits as long as a 429 asks for", async () => {
    vendors.onMessage("Hello", {
      error: { message: "slow down", code: "rate_limit_exceeded" },
      status: 429,
      retryAfter: 7,
    });
    const clock = createSetClock(50_000);
    const model = createLanguageModel(specAt(provider, vendors.url), {
      clock,
      random: () => 0,
      retry: { attempts: 2 },
    });
    const { error } = await hear(model.stream(ask()));
    expect(clock.skipped).toEqual([7_000]);
    expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 7_000 });
  });

  it("does not wait when a 429 asks for longer than anybody would", async () => {
    vendors.onMessage("Hello", { error: { message: "tomorrow" }, status: 429, retryAfter: 3_600 });
    const { error } = await hear(open(provider, vendors.url, 3).stream(ask()));
    expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 3_600_000 });
    expect(vendors.getRequests()).toHaveLength(1);
  });

  it("does not ask again with a wrong key", async () => {
    vendors.onMessage("Hello", { error: { message: `wrong ${KEY}`, code: "invalid_api_key" }, status: 401 });
    const { error } = await hear(open(provider, vendors.url, 3).stream(ask()));
    expect(error).toMatchObject({ code: "unauthorized" });
    expect(String(error)).not.toContain(KEY);
    expect(vendors.getRequests()).toHaveLength(1);
  });

  it("asks again when the connection is dropped before the first word", async () => {
    vendors.on({ userMessage: "Hello", sequenceIndex: 0 }, { content: "x" }, { chaos: { disconnectRate: 1 } });
    vendors.on({ userMessage: "Hello" }, { content: "Hi" });
    const { text, finish } = await hear(open(provider, vendors.url, 2).stream(ask()));
    expect(text).toBe("Hi");
    expect(finish?.notes).toMatchObject([{ type: "retry", code: "unavailable" }]);
  });

  it("calls an answer that cannot be read unavailable", async () => {
    vendors.onMessage("Hello", { content: "x" }, { chaos: { malformedRate: 1 } });
    const { error } = await hear(open(provider, vendors.url).stream(ask()));
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("names the address when nobody listens there", async () => {
    const url = await unusedUrl();
    const { error } = await hear(open(provider, url).stream(ask()));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining(`${url}/v1 (ECONNREFUSED)`) });
  });

  it("refuses a prompt without any text before it asks anybody", async () => {
    const { error } = await hear(
      open(provider, vendors.url).stream({ messages: [], signal: new AbortController().signal }),
    );
    expect(error).toMatchObject({ code: "invalid" });
    expect(vendors.getRequests()).toEqual([]);
  });
});
