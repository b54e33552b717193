import fc from "fast-check";
import { describe, expect, it } from "vitest";
import vectors from "../../spec/decisions.json" with { type: "json" };
import { answerFromText, decideFromText } from "./decide-from-text.ts";

describe("the conformance vectors", () => {
  it.each(vectors.respond)("say what $raw decides", ({ raw, is }) => {
    expect(decideFromText(raw)).toBe(is);
  });

  it.each(vectors.yesNo)("say what $raw answers", ({ raw, is }) => {
    expect(answerFromText(raw)).toBe(is);
  });
});

describe("decideFromText", () => {
  it.each([
    ["**[IGNORE]**", "ignore"],
    ["```\n[STOP]\n```", "stop"],
    ["```text\nRESPOND\n```", "respond"],
    ["`respond`", "respond"],
    ["*Respond*, since I was asked", "respond"],
    ['"IGNORE"', "ignore"],
    ["[ Respond ]", "respond"],
    ["[LIKE] [STOP]", "stop"],
    ['{"action":"IGNORE"}', "ignore"],
    ['```json\n{"thought":"[RESPOND]?","text":"","actions":["stop"]}\n```', "stop"],
    ['{"text":"[RESPOND]"}', "respond"],
    ['{"text":"ignore"}', "ignore"],
    ["<response><action>RESPOND</action></response>", "respond"],
    ["<response><thought>[STOP]?</thought><text>IGNORE</text></response>", "ignore"],
    ["<response>[IGNORE]</response>", "ignore"],
    ["<reasoning>RESPOND</reasoning>\nIGNORE", "ignore"],
    ["nobody asked, [RESPOND]?\n</think>\n[IGNORE]", "ignore"],
    ["<think>[RESPOND]", null],
    ["[RESPOND](http://x.test)", null],
    ['{"respond": false}', null],
    ["responding", null],
    ["respond-later", null],
    ["\ufeffRESPOND", "respond"],
  ])("reads %j as %j", (raw, decision) => {
    expect(decideFromText(raw)).toBe(decision);
  });

  it("never throws, and decides nothing out of a text without its words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (raw) => {
        fc.pre(!/respond|ignore|stop/i.test(raw));
        expect(decideFromText(raw)).toBeNull();
      }),
    );
  });
});

describe("answerFromText", () => {
  it.each([
    ["**Yes**", true],
    ["No, thanks", false],
    ["No-one knows", null],
    ["I would say yes", null],
    ["I would say [YES]", true],
    ['{"text":"yes"}', true],
    ['{"action":"NO"}', false],
    ['{"yes":false}', null],
    ["yesterday", null],
  ])("reads %j as %j", (raw, answer) => {
    expect(answerFromText(raw)).toBe(answer);
  });
});
