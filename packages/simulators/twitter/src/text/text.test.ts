import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessLanguage, hasLink, show, weightedLength } from "./entities.ts";
import { parseQuery, QueryError } from "./search-query.ts";

const find = (username: string): { id: string; username: string } => ({ id: "1", username });

describe("a text", () => {
  it("is counted as X counts", () => {
    expect(weightedLength("a".repeat(280))).toBe(280);
    expect(weightedLength("狐".repeat(10))).toBe(20);
    expect(weightedLength("https://example.com/a/very/long/path/indeed")).toBe(23);
    expect(weightedLength("👨‍👩‍👧‍👦")).toBe(2);
    expect(hasLink("see example.com")).toBe(true);
  });

  it("has everything found in it where it says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.boolean(), (typed, hasMore) => {
        const source = hasMore ? `😀&${typed} https://example.com @ada #tag <` : typed;
        const { text, entities } = show(source, { seed: "1", find });
        const part = ({ start, end }: { start: number; end: number }): string => [...text].slice(start, end).join("");
        for (const link of entities.urls) expect(part(link)).toBe(link.url);
        for (const mention of entities.mentions) expect(part(mention).slice(1)).toBe(mention.username);
        for (const tag of entities.hashtags) expect(part(tag).slice(1)).toBe(tag.tag);
      }),
      { numRuns: 40 },
    );
  });

  it("has a language that its script suggests", () => {
    const texts = {
      "Hello @ada": "en",
      "Привет #hi": "ru",
      你好: "zh",
      "こんにちは 世界": "ja",
      안녕: "ko",
      "😀 123": "zxx",
    };
    for (const [text, language] of Object.entries(texts)) expect(guessLanguage(text)).toBe(language);
  });
});

describe("a query", () => {
  it("is understood or refused, whatever it is", () => {
    const word = fc.constantFrom(
      "fox",
      '"a b"',
      "(",
      ")",
      "-",
      "OR",
      "AND",
      "is:reply",
      "from:ada",
      "lang:en",
      '"',
      ":",
      "#a",
    );
    const query = fc.oneof(
      fc.string(),
      fc.array(word).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(query, (text) => {
        try {
          expect(parseQuery(text)).toBeTypeOf("function");
        } catch (error) {
          expect(error).toBeInstanceOf(QueryError);
        }
      }),
    );
  });
});
