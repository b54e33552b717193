import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMentions, createNaming, longTextLength } from "./forget-text.ts";

const long = fc
  .string({ unit: "grapheme", minLength: longTextLength, maxLength: 200 })
  .filter((text) => text.trim().length >= longTextLength);

describe("createMentions", () => {
  it("finds a long text wherever it stands, also within JSON", () => {
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 5 }), fc.string(), fc.string(), (texts, before, after) => {
        const mentions = createMentions(texts, []);
        for (const text of texts) {
          expect(mentions(`${before} ${text} ${after}`)).toBe(true);
          expect(mentions(JSON.stringify({ said: `${before}: ${text.trim()}.${after}` }))).toBe(true);
        }
      }),
    );
  });

  it("finds a text whose middle was left out, and one whose tags lost their brackets", () => {
    const text = `${"beginning ".repeat(20)}<message>${"end ".repeat(40)}`;
    const mentions = createMentions([text], []);
    expect(mentions(`${text.slice(0, 100)} … ${text.slice(-100)}`)).toBe(true);
    expect(mentions(text.slice(180, 280).replace("<", "&lt;"))).toBe(true);
    expect(mentions("the beginning of another end")).toBe(false);
  });

  it("does not take a longer text for one whose beginning it shares by chance", () => {
    const mentions = createMentions(["I live in house number 1"], []);
    expect(mentions('<message from="Bo">I live in house number 12</message>')).toBe(false);
    expect(mentions("she said: I live in house number 1, you know")).toBe(true);
    expect(createMentions(["我住在北京大学附近的一栋老房子里面"], [])("她说我住在北京大学附近的一栋老房子里面了")).toBe(
      true,
    );
  });

  it("does not take what anybody could have said for theirs", () => {
    expect(createMentions(["ok", "good morning"], [])("ok, good morning to you all")).toBe(false);
  });

  it("finds names as whole words, short ones only where they say who wrote", () => {
    const mentions = createMentions([], ["Zoë (she)", "Al", ""]);
    expect(mentions("yesterday Zoë (she) came")).toBe(true);
    expect(mentions("yesterday NotZoë (she) came")).toBe(false);
    expect(mentions('<message from="Al">hi</message>')).toBe(true);
    expect(mentions("Al came")).toBe(false);
    expect(mentions("nobody")).toBe(false);
  });
});

describe("createNaming", () => {
  it("finds ids, short ones as whole words", () => {
    const names = createNaming(["e1", "0b1f7c2e-1111-4222-8333-944455556666", ""]);
    expect(names("zone/e1")).toBe(true);
    expect(names("zone/e11")).toBe(false);
    expect(names("x0b1f7c2e-1111-4222-8333-944455556666x")).toBe(true);
    expect(names("0b1f7c2e-1111-4222-8333-944455556667")).toBe(false);
  });
});
