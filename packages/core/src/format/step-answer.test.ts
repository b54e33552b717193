import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DecodedResponse, DecoderEvent } from "./decoded-response.ts";
import { createDecoder, decodeResponse } from "./decoder.ts";

const options = { agentName: "Ada", inSteps: true } as const;

function decode(pieces: readonly string[]): {
  readonly response: DecodedResponse;
  readonly events: readonly DecoderEvent[];
} {
  const decoder = createDecoder(options);
  const events = pieces.flatMap((piece) => decoder.push(piece));
  return { response: decoder.end(), events };
}

const pieces = [
  "Let me see. ",
  "a < b & c",
  "\n",
  "<thought>hm, <b>so</b></thought>",
  '<action name="GET">{"a": "<x>"}</action>',
  '<action name="SAY">just words, {x}</action>',
  '<action name="BAD">{"a": </action>',
  '<action name="NONE"/>',
  "<actions>A, B</actions>",
  '<output name="message">one &lt; two\n```\n</b>\n```</output>',
  "<output>half",
  '<output name="mail" to="a&amp;b" subject="x">body &lt;b&gt;</output>',
  '<action name="HALF">{"a": 1',
  "</action>",
  "<response>",
  "</response>",
  "<text>t</text>",
  '`<action name="CODE"/>`',
  '{"text": "json", "actions": ["A"]}',
  "[LIKE]",
  "[IGNORE]",
  "<providers>FACTS</providers>",
  "😀",
  "\ud83d",
  "</message></news>",
  "Ada: hello",
  "<action>A</action>",
  "<",
] as const;
const answer = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })), { maxLength: 9 })
  .map((parts) => parts.join(""));

describe("an answer in steps", () => {
  it("means the same however it is cut, and what was told on the way agrees with it", () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat({ max: 40 }), { maxLength: 30 }), (raw, sizes) => {
        const cut: string[] = [];
        let at = 0;
        for (const size of sizes) {
          cut.push(raw.slice(at, at + size));
          at += size;
        }
        cut.push(raw.slice(at));
        const whole = decodeResponse(raw, options);
        const { response, events } = decode(cut);
        expect(response).toEqual(whole);
        const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
        expect(whole.text.startsWith(text)).toBe(true);
        const thought = events.map((event) => (event.type === "thought" ? event.delta : "")).join("");
        expect((whole.thought ?? "").startsWith(thought)).toBe(true);
        const actions = events.flatMap((event) => (event.type === "action" ? [event.action] : []));
        expect(whole.actions.slice(0, actions.length)).toEqual(actions);
        const outputs = events.flatMap((event) => (event.type === "output" ? [event.output] : []));
        expect(whole.outputs ?? []).toEqual(outputs);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, Partial<DecodedResponse>]>([
    [
      'One.\n<action name="A">{}</action>\nTwo.',
      { text: "One.\nTwo.", actions: [{ name: "A", parameters: {} }], complete: true },
    ],
    ['<output name="message">One</output> <output>Two</output>', { text: "One\nTwo", complete: true }],
    [`${"long ".repeat(80)}\n<action name="A"/>`, { text: "long ".repeat(80).trim(), actions: [{ name: "A" }] }],
    ['<action name="SEARCH">red shoes</action>', { actions: [{ name: "SEARCH", parameters: { text: "red shoes" } }] }],
    ['Say `<action name="A"/>` to begin.', { text: 'Say `<action name="A"/>` to begin.', actions: [] }],
    ["</output>Hi.</action></actions>\nWrite `</action>`.", { text: "Hi.\nWrite `</action>`." }],
    ["<thought>only</thought>", { thought: "only", text: "", complete: true }],
    ["", { text: "", complete: false }],
    ['<action name="A">{"b": 1', { actions: [], complete: false }],
    ['<action name="A">{"b": </action><action name="C"/>', { actions: [{ name: "C" }], complete: true }],
    [
      '<output name="mail" to="a&amp;b">Hi &lt;you&gt;</output>',
      { text: "", outputs: [{ name: "mail", attributes: { to: "a&b" }, text: "Hi <you>" }] },
    ],
    ['<output name="mail">half', { text: "", actions: [], complete: false }],
    [
      "<response><thought>t</thought><actions>A</actions><text>x</text></response>",
      { thought: "t", text: "x", actions: [{ name: "A" }] },
    ],
    ['{"thought": "t", "actions": ["A"], "text": "x"}', { text: "x", actions: [{ name: "A" }] }],
  ])("reads %j", (raw, expected) => {
    expect(decodeResponse(raw, options)).toMatchObject(expected);
    expect("outputs" in decodeResponse(raw, options)).toBe(expected.outputs !== undefined);
  });

  it("tells an unreadable call by its name, and the opening of each", () => {
    const { events } = decode(['<action name="A">{"b": </action><action name="C">{}</action>']);
    expect(events).toEqual([
      { type: "action-begun", name: "A" },
      { type: "unreadable", name: "A", raw: '{"b": ' },
      { type: "action-begun", name: "C" },
      { type: "action", index: 0, action: { name: "C", parameters: {} } },
    ]);
  });
});
