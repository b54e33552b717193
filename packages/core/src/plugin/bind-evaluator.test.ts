import { expect, it } from "vitest";
import type { State } from "../state/provider.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import { bindEvaluator } from "./bind-evaluator.ts";
import { bindProvider } from "./bind-provider.ts";
import type { Evaluator, Exchange, Provider } from "./plugin.ts";

const state: State = { values: {}, data: {}, texts: [], missing: [] };
const { signal } = new AbortController();

async function withExchange(
  work: (test: Awaited<ReturnType<typeof createTestRuntime>>, exchange: Exchange) => Promise<void>,
) {
  const test = await createTestRuntime();
  await work(test, { runId: "r", message: await test.hear({ text: "I like tea" }), state, responses: [] });
  await test.close();
}

it("remembers the same fact once when an exchange is looked at again", () =>
  withExchange(async ({ runtime }, exchange) => {
    const facts: Evaluator = {
      name: "FACTS",
      description: "Remembers facts.",
      validate: (_runtime, { message }) => message.content.text.includes("tea"),
      async handler({ memories }, { message: { roomId, entityId } }) {
        await memories.create({ roomId, entityId, type: "fact", content: { text: "likes tea" } });
      },
    };
    const bound = bindEvaluator(facts, runtime);
    expect(await bound.validate(exchange, signal)).toBe(true);
    await bound.run(exchange, signal);
    await bound.run(exchange, signal);
    expect(await runtime.memories.search({ text: "likes tea", limit: 5, types: ["fact"] })).toHaveLength(1);
    expect(bound).not.toHaveProperty("review");
  }));

it("passes a review on, and refuses what is none", () =>
  withExchange(async ({ runtime }, exchange) => {
    const asked = (review: unknown) =>
      bindEvaluator(
        { name: "R", description: "", validate: () => true, handler: () => undefined, review: () => review as never },
        runtime,
      ).review?.(exchange, signal);
    expect(await asked({ verdict: "pass" })).toEqual({ verdict: "pass" });
    expect(await asked({ verdict: "amend", text: "x" })).toEqual({ verdict: "amend", text: "x" });
    expect(await asked({ verdict: "veto" })).toEqual({ verdict: "veto", reason: "R gave no reason" });
    await expect(asked(undefined)).rejects.toThrow(/gave no verdict/);
    await expect(asked({ verdict: "amend" })).rejects.toThrow(/gave no verdict/);
  }));

it("binds a provider with all that it declares, and reads what it gives", () =>
  withExchange(async ({ runtime }, { message }) => {
    const request = { runId: "r", step: 1, message, now: 0, signal };
    const given = (returned: unknown) =>
      bindProvider({ name: "P", get: () => returned as never }, runtime).get(request);
    expect(await given("words")).toEqual({ text: "words" });
    expect(await given(undefined)).toEqual({});
    expect(await given({ text: "t", values: { a: 1, b: () => 2 }, data: { at: new Date(0) }, more: 1 })).toEqual({
      text: "t",
      values: { a: 1 },
      data: { at: "1970-01-01T00:00:00.000Z" },
    });
    await expect(given(3)).rejects.toThrow(/neither a text nor/);
    await expect(given({ text: 3 })).rejects.toThrow(/a text that is no text/);
    const whole: Provider = {
      name: "P",
      description: "All of it.",
      position: -3,
      dynamic: true,
      private: true,
      stable: true,
      timeoutMs: 10,
      get: () => ({}),
    };
    expect(bindProvider(whole, runtime)).toMatchObject({
      description: "All of it.",
      position: -3,
      isDynamic: true,
      isPrivate: true,
      isStable: true,
      timeoutMs: 10,
    });
  }));
