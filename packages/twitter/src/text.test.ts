import { splitText } from "@troupe/core/outbox";
import fc from "fast-check";
import twitter from "twitter-text";
import { describe, expect, it } from "vitest";
import {
  comparableText,
  countLinks,
  findLinks,
  likeness,
  textLimit,
  weightedLength,
  withoutForbidden,
} from "./text.ts";

const limits = { textLength: textLimit, unit: "weighted", measure: weightedLength, findLinks } as const;
const lengthOf = (text: string): number => twitter.parseTweet(text).weightedLength;

/** Texts with everything X counts in its own way. */
const piecesOfText = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z]{1,12}$/) },
  { weight: 3, arbitrary: fc.constantFrom("漢字かな交じり文", "한국어", "שלום", "жизнь", "ü", "e\u0301", "—", "…") },
  { weight: 3, arbitrary: fc.constantFrom("👩‍👩‍👧‍👦", "👋🏽", "🇩🇪", "❤️", "1️⃣", "☺", "🏴󠁧󠁢󠁥󠁮󠁧󠁿") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "https://example.com/a/very/long/path?with=query&and=more#fragment",
      "example.org",
      "http://t.co/x",
      "www.troupe.dev/docs",
      "sub.domain.co.uk/x",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("@ada_bot", "#brass", "$TSLA", "&", "<", "\n\n", "```") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
);
const texts = fc.array(piecesOfText, { maxLength: 90 }).map((parts) => parts.join(" "));

describe("the weighted length", () => {
  it("counts as X does", () => {
    const cases = [
      ["", 0],
      ["hello", 5],
      ["漢字", 4],
      ["👩‍👩‍👧‍👦", 2],
      ["https://example.com/and/something/much/longer", 23],
      ["see example.org", 27],
    ] as const;
    for (const [text, length] of cases) expect(text === "" ? 0 : weightedLength(text)).toBe(length);
  });

  it("cuts any text into pieces that X takes, and loses no word", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = splitText(text, limits);
        for (const piece of pieces) {
          expect(lengthOf(piece)).toBeLessThanOrEqual(textLimit);
          expect(piece.isWellFormed()).toBe(true);
        }
        if (text.includes("```")) return;
        const bare = (value: string): string => value.toWellFormed().replace(/\s+/gu, "");
        expect(bare(pieces.join(""))).toBe(bare(text));
      }),
      { numRuns: 300 },
    );
  });

  it("leaves room for numbers, and keeps links whole", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = splitText(text, limits, { isNumbered: true });
        for (const piece of pieces) expect(lengthOf(piece)).toBeLessThanOrEqual(textLimit);
        expect(pieces.reduce((sum, piece) => sum + countLinks(piece), 0)).toBeGreaterThanOrEqual(countLinks(text));
      }),
      { numRuns: 150 },
    );
  });
});

describe("what is forbidden", () => {
  it("is not there any more, whatever the text", () => {
    const all = { links: true, mentions: true, hashtags: true } as const;
    fc.assert(
      fc.property(texts, (text) => {
        const kept = withoutForbidden(text, all);
        expect(twitter.extractUrls(kept)).toEqual([]);
        expect(twitter.extractMentions(kept)).toEqual([]);
        expect(twitter.extractHashtags(kept)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves what is allowed as it was", () => {
    const none = { links: false, mentions: false, hashtags: false } as const;
    expect(withoutForbidden("@bo #brass https://example.com", none)).toBe("@bo #brass https://example.com");
    const some = { links: ["example.com"], mentions: ["bo"], hashtags: ["ad"] } as const;
    expect(withoutForbidden("@bo @cy #ad #brass sub.example.com x.org", some)).toBe("bo @cy ad #brass x.org");
  });
});

describe("texts that are compared", () => {
  it("are the same as typed and as X shows them", () => {
    const links = [
      { url: "https://t.co/a", expandedUrl: "https://example.com/x/", isMedia: false },
      { url: "https://t.co/b", expandedUrl: "http://troupe.dev", isMedia: false },
      { url: "https://t.co/c", expandedUrl: "https://twitter.com/ada/status/1/photo/1", isMedia: true },
    ];
    const shown = "@bo @cy A &amp; B:  https://t.co/a or https://t.co/b https://t.co/c";
    expect(comparableText(shown, links)).toBe(comparableText("A & B: https://example.com/x/ or troupe.dev"));
  });

  it("are alike by their words", () => {
    expect(likeness("Engines are made of brass", "engines are MADE of brass!")).toBe(1);
    expect(likeness("Engines are made of brass", "Cats sleep in the sun")).toBe(0);
    expect(likeness("", "")).toBe(1);
  });
});
