import { expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { modelContract } from "../testing/model-contract.ts";
import { createScriptedEmbeddingModel } from "../testing/scripted-embedding-model.ts";
import { createScriptedImageDescription } from "../testing/scripted-media-models.ts";
import { createScriptedModel, type ScriptedAnswer } from "../testing/scripted-model.ts";
import { createFallback } from "./fallback-model.ts";
import type { LanguageModel, ModelEvent } from "./model.ts";

modelContract("a fallback whose first model is always down", {
  canCallTools: true,
  codes: ["unauthorized", "not_found", "unavailable"],
  open: async (situation) => {
    const toAnswer = (): ScriptedAnswer => {
      switch (situation.kind) {
        case "answers":
          return { pieces: ["I am ", "the second."] };
        case "says":
          return { pieces: situation.pieces };
        case "calls":
          return { text: situation.text, calls: situation.calls };
        case "hangs":
          return { pieces: [new Promise(() => undefined)] };
        case "fails":
          return { error: new ModelError(situation.code, "The second one fails") };
      }
    };
    const code = situation.kind === "fails" ? situation.code : "unavailable";
    const first = createScriptedModel(() => ({ error: new ModelError(code, "The first one is down") }), {
      id: "scripted:first",
    });
    return {
      model: createFallback("TEXT_LARGE", [first, createScriptedModel(toAnswer)]),
      close: async () => undefined,
    };
  },
});

const forever = new AbortController().signal;

async function hear(model: LanguageModel) {
  let text = "";
  let finish: Extract<ModelEvent, { type: "finish" }> | undefined;
  try {
    for await (const event of model.stream({ messages: [{ role: "user", content: "Hello" }], signal: forever })) {
      if (event.type === "text") text += event.text;
      if (event.type === "finish") finish = event;
    }
  } catch (error) {
    return { text, finish, error };
  }
  return { text, finish, error: undefined };
}

const failing = (error: ModelError, text = "") =>
  createScriptedModel(() => ({ text, error }), { id: "scripted:first" });
const second = () => createScriptedModel(["from the second"], { id: "scripted:second" });

it.each(["unavailable", "timeout", "unauthorized", "not_found", "exhausted"] as const)(
  "asks the next model when the first fails: %s",
  async (code) => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_fields, message) => warnings.push(message) };
    const model = createFallback("TEXT_LARGE", [failing(new ModelError(code, "no luck")), second()], log);
    const { text, finish } = await hear(model);
    expect([text, finish?.model, model.id]).toEqual(["from the second", "scripted:second", "scripted:first"]);
    expect(finish?.notes).toEqual([
      { type: "fallback", from: "scripted:first", to: "scripted:second", code, message: "no luck" },
    ]);
    expect(warnings).toEqual(["no luck"]);
  },
);

it.each(["aborted", "invalid"] as const)("does not ask the next model when the first fails: %s", async (code) => {
  const next = second();
  const { error } = await hear(createFallback("TEXT_LARGE", [failing(new ModelError(code, "no")), next]));
  expect(error).toMatchObject({ code });
  expect(next.requests).toEqual([]);
});

it("does not ask the next model once something was said", async () => {
  const next = second();
  const first = failing(new ModelError("unavailable", "broke off"), "half");
  const { text, error } = await hear(createFallback("TEXT_LARGE", [first, next]));
  expect([text, next.requests.length]).toEqual(["half", 0]);
  expect(error).toMatchObject({ code: "unavailable" });
});

it("names every failure when no model could answer, and the soonest hope", async () => {
  const first = failing(new ModelError("unavailable", "first is busy", { retryAfterMs: 9_000 }));
  const last = failing(new ModelError("unauthorized", "second has no key"));
  const { error } = await hear(createFallback("TEXT_LARGE", [first, last]));
  expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 9_000 });
  expect(String(error)).toMatch(/first is busy.*second has no key/);
});

it("lets the next one describe what the first cannot see, and says so", async () => {
  const first = createScriptedImageDescription(new ModelError("unavailable", "blind today"), "scripted:first");
  const model = createFallback("IMAGE_DESCRIPTION", [first, createScriptedImageDescription("A cat.", "scripted:next")]);
  const answer = await model.describe({ bytes: new Uint8Array([1]), mediaType: "image/png", signal: forever });
  expect(answer).toMatchObject({ text: "A cat.", model: "scripted:next", notes: [{ type: "fallback" }] });
});

it("never answers with the vectors of another model", async () => {
  const first = createScriptedEmbeddingModel();
  first.fail(new ModelError("unavailable", "down"));
  const next = createScriptedEmbeddingModel({ id: "scripted:other" });
  await expect(createFallback("TEXT_EMBEDDING", [first, next]).embed(["a"], forever)).rejects.toThrow("down");
  expect(next.requests).toEqual([]);
});
