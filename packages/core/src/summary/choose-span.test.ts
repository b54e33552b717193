import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";
import { chooseSpan } from "./choose-span.ts";

const budget = { messages: 8, tokens: 1_000, messageCharacters: 1_000 };

function messages(count: number, text = "Something was said."): Memory[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `m${at}`,
    agentId: "agent",
    roomId: "room",
    entityId: "person",
    type: "message",
    content: { text },
    createdAt: at,
  }));
}
const ids = (span: readonly Memory[]): string[] => span.map(({ id }) => id);

describe("choosing what to sum up", () => {
  it("leaves alone what is shown anyway", () => {
    expect(chooseSpan(messages(7), new Set(), budget)).toEqual([]);
  });

  it("takes the oldest once half a window is left behind", () => {
    expect(ids(chooseSpan(messages(8), new Set(), budget))).toEqual(["m0", "m1", "m2", "m3"]);
  });

  it("takes nothing twice", () => {
    const covered = new Set(["m0", "m1", "m2", "m3"]);
    expect(chooseSpan(messages(11), covered, budget)).toEqual([]);
    expect(ids(chooseSpan(messages(12), covered, budget))).toEqual(["m4", "m5", "m6", "m7"]);
  });

  it("takes what was left between with the next, and makes no span of it alone", () => {
    const covered = new Set(["m0", "m2", "m3"]);
    expect(chooseSpan(messages(8), covered, budget)).toEqual([]);
    expect(ids(chooseSpan(messages(11), covered, budget))).toEqual(["m1", "m4", "m5", "m6"]);
  });

  it("counts words where messages are long", () => {
    const long = messages(4, "word ".repeat(400));
    expect(ids(chooseSpan(long, new Set(), budget))).toEqual(["m0", "m1"]);
  });

  it("never touches the newest, never takes what is covered, and has an end", () => {
    const any = fc.record({
      count: fc.integer({ min: 0, max: 120 }),
      covered: fc.uniqueArray(fc.integer({ min: 0, max: 119 })),
      window: fc.integer({ min: 0, max: 60 }),
      tokens: fc.integer({ min: 100, max: 4_000 }),
      words: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(any, ({ count, covered, window, tokens, words }) => {
        const all = messages(count, "word ".repeat(words));
        const known = new Set(covered.map((at) => `m${at}`));
        const limits = { ...budget, messages: window, tokens };
        for (let round = 0; ; round++) {
          const span = chooseSpan(all, known, limits);
          if (span.length === 0) break;
          expect(round).toBeLessThan(130);
          expect(span.length).toBeLessThanOrEqual(50);
          expect(ids(span)).not.toContain(`m${count - 1}`);
          expect(all.filter((memory) => span.includes(memory))).toEqual(span);
          for (const { id } of span) {
            expect(known.has(id)).toBe(false);
            known.add(id);
          }
        }
      }),
    );
  });
});
