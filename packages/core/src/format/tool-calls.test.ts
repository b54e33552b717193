import fc from "fast-check";
import { describe, expect, it } from "vitest";
import vectors from "../../spec/responses.json" with { type: "json" };
import type { JsonObject } from "../json.ts";
import type { LanguageModel } from "../model/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../testing/scripted-model.ts";
import type { DecodedResponse } from "./decoded-response.ts";
import { createDecoder, decodeResponse } from "./decoder.ts";
import { encodeToolAnswer, joinToolCalls, type NativeCall } from "./tool-calls.ts";
import { readToolInput } from "./tool-input.ts";
import { createToolNames, isToolName } from "./tool-names.ts";

const signal = new AbortController().signal;

/** What an answer means that comes as words and native calls. */
async function listen(model: LanguageModel, names = createToolNames([])): Promise<DecodedResponse> {
  const decoder = createDecoder({ agentName: vectors.agentName });
  const calls: NativeCall[] = [];
  let finishReason: string | undefined;
  for await (const event of model.stream({ messages: [{ role: "user", content: "Hi" }], signal })) {
    if (event.type === "text") decoder.push(event.text);
    if (event.type === "tool-call") calls.push({ name: names.toAction(event.name), input: event.input });
    if (event.type === "finish") finishReason = event.reason;
  }
  return joinToolCalls(decoder.end({ finishReason }), calls, finishReason);
}

const hear = (answer: ScriptedAnswer, chunkSize = 3): Promise<DecodedResponse> =>
  listen(createScriptedModel([answer], { chunkSize }));

type Vector = { readonly name: string; readonly raw: string } & DecodedResponse;
// The file's shapes differ from case to case; each of them is a decoded response with a name.
const cases = vectors.cases as readonly Vector[];

describe("the conformance vectors, spoken and called natively", () => {
  const spoken = cases.filter(({ text, actions, keywords }) => text + actions.length + keywords.length !== "00");
  it.each(spoken)("mean the same: $name", async ({ text, actions, keywords, complete }) => {
    const names = createToolNames(actions.map(({ name }) => name));
    const words = [...keywords.map((keyword) => `[${keyword}]`), text].filter((part) => part !== "").join(" ");
    const calls = actions.map(({ name, parameters }) => ({
      name: names.toTool(name),
      ...(parameters && { input: parameters }),
    }));
    for (const chunkSize of [1, 2, 7, 10_000]) {
      const model = createScriptedModel([{ text: words, calls, ...(!complete && { reason: "length" }) }], {
        chunkSize,
      });
      expect(await listen(model, names)).toEqual({ text, actions, keywords, complete });
    }
  });

  it.each(cases)(
    "mean the same when the text itself holds the answer and the calls repeat it: $name",
    async (vector) => {
      const { name: _name, raw, ...meaning } = vector;
      const calls = meaning.actions.map(({ name, parameters }) => ({ name, ...(parameters && { input: parameters }) }));
      expect(await hear({ text: raw, calls, reason: "stop" })).toEqual(meaning);
    },
  );
});

describe("joinToolCalls", () => {
  it("puts the native calls behind those of the text, in order", async () => {
    const text = '{"text":"Hi","actions":["A",{"name":"B","parameters":{"n":1}}]}';
    const calls = [{ name: "C", input: { x: [1] } }, { name: "D" }];
    expect((await hear({ text, calls })).actions).toEqual([
      { name: "A" },
      { name: "B", parameters: { n: 1 } },
      { name: "C", parameters: { x: [1] } },
      { name: "D" },
    ]);
  });

  it("counts what both ask for once, in whatever spelling and order of keys", async () => {
    const text = '{"actions":["send mail",{"name":"PAY","parameters":{"to":{"a":1,"b":[2]},"n":1}}]}';
    const calls = [{ name: "SEND_MAIL" }, { name: "pay", input: { n: 1, to: { b: [2], a: 1 } } }];
    expect((await hear({ text, calls })).actions.map(({ name }) => name)).toEqual(["send mail", "PAY"]);
  });

  it("keeps calls apart that differ, and native calls that are made twice", async () => {
    const text = '{"actions":[{"name":"ROLL","parameters":{"sides":6}}]}';
    const calls = [
      { name: "ROLL", input: { sides: 8 } },
      { name: "ROLL", input: { sides: 6 } },
      { name: "ROLL", input: { sides: 6 } },
    ];
    expect((await hear({ text, calls })).actions.map(({ parameters }) => parameters?.["sides"])).toEqual([6, 8, 6]);
  });

  it.each(["", "\n\n", "<think>hm</think>\n"])("takes calls without words for a whole answer: %j", async (text) => {
    expect(await hear({ text, calls: [{ name: "A" }] })).toMatchObject({ actions: [{ name: "A" }], complete: true });
    expect(await hear({ text, calls: [{ name: "A" }], reason: "length" })).toMatchObject({ complete: false });
  });

  it.each(["length", "filter", "error"] as const)("is incomplete when it ended by %s", async (reason) => {
    expect((await hear({ text: "Hi", calls: [{ name: "A" }], reason })).complete).toBe(false);
  });

  it("leaves out a call that cannot be read, and is incomplete for it", async () => {
    const calls = [{ name: "A", raw: "{oops" }, { name: "B" }];
    expect(await hear({ text: "Hi", calls })).toEqual({
      text: "Hi",
      actions: [{ name: "B" }],
      keywords: [],
      complete: false,
    });
  });

  it("changes nothing without native calls", () => {
    const decoded: DecodedResponse = { text: "", actions: [], keywords: [], complete: false };
    expect(joinToolCalls(decoded, [], "stop")).toBe(decoded);
  });
});

describe("encodeToolAnswer", () => {
  const options = { agentName: vectors.agentName };

  it.each(cases.filter(({ actions, complete }) => complete && actions.length > 0))(
    "is decoded to what was said and called: $name",
    ({ text, actions, keywords }) => {
      const said = [...keywords.map((keyword) => `[${keyword}]`), text].join(" ");
      const calls = actions.map(({ name, parameters: input = {} }) => ({ name, input, raw: JSON.stringify(input) }));
      const kept = encodeToolAnswer(said, calls);
      expect(decodeResponse(kept, options)).toEqual({ text, actions, keywords, complete: true });
    },
  );

  it.each(["", "Hi"])("keeps that a call could not be read: %j", (said) => {
    const kept = encodeToolAnswer(said, [{ name: "A", input: null, raw: '{"n":' }]);
    expect(kept).toContain('{\\"n\\":');
    expect(decodeResponse(kept, options)).toEqual({ text: said, actions: [], keywords: [], complete: false });
  });

  it("is the text itself without calls", () => {
    expect(encodeToolAnswer("Hi", [])).toBe("Hi");
  });
});

describe("readToolInput", () => {
  it("reads every object as it was written", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonObject;
        fc.pre(!JSON.stringify(plain).includes('"__proto__"') && !/[\d.]e[+-]?\d|\d{16}/i.test(JSON.stringify(plain)));
        expect(readToolInput(JSON.stringify(plain).toWellFormed())).toEqual(plain);
      }),
    );
  });

  it("never takes the beginning of an object for a whole one", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), fc.nat(), (value, cut) => {
        const raw = JSON.stringify(value);
        const half = raw.slice(0, 1 + (cut % (raw.length - 1)));
        expect(readToolInput(half)).toBeNull();
      }),
    );
  });

  it("throws at nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (raw) => {
        expect(typeof readToolInput(raw)).toBe("object");
      }),
    );
  });

  it.each(["", "  \n", "null", "[]", "{}", '""', '"{}"'])("takes %j for no arguments", (raw) => {
    expect(readToolInput(raw)).toEqual({});
  });

  it.each(["1", "true", "[1]", "word", '"word"', "{", '{"a":1}}', '{"a":1}{"b":2}'])("cannot read %j", (raw) => {
    expect(readToolInput(raw)).toBeNull();
  });
});

describe("createToolNames", () => {
  it("keeps names that are fit and makes the others so", () => {
    const names = createToolNames(["SEND EMAIL", "GET_WEATHER", "3D_PRINT", "天気", "A".repeat(80)]);
    expect(names.toTool("GET_WEATHER")).toBe("GET_WEATHER");
    expect(names.toTool("SEND EMAIL")).toBe("SEND_EMAIL");
    expect(names.toTool("3D_PRINT")).toBe("_3D_PRINT");
    expect(names.toTool("天気")).toBe("__");
    expect(names.toTool("A".repeat(80))).toBe("A".repeat(64));
    expect(names.toAction("SEND_EMAIL")).toBe("SEND EMAIL");
  });

  it("gives a taken name to the one that had it", () => {
    const names = createToolNames(["SEND EMAIL", "SEND_EMAIL"]);
    expect([names.toTool("SEND_EMAIL"), names.toTool("SEND EMAIL")]).toEqual(["SEND_EMAIL", "SEND_EMAIL_2"]);
  });

  it("leaves a name it does not know as the model wrote it", () => {
    expect(createToolNames(["A"]).toAction("launch it")).toBe("launch it");
  });

  it("makes every list of names fit, distinct and reversible", () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom("A B", "A_B", "A-B", "A  B", "", "_"),
      fc.string({ minLength: 60 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name), (actions) => {
        const names = createToolNames(actions);
        const tools = actions.map((action) => names.toTool(action));
        expect(tools.every(isToolName)).toBe(true);
        expect(new Set(tools).size).toBe(tools.length);
        expect(tools.map((tool) => names.toAction(tool))).toEqual(actions);
      }),
    );
  });
});
