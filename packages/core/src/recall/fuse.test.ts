import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";
import type { SearchHit } from "../store/store.ts";
import { defaultWeights, fuse } from "./fuse.ts";

const day = 24 * 60 * 60 * 1000;
const now = 1_000 * day;

function memory(id: string, daysAgo = 0, salience?: number): Memory {
  return {
    id,
    agentId: "agent",
    roomId: "room",
    entityId: "person",
    type: "message",
    content: { text: id },
    createdAt: now - daysAgo * day,
    ...(salience !== undefined && { metadata: { salience } }),
  };
}
const hits = (...memories: Memory[]): SearchHit[] => memories.map((one, at) => ({ memory: one, score: 10 - at }));
const ids = (found: ReturnType<typeof fuse>): string[] => found.map((one) => one.memory.id);

describe("joining two searches", () => {
  it("prefers what both found to what one found first", () => {
    const [a, b, c] = [memory("a"), memory("b"), memory("c")];
    expect(ids(fuse({ text: hits(a, b), vector: hits(c, b) }, now))).toEqual(["b", "a", "c"]);
  });

  it("prefers the newer among equals, and what matters more", () => {
    const [old, fresh] = [memory("old", 90), memory("fresh", 1)];
    expect(ids(fuse({ text: hits(old), vector: hits(fresh) }, now))).toEqual(["fresh", "old"]);
    const [small, great] = [memory("small", 1, 0), memory("great", 1, 1)];
    expect(ids(fuse({ text: hits(small), vector: hits(great) }, now))).toEqual(["great", "small"]);
  });

  it("says why each came", () => {
    const [a, b] = [memory("a"), memory("b", 30)];
    const [first] = fuse({ text: hits(b), vector: hits(a, b) }, now);
    expect(first?.why).toEqual({
      text: { rank: 1, score: 10 },
      vector: { rank: 2, similarity: 9 },
      recency: 0.5,
      salience: 0.5,
    });
  });

  it("keeps each memory once, falls with the rank and never invents one", () => {
    const some = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }))
      .map((numbers) => hits(...numbers.map((n) => memory(`m${n}`))));
    fc.assert(
      fc.property(some, some, (text, vector) => {
        const found = fuse({ text, vector }, now);
        const all = new Set([...text, ...vector].map((hit) => hit.memory.id));
        expect(new Set(ids(found))).toEqual(all);
        expect(found).toHaveLength(all.size);
        const scores = found.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        if (vector.length === 0) expect(ids(found)).toEqual(text.map((hit) => hit.memory.id));
      }),
    );
  });

  it("counts words alone when the meaning has no weight", () => {
    const [a, b] = [memory("a"), memory("b")];
    const weights = { ...defaultWeights, vector: 0 };
    expect(ids(fuse({ text: hits(a, b), vector: hits(b, a) }, now, weights))).toEqual(["a", "b"]);
  });
});
