import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTerms, indexWords, queryTerms, toMatch } from "./segment.ts";

describe("indexWords", () => {
  it("leaves plain text to the index", () => {
    expect(indexWords("It's 5 o'clock\n\u0000")).toBe("It's 5 o'clock\n\u0000");
  });

  it("folds case, accents, widths and points", () => {
    expect(indexWords("Zoë's CAFÉ, ＨＥＬＬＯ ﬁn")).toBe("zoe s cafe hello fin");
    expect(indexWords("Straße Øre Łódź ΦΊΛΟΣ")).toBe("strasse ore lodz φιλοσ");
    expect(indexWords("كِتَابٌ إلى مدرســة")).toBe("كتاب الي مدرسه");
    expect(indexWords("שָׁלוֹם")).toBe("שלום");
  });

  it("keeps the letters that only look accented", () => {
    expect(indexWords("Мой Ёж")).toBe("мой еж");
    expect(indexWords("がぎ")).toBe("がぎ ぎ");
    expect(indexWords("हिन्दी")).toBe("हिन्दी");
  });

  it("pairs the characters of scripts without spaces and keeps the last one", () => {
    expect(indexWords("北京大学2024年")).toBe("北京 京大 大学 学 2024 年");
    expect(indexWords("東京tower")).toBe("東京 京 tower");
    expect(indexWords("น้ำ")).toBe("น้ ้ำ ำ");
  });

  it("makes every emoji and symbol a word", () => {
    expect(indexWords("a🎉❤️b👩‍🚀👍🏽🇫🇷€5")).toBe("a 🎉 ❤ b 👩 🚀 👍 🇫🇷 € 5");
  });
});

describe("queryTerms", () => {
  it("cuts a query into words by its language", () => {
    const phrases = queryTerms("东京天气 Zoë").map(({ phrase }) => phrase);
    expect(phrases).toEqual(["东京", "天气", "zoe"]);
  });

  it("looks for a single character at the beginning of pairs", () => {
    expect(queryTerms("猫")).toEqual([{ phrase: "猫", isPrefix: true }]);
    expect(toMatch(queryTerms("猫 cat"), "all")).toBe('"猫" * AND "cat"');
    expect(toMatch(queryTerms("猫 cat"), "any")).toBe('"猫" * OR "cat"');
  });

  it("asks for each word once and for no more than 32", () => {
    expect(queryTerms("tea Tea TEA")).toHaveLength(1);
    expect(queryTerms(Array.from({ length: 100 }, (_, index) => `w${index}`).join(" "))).toHaveLength(32);
  });

  it("is empty when there is no word", () => {
    for (const text of ["", " \n", "?!", '"*()', "\u0000", "\ud800", "。、"]) expect(queryTerms(text)).toEqual([]);
  });

  it("finds every text by itself, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.constantFrom("", "北京", "สวัสดี", "é"),
        (text, more) => {
          const whole = `${text}${more}`;
          const terms = queryTerms(whole);
          if (terms.length > 0) expect(countTerms(whole, terms, "all")).toBeGreaterThan(0);
        },
      ),
    );
  });

  it("finds every stretch of a text without spaces", () => {
    const text = "我们明天早上在北京大学的图书馆见面";
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 6 }), (start, length) => {
        expect(countTerms(text, queryTerms(text.slice(start, start + length)), "all")).toBeGreaterThan(0);
      }),
    );
  });
});
