import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVectorIndex, encodeVector } from "./vector-index.ts";

const nowhere = { room: 0, entity: 0, type: 0 };
const sign = fc.constantFrom(-1, 1);

/** Vectors of signs alone: their code is all there is to them. */
function signs(dimensions: number): fc.Arbitrary<Float32Array> {
  return fc.array(sign, { minLength: dimensions, maxLength: dimensions }).map((values) => Float32Array.from(values));
}

function distance(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + Number(value !== right[at]), 0);
}

function query(vector: Float32Array) {
  return { vector, code: encodeVector(vector, new Float32Array(0)) };
}

describe("createVectorIndex", () => {
  it("finds those that differ least, whatever came and went", () => {
    const world = fc.integer({ min: 1, max: 300 }).chain((dimensions) =>
      fc.record({
        wanted: signs(dimensions),
        vectors: fc.array(signs(dimensions), { minLength: 1, maxLength: 60 }),
        gone: fc.array(fc.nat(59), { maxLength: 30 }),
        count: fc.integer({ min: 1, max: 70 }),
      }),
    );
    fc.assert(
      fc.property(world, ({ wanted, vectors, gone, count }) => {
        const index = createVectorIndex(wanted.length);
        for (const [no, vector] of vectors.entries()) index.set(no, query(vector).code, nowhere);
        for (const no of gone) index.delete(no);
        const left = vectors.flatMap((vector, no) =>
          gone.includes(no) ? [] : [[no, distance(vector, wanted)] as const],
        );
        const found = index.nearest(query(wanted), count, null);
        expect(index.size).toBe(left.length);
        expect(new Set(found).size).toBe(found.length);
        expect(found.length).toBeGreaterThanOrEqual(Math.min(count, left.length));
        const least = left.map(([, one]) => one).toSorted((a, b) => a - b);
        const farthest = least[Math.min(count, least.length) - 1] ?? 0;
        for (const [no, one] of left) if (one < farthest) expect(found).toContain(no);
        for (const no of found) expect(new Map(left).get(no)).toBeLessThanOrEqual(farthest);
      }),
    );
  });

  it("grows beyond what it began with and still finds each", () => {
    const index = createVectorIndex(128);
    const vectorOf = (no: number) => Float32Array.from({ length: 128 }, (_, at) => Math.sin((no + 1) * (at + 1) * 1.7));
    for (let no = 0; no < 5000; no++) index.set(no * 3, query(vectorOf(no)).code, nowhere);
    for (const no of [0, 1, 1023, 1024, 4999]) expect(index.nearest(query(vectorOf(no)), 3, null)).toContain(no * 3);
  });

  it("looks only at places that are wanted", () => {
    const index = createVectorIndex(64);
    const vector = new Float32Array(64).fill(1);
    for (let no = 0; no < 100; no++) {
      index.set(no, query(vector).code, { room: no % 10, entity: no % 2, type: 0 });
    }
    index.delete(13);
    const found = index.nearest(query(vector), 50, (room, entity) => room === 3 || (room === 5 && entity === 0));
    expect(found.toSorted((a, b) => a - b)).toEqual([3, 23, 33, 43, 53, 63, 73, 83, 93]);
  });

  it("replaces a code that is set again", () => {
    const index = createVectorIndex(32);
    const up = new Float32Array(32).fill(1);
    const down = new Float32Array(32).fill(-1);
    index.set(1, query(up).code, nowhere);
    index.set(2, query(up).code, nowhere);
    index.set(2, query(down).code, nowhere);
    expect(index.nearest(query(down), 1, null)).toEqual([2]);
    expect(index.size).toBe(2);
  });
});
