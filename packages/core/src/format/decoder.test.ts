import fc from "fast-check";
import { describe, expect, it } from "vitest";
import vectors from "../../spec/responses.json" with { type: "json" };
import type { DecodedResponse, DecoderEvent } from "./decoded-response.ts";
import { createDecoder, decodeResponse } from "./decoder.ts";
import { ownVectors } from "./fixtures/own-vectors.ts";

const options = { agentName: vectors.agentName };

type Streamed = { readonly response: DecodedResponse; readonly events: readonly DecoderEvent[] };

function stream(pieces: readonly string[], finishReason?: string): Streamed {
  const decoder = createDecoder(options);
  const events = pieces.flatMap((piece) => [...decoder.push(piece)]);
  return { response: decoder.end({ finishReason }), events };
}

function cutAt(raw: string, cuts: readonly number[]): string[] {
  const sorted = [...new Set(cuts.map((cut) => cut % (raw.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((cut, index) => raw.slice(cut, sorted[index] ?? raw.length));
}

const cutsOf = fc.array(fc.nat({ max: 10_000 }), { maxLength: 12 });

/** What was told on the way agrees with the outcome. */
function expectTruthful({ response, events }: Streamed): void {
  let text = "";
  let thought = "";
  const keywords: string[] = [];
  for (const event of events) {
    if (event.type === "text") {
      text += event.delta;
      expect(event.delta).not.toBe("");
      expect(response.text.startsWith(text)).toBe(true);
    } else if (event.type === "thought") {
      thought += event.delta;
      expect((response.thought ?? "").startsWith(thought)).toBe(true);
    } else if (event.type === "keyword") keywords.push(event.keyword);
    else if (event.type === "action") expect(response.actions[event.index]).toEqual(event.action);
    else expect.unreachable(`${event.type} is told only where steps are read`);
  }
  expect(response.keywords.slice(0, keywords.length)).toEqual(keywords);
}

function expectSame(raw: string, pieces: readonly string[]): void {
  const streamed = stream(pieces);
  expect(streamed.response).toEqual(decodeResponse(raw, options));
  expectTruthful(streamed);
}

describe("the conformance vectors", () => {
  for (const { name, raw, ...meaning } of vectors.cases) {
    it(`hold whole, character by character and at any cut: ${name}`, () => {
      expect(decodeResponse(raw, options)).toEqual(meaning);
      const streamed = stream(raw.split(""));
      expect(streamed.response).toEqual(meaning);
      expectTruthful(streamed);
      fc.assert(
        fc.property(cutsOf, (cuts) => expectSame(raw, cutAt(raw, cuts))),
        { numRuns: 50 },
      );
    });
  }
});

describe("answers as models write them", () => {
  for (const { name, raw, ...meaning } of ownVectors) {
    it(`mean the same whole and at any cut: ${name}`, () => {
      expect(decodeResponse(raw, options)).toEqual(meaning);
      expectSame(raw, raw.split(""));
      fc.assert(
        fc.property(cutsOf, (cuts) => expectSame(raw, cutAt(raw, cuts))),
        { numRuns: 20 },
      );
    });
  }
});

const pieces = [
  '{"',
  '"text":"',
  '"text"',
  ":",
  '"',
  ",",
  "}",
  "{",
  "[",
  "]",
  '"action":"PAY"',
  '"actions":[',
  '"thought":"',
  '\\"',
  "\\",
  "\\n",
  "\\u00",
  "\\ud83d",
  "\ude00",
  "\ud83d",
  "😀",
  "'",
  "`",
  "```",
  "```json\n",
  "\n```",
  "\n",
  " ",
  "  ",
  "\t",
  "\r\n",
  "[LIKE]",
  "[ retweet ]",
  "[LI",
  "[STOP](",
  "[STOP]",
  "(",
  "<",
  ">",
  "</",
  "<response>",
  "</response>",
  "<text>",
  "</text>",
  '<output type="message">',
  "</output>",
  "<think>",
  "</think>",
  "<thinking>",
  "<reasoning>",
  "</reasoning>",
  "<thought>",
  "</thought>",
  "<actions>",
  "</actions>",
  "<action>",
  "</action>",
  '<action_call name="PAY">',
  "</action_call>",
  "<providers>",
  "</providers>",
  '{"amount":1}',
  "&",
  "&amp;",
  "&lt",
  ";",
  "<![CDATA[",
  "]]>",
  "//",
  "/*",
  "*/",
  "Ada",
  "Ada:",
  "hello",
  "a",
  "x".repeat(90),
  "x".repeat(256),
  "null",
  "12",
  "true",
  "\ufeff",
  "\u200b",
  "\0",
  "é",
  '"parameters":{',
  '{"text":"hi","action":"NONE"}',
  "{'text': 'it",
  "text:",
  '"{\\"text\\":\\"hi\\"}"',
  '","',
  '"}',
] as const;
const rubbish = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    ),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(""));

describe("any text at all", () => {
  it("never makes the decoder throw and means the same whole and at any cut", () => {
    fc.assert(
      fc.property(rubbish, cutsOf, (raw, cuts) => {
        expectSame(raw, cutAt(raw, cuts));
        expectSame(raw, raw.split(""));
      }),
      { numRuns: Number(process.env["TROUPE_FUZZ_RUNS"] ?? 600) },
    );
  });

  it("is well-formed, trimmed and free of nested control values when decoded", () => {
    fc.assert(
      fc.property(rubbish, (raw) => {
        const { text, thought } = decodeResponse(raw, options);
        expect(text).toBe(text.trim());
        expect(text.isWellFormed()).toBe(true);
        expect(thought).not.toBe("");
        expect((thought ?? "").isWellFormed()).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it("keeps what was shown when the stream ends early, whatever the finish reason", () => {
    fc.assert(
      fc.property(rubbish, cutsOf, (raw, cuts) => {
        const streamed = stream(cutAt(raw, cuts), "length");
        expectTruthful(streamed);
        expect(streamed.response.complete).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it("comes back as it was when it is put into JSON as a text", () => {
    const plain = fc.string({ unit: "binary" }).filter((text) => !/[[<{]/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(decodeResponse(JSON.stringify({ text, action: "NONE" }), options)).toEqual({
          text: text.trim(),
          actions: [{ name: "NONE" }],
          keywords: [],
          complete: true,
        });
      }),
    );
  });

  it("comes back as it was when it is the parameters of a call", () => {
    const parameters = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue({ maxDepth: 3 }),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(parameters, (value) => {
        const raw = JSON.stringify({ text: "", actions: [{ name: "A", parameters: value }] });
        const parsed: unknown = JSON.parse(
          JSON.stringify(value, (_, inner) =>
            Number.isSafeInteger(inner) || typeof inner !== "number" ? inner : String(inner),
          ),
        );
        const read = JSON.parse(
          JSON.stringify(decodeResponse(raw, options).actions[0]?.parameters, (_, inner) =>
            Number.isSafeInteger(inner) || typeof inner !== "number" ? inner : String(inner),
          ),
        );
        expect(read).toEqual(parsed);
      }),
    );
  });
});

describe("every beginning of an answer", () => {
  it("shows no JSON, no tag and no half action", () => {
    const answers = [
      '{"thought":"t","actions":["REPLY",{"name":"PAY","parameters":{"amount":1}}],"text":"Hello \\"you\\" 😀 [LIKE]"}',
      '```json\n{"text":"Hello \\u00e9 there","action":"NONE"}\n```',
      "<response><thought>t</thought><actions>REPLY, PAY</actions><text>Hello &amp; bye [LIKE]</text></response>",
      '<response><action_call name="PAY">{"amount":1}</action_call><output type="message">Hello</output></response>',
      "```xml\n<response><text>Hello</text></response>\n```",
    ];
    for (const answer of answers) {
      const whole = decodeResponse(answer, options);
      for (let length = 1; length < answer.length; length++) {
        const { text, actions, complete } = decodeResponse(answer.slice(0, length), options);
        if (/^`{1,2}$|^<$/.test(answer.slice(0, length))) continue;
        expect(whole.text.startsWith(text), answer.slice(0, length)).toBe(true);
        expect(whole.actions.slice(0, actions.length)).toEqual(actions);
        if (actions.length < whole.actions.length) expect(complete, answer.slice(0, length)).toBe(false);
      }
    }
  });
});

describe("the streaming decoder", () => {
  it("shows text of an answer block as it comes", () => {
    const decoder = createDecoder(options);
    expect(decoder.push('{"actions":["LOOK')).toEqual([]);
    expect(decoder.push('"],"text":"Hel')).toEqual([
      { type: "action", index: 0, action: { name: "LOOK" } },
      { type: "text", delta: "Hel" },
    ]);
    expect(decoder.push("lo [LI")).toEqual([{ type: "text", delta: "lo" }]);
    expect(decoder.push("KE] ")).toEqual([{ type: "keyword", keyword: "LIKE" }]);
    expect(decoder.push("you\ud83d")).toEqual([{ type: "text", delta: " you" }]);
    expect(decoder.push("\ude00")).toEqual([{ type: "text", delta: "😀" }]);
    expect(decoder.push('!"}')).toEqual([{ type: "text", delta: "!" }]);
    expect(decoder.end()).toEqual({
      text: "Hello you😀!",
      actions: [{ name: "LOOK" }],
      keywords: ["LIKE"],
      complete: true,
    });
  });

  it("holds back 256 characters of prose and shows the rest as it comes", () => {
    const decoder = createDecoder(options);
    expect(decoder.push("x".repeat(256))).toEqual([]);
    expect(decoder.push("  \n")).toEqual([]);
    expect(decoder.push("y")).toEqual([{ type: "text", delta: `${"x".repeat(256)}  \ny` }]);
    expect(decoder.push(" z")).toEqual([{ type: "text", delta: " z" }]);
  });

  it("tells a call at its closing tag", () => {
    const decoder = createDecoder(options);
    expect(decoder.push('<response><action_call name="A">{"a":1}</action_call')).toEqual([]);
    expect(decoder.push(">")).toEqual([{ type: "action", index: 0, action: { name: "A", parameters: { a: 1 } } }]);
  });

  it("returns the same at every end, and takes nothing more afterwards", () => {
    const decoder = createDecoder(options);
    decoder.push("Hi");
    const response = decoder.end();
    expect(decoder.push(" there")).toEqual([]);
    expect(decoder.end({ finishReason: "length" })).toBe(response);
  });

  it.each(["length", "error", "abort", "aborted", "filter", "content-filter"])(
    "takes the finish reason %s for a cut",
    (finishReason) => {
      expect(stream(['{"text":"Hi"}'], finishReason).response).toMatchObject({ text: "Hi", complete: false });
    },
  );

  it.each(["stop", "tool-calls", "other", undefined])("takes the finish reason %s for an end", (finishReason) => {
    expect(stream(['{"text":"Hi"}'], finishReason).response).toMatchObject({ text: "Hi", complete: true });
  });

  it("drops half a keyword or tag when the answer was cut, and shows it otherwise", () => {
    expect(stream(["Nice [LI"], "length").response.text).toBe("Nice");
    expect(stream(["Nice [LI"]).response.text).toBe("Nice [LI");
    expect(stream(["Nice <thin"], "length").response.text).toBe("Nice");
    expect(stream(["Nice <thin"]).response.text).toBe("Nice <thin");
  });
});

describe("the limit of the prose before an answer", () => {
  const block = '{"text":"answer"}';
  it.each(["", "\n", "\n```json\n", "\n\n```\n"])("is 256 characters, whatever stands between: %j", (between) => {
    const close = between.includes("`") ? "\n```" : "";
    const at = (length: number): string => decodeResponse("x".repeat(length) + between + block + close, options).text;
    expect(at(256)).toBe("answer");
    expect(at(257)).toBe("x".repeat(257) + between + block + close);
    const raw = "x".repeat(256) + between + block + close;
    expectSame(raw, raw.split(""));
  });

  it("holds for tags too", () => {
    const tags = "<response><text>answer</text></response>";
    expect(decodeResponse(`${"x".repeat(256)}\n${tags}`, options).text).toBe("answer");
    expect(decodeResponse(`${"x".repeat(257)}\n${tags}`, options).text).toBe(`${"x".repeat(257)}\n${tags}`);
  });
});

describe("hostile input", () => {
  it.each([
    "[",
    "<",
    "`",
    "{",
    "\\",
    '"',
    "&",
    "<think>",
    "[LIKE]",
    '{"a":',
    "<text ",
    "</",
    '{"a',
    '"text":"a" ',
    "[ ",
  ])("of a hundred thousand characters is read to its end: %j", (piece) => {
    const raw = piece.repeat(Math.ceil(100_000 / piece.length));
    for (const whole of [raw, `{"text":"${raw}`, `{"actions":[${raw}`, `<response><text>${raw}`, `<response>${raw}`]) {
      expect(typeof decodeResponse(whole, options).text).toBe("string");
    }
  });

  it("does not reach an object's prototype", () => {
    const raw =
      '{"__proto__":{"polluted":1},"text":"x","actions":[{"name":"A","parameters":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}],"constructor":1}';
    const { actions } = decodeResponse(raw, options);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((actions[0]?.parameters as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.keys(actions[0]?.parameters ?? {})).toEqual(["constructor"]);
  });

  it("drops a call whose parameters are nested too deep", () => {
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const raw = `{"text":"Hi","actions":[{"name":"A","parameters":${deep}},"B"]}`;
    expect(decodeResponse(raw, options)).toEqual({
      text: "Hi",
      actions: [{ name: "B" }],
      keywords: [],
      complete: false,
    });
  });
});
