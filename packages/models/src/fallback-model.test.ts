import { type Log, ModelError, silentLog } from "@troupe/core";
import { createScriptedModel, type ScriptedAnswer } from "@troupe/core/testing";
import { modelContract } from "@troupe/core/testing/contracts";
import { expect, it } from "vitest";
import { createFallbackModel } from "./fallback-model.ts";
import { ask, hear } from "./testing/vendor-server.ts";

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
    return { model: createFallbackModel([first, createScriptedModel(toAnswer)]), close: async () => undefined };
  },
});

const failing = (error: ModelError, text = "") =>
  createScriptedModel(() => ({ text, error }), { id: "scripted:first" });
const second = () => createScriptedModel(["from the second"], { id: "scripted:second" });

it.each(["unavailable", "timeout", "unauthorized", "not_found", "exhausted"] as const)(
  "asks the next model when the first fails: %s",
  async (code) => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_fields, message) => warnings.push(message) };
    const model = createFallbackModel([failing(new ModelError(code, "no luck")), second()], { log });
    const { text, finish } = await hear(model.stream(ask()));
    expect([text, finish?.model, model.id]).toEqual(["from the second", "scripted:second", "scripted:first"]);
    expect(finish?.notes).toEqual([
      { type: "fallback", from: "scripted:first", to: "scripted:second", code, message: "no luck" },
    ]);
    expect(warnings).toEqual(["no luck"]);
  },
);

it.each(["aborted", "invalid"] as const)("does not ask the next model when the first fails: %s", async (code) => {
  const next = second();
  const { error } = await hear(createFallbackModel([failing(new ModelError(code, "no")), next]).stream(ask()));
  expect(error).toMatchObject({ code });
  expect(next.requests).toEqual([]);
});

it("does not ask the next model once something was said", async () => {
  const next = second();
  const first = failing(new ModelError("unavailable", "broke off"), "half");
  const { text, error } = await hear(createFallbackModel([first, next]).stream(ask()));
  expect([text, next.requests.length]).toEqual(["half", 0]);
  expect(error).toMatchObject({ code: "unavailable" });
});

it("names every failure when no model could answer, and the soonest hope", async () => {
  const first = failing(new ModelError("unavailable", "first is busy", { retryAfterMs: 9_000 }));
  const last = failing(new ModelError("unauthorized", "second has no key"));
  const { error } = await hear(createFallbackModel([first, last]).stream(ask()));
  expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 9_000 });
  expect(String(error)).toMatch(/first is busy.*second has no key/);
});
