import { expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import type { LanguageModel, ModelEvent, ModelRequest } from "../model/model.ts";
import { modelContract } from "./model-contract.ts";
import { createScriptedModel, type ScriptedAnswer } from "./scripted-model.ts";

modelContract("the scripted model", {
  canCallTools: true,
  open: async (situation) => {
    const toAnswer = (): ScriptedAnswer => {
      switch (situation.kind) {
        case "answers":
          return { pieces: ["I am ", "the ", "script."] };
        case "says":
          return { pieces: situation.pieces };
        case "calls":
          return { text: situation.text, calls: situation.calls };
        case "hangs":
          return { pieces: [new Promise(() => undefined)] };
        case "fails":
          return { error: new ModelError(situation.code, "It fails as the script says") };
      }
    };
    return { model: createScriptedModel(toAnswer), close: async () => undefined };
  },
});

const request = (text: string): ModelRequest => ({
  messages: [{ role: "user", content: text }],
  signal: new AbortController().signal,
});

async function hear(model: LanguageModel, asked: ModelRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked)) events.push(event);
  return events;
}

it("gives its answers in order and remembers the requests", async () => {
  const model = createScriptedModel(["one", { text: "two", thought: "hm", costMicrousd: 7 }], { chunkSize: 2 });
  expect(
    (await hear(model, request("a"))).map((event) =>
      event.type === "finish" ? event.reason : "text" in event && event.text,
    ),
  ).toEqual(["on", "e", "stop"]);
  const second = await hear(model, request("b"));
  expect(second[0]).toEqual({ type: "thought", text: "hm" });
  expect(second.at(-1)).toMatchObject({ type: "finish", model: "scripted:model", costMicrousd: 7 });
  expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual(["a", "b"]);
});

it("says so when its answers are used up", async () => {
  const model = createScriptedModel([]);
  await expect(hear(model, request("a"))).rejects.toThrow(
    "The script of scripted:model has 0 answers, but it was asked 1 times",
  );
});

it("answers by the request and waits where the script waits", async () => {
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel(({ messages }, call) => ({
    pieces: [`${call}:`, gate.promise, messages[0]?.content ?? ""],
  }));
  const events = model.stream(request("late"))[Symbol.asyncIterator]();
  expect((await events.next()).value).toEqual({ type: "text", text: "0:" });
  const waiting = events.next();
  gate.resolve();
  expect((await waiting).value).toEqual({ type: "text", text: "late" });
  await events.return?.();
});

it("fails after the words that came before the failure", async () => {
  const model = createScriptedModel([{ text: "half an", error: new ModelError("unavailable", "broke off") }]);
  const heard: ModelEvent[] = [];
  const listening = async (): Promise<void> => {
    for await (const event of model.stream(request("a"))) heard.push(event);
  };
  await expect(listening()).rejects.toThrow("broke off");
  expect(heard).toEqual([{ type: "text", text: "half an" }]);
});

it("calls where the script calls, before and after its words", async () => {
  const calls = [{ name: "LATER", raw: "{no" }];
  const model = createScriptedModel([
    { pieces: [{ name: "FIRST", id: "a", input: { n: 1 } }, "Now"], calls },
    { calls, reason: "length" },
  ]);
  const events = await hear(model, request("a"));
  expect(events.slice(0, -1)).toEqual([
    { type: "tool-call", id: "a", name: "FIRST", input: { n: 1 }, raw: '{"n":1}' },
    { type: "text", text: "Now" },
    { type: "tool-call", id: "call_2", name: "LATER", input: null, raw: "{no" },
  ]);
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  expect((await hear(model, request("b"))).at(-1)).toMatchObject({ reason: "length" });
});
