import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fact, isSingle } from "./fact.ts";
import { type Claim, mergeClaims } from "./merge-facts.ts";

const day = 24 * 60 * 60 * 1000;

function claim(change: Partial<Claim> = {}): Claim {
  const sourceMemoryId = change.sourceMemoryId ?? "message";
  const text = change.text ?? `Mona lives in ${change.value ?? "Rome"}.`;
  return {
    id: `${sourceMemoryId}:${change.subjectId ?? "mona"}:${text}`,
    roomId: "room",
    subjectId: "mona",
    text,
    key: "home city",
    value: "Rome",
    confidence: 0.8,
    salience: 0.5,
    saidById: "mona",
    saidAt: day,
    isPrivate: true,
    sourceMemoryId,
    sourceRunId: "run",
    ...change,
  };
}

const told = (facts: readonly Fact[]): unknown[] =>
  facts.map(({ value, validFrom, validUntil, times }) => ({ value, validFrom, validUntil, times }));

describe("taking claims in", () => {
  it("makes what is said again surer instead of keeping it twice", () => {
    const again = claim({ sourceMemoryId: "second", text: "Mona's home is Rome", value: "rome!" });
    const { facts } = mergeClaims([], [claim(), again]);
    expect(facts).toMatchObject([{ times: 2, sourceIds: ["message", "second"] }]);
    expect(facts[0]?.confidence).toBeCloseTo(0.96);
  });

  it("keeps what no longer holds as the older version", () => {
    const oslo = claim({ value: "Oslo", sourceMemoryId: "second", saidAt: 9 * day, since: 5 * day });
    const { facts } = mergeClaims([], [claim(), oslo]);
    expect(told(facts)).toEqual([
      { value: "Rome", validFrom: day, validUntil: 5 * day, times: 1 },
      { value: "Oslo", validFrom: 5 * day, validUntil: undefined, times: 1 },
    ]);
    expect(facts[0]?.supersededBy).toBe(facts[1]?.id);
    expect(facts[1]?.supersedes).toBe(facts[0]?.id);
  });

  it("lets several things be liked at once, until one is named that holds no more", () => {
    const likes = (value: string, more: Partial<Claim> = {}): Claim =>
      claim({ key: "likes", value, text: `Mona likes ${value}.`, sourceMemoryId: value, ...more });
    const { facts } = mergeClaims([], [likes("tea"), likes("coffee")]);
    expect(facts.filter(({ validUntil }) => validUntil === undefined)).toHaveLength(2);
    const tea = facts.find(({ value }) => value === "tea");
    const after = mergeClaims(facts, [likes("cocoa", { replaces: tea?.id ?? "", saidAt: 3 * day })]);
    expect(told(after.facts)[0]).toMatchObject({ value: "tea", validUntil: 3 * day });
  });

  it("puts what was over when it was told where it belongs", () => {
    const past = claim({ value: "Paris", sourceMemoryId: "second", saidAt: 9 * day, until: 2 * day, since: 0 });
    const { facts } = mergeClaims([], [claim(), past]);
    expect(told(facts)).toEqual([
      { value: "Rome", validFrom: day, validUntil: undefined, times: 1 },
      { value: "Paris", validFrom: 0, validUntil: 2 * day, times: 1 },
    ]);
  });

  it("takes in what was said before but heard later as the older version", () => {
    const earlier = claim({ value: "Paris", sourceMemoryId: "second", saidAt: 0 });
    const { facts } = mergeClaims([], [claim(), earlier]);
    expect(told(facts)[1]).toMatchObject({ value: "Paris", validUntil: day });
  });

  it("does not mistake one person for another", () => {
    const bob = claim({ subjectId: "bob", value: "Oslo", sourceMemoryId: "second" });
    expect(mergeClaims([], [claim(), bob]).facts.every(({ validUntil }) => validUntil === undefined)).toBe(true);
  });
});

const anyClaim = fc
  .record({
    subjectId: fc.constantFrom("mona", "bob"),
    key: fc.constantFrom("home city", "likes", undefined),
    value: fc.constantFrom("Rome", "Oslo", "Tea"),
    sourceMemoryId: fc.constantFrom("m1", "m2", "m3", "m4", "m5"),
    saidAt: fc.integer({ min: 0, max: 20 }).map((days) => days * day),
    since: fc.option(
      fc.integer({ min: 0, max: 30 }).map((days) => days * day),
      { nil: undefined },
    ),
    until: fc.option(
      fc.integer({ min: 0, max: 30 }).map((days) => days * day),
      { nil: undefined, freq: 5 },
    ),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ key, since, until, value, ...given }) => {
    const { key: _key, ...made } = claim({ ...given, value, text: `${given.subjectId}: ${key ?? "some"} ${value}` });
    const times = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
    return { ...made, ...times, ...(key !== undefined && { key }) } satisfies Claim;
  });
const anyClaims = fc.array(anyClaim, { maxLength: 12 });

describe("whatever is claimed", () => {
  it("is taken in once: the same claims again change nothing", () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const { facts } = mergeClaims([], claims);
        const again = mergeClaims(facts, claims);
        expect(again.facts).toEqual(facts);
        expect(again.changed.size).toBe(0);
      }),
    );
  });

  it("leaves nothing out and nothing twice", () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const { facts } = mergeClaims([], claims);
        expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
        for (const { text } of claims) expect(facts.some((fact) => fact.text === text)).toBe(true);
      }),
    );
  });

  it("never holds two of what a person has one of", () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const { facts } = mergeClaims([], claims);
        const current = facts.filter(({ key, validUntil }) => isSingle(key) && validUntil === undefined);
        const places = current.map(({ subjectId, key }) => `${subjectId} ${key}`);
        expect(new Set(places).size).toBe(places.length);
      }),
    );
  });

  it("has a beginning before its end, a doubt, and versions that know each other", () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const { facts } = mergeClaims([], claims);
        const byId = new Map(facts.map((fact) => [fact.id, fact]));
        for (const { validFrom, validUntil, confidence, times, sourceIds, supersedes, supersededBy } of facts) {
          expect(validUntil ?? validFrom).toBeGreaterThanOrEqual(validFrom);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(times).toBe(sourceIds.length);
          if (supersedes !== undefined) expect(byId.get(supersedes)?.supersededBy).toBeDefined();
          if (supersededBy !== undefined) expect(byId.has(supersededBy)).toBe(true);
        }
      }),
    );
  });
});
