import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTownTalk, townNames } from "./index.ts";

describe("the talk of a town", () => {
  it("is the same where the chances are", () => {
    const speak = (): string[] => {
      let state = 3;
      const random = (): number => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return state / 2 ** 31;
      };
      const talk = createTownTalk({ random });
      return Array.from({ length: 20 }, () => `${talk.remark()} ${talk.question()} ${talk.answer()} ${talk.topic()}`);
    };
    expect(speak()).toEqual(speak());
    expect(new Set(speak()).size).toBeGreaterThan(15);
  });

  it("is whole sentences about the topics, whatever the chances", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (chance) => {
        const talk = createTownTalk({ random: () => chance, topics: ["tides", "kelp"] });
        expect(talk.remark()).toMatch(/^[A-Z].* (tides|kelp)\.$/);
        expect(talk.question()).toMatch(/^[a-z].* (tides|kelp)\?$/);
        expect(talk.answer()).toMatch(/^[A-Z].*\.$/);
      }),
    );
  });

  it("says what is missing when there is nothing to choose from", () => {
    expect(() => createTownTalk({ random: () => 0.5, topics: [] }).topic()).toThrow("give the town topics");
  });

  it("gives everybody another name", () => {
    expect(new Set(townNames(26)).size).toBe(26);
    expect(townNames(2)).toEqual(["Bo", "Beth"]);
  });
});
