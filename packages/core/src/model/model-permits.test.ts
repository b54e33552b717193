import { describe, expect, it } from "vitest";
import type { LanguageModel, ModelEvent } from "./model.ts";
import { createModelPermits } from "./model-permits.ts";

const finish: ModelEvent = {
  type: "finish",
  reason: "stop",
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  model: "test:model",
};

/** A model whose answers end when they are let go, in the order of asking. */
function heldModel() {
  const begun: string[] = [];
  const release = new Map<string, PromiseWithResolvers<void>>();
  const model: LanguageModel = {
    id: "test:model",
    async *stream({ messages, signal }) {
      const name = messages[0]?.content ?? "";
      begun.push(name);
      const held = Promise.withResolvers<void>();
      release.set(name, held);
      signal.addEventListener("abort", () => held.reject(signal.reason), { once: true });
      await held.promise;
      yield finish;
    },
  };
  return {
    model,
    begun,
    end: (name: string) => release.get(name)?.resolve(),
    fail: (name: string) => release.get(name)?.reject(new Error("no")),
  };
}

async function ask(model: LanguageModel, name: string, signal = new AbortController().signal): Promise<string> {
  for await (const event of model.stream({ messages: [{ role: "user", content: name }], signal })) {
    if (event.type === "finish") return name;
  }
  return "";
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("permits of a model", () => {
  it("let so many calls be under way, and the others in turn as streams end or fail", async () => {
    const held = heldModel();
    const { TEXT_LARGE: model } = createModelPermits(2).limit({ TEXT_LARGE: held.model, TEXT_SMALL: held.model });
    const asked = ["a", "b", "c", "d"].map((name) => ask(model, name));
    await settled();
    expect(held.begun).toEqual(["a", "b"]);
    held.end("b");
    await settled();
    expect(held.begun).toEqual(["a", "b", "c"]);
    held.fail("a");
    await expect(asked[0]).rejects.toThrow("no");
    await settled();
    expect(held.begun).toEqual(["a", "b", "c", "d"]);
    held.end("c");
    held.end("d");
    expect(await Promise.all(asked.slice(1))).toEqual(["b", "c", "d"]);
  });

  it("are not taken by who gives up waiting", async () => {
    const held = heldModel();
    const { TEXT_LARGE: model } = createModelPermits(1).limit({ TEXT_LARGE: held.model, TEXT_SMALL: held.model });
    const first = ask(model, "a");
    await settled();
    const gone = new AbortController();
    const second = ask(model, "b", gone.signal);
    const third = ask(model, "c");
    gone.abort(new Error("gone"));
    await expect(second).rejects.toThrow("gone");
    held.end("a");
    await first;
    await settled();
    expect(held.begun).toEqual(["a", "c"]);
    held.end("c");
    await third;
  });

  it("count for a model, whatever type it answers for, and leave other kinds alone", async () => {
    const held = heldModel();
    const embedding = { id: "test:embedding", maxBatch: 1, embed: () => Promise.reject(new Error()) };
    const permits = createModelPermits(1);
    const models = { TEXT_LARGE: held.model, TEXT_SMALL: held.model, TEXT_EMBEDDING: embedding };
    const limited = permits.limit(models);
    expect(limited.TEXT_EMBEDDING).toBe(embedding);
    expect(permits.limit(models)).toBe(limited);
    const first = ask(limited.TEXT_LARGE, "a");
    const second = ask(limited.TEXT_SMALL, "b");
    await settled();
    expect(held.begun).toEqual(["a"]);
    held.end("a");
    await first;
    await settled();
    held.end("b");
    await second;
  });
});
