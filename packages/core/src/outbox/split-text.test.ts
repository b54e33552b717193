import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SplitLimits, splitText } from "./split-text.ts";

const utf16 = (textLength: number): SplitLimits => ({ textLength, unit: "utf16" });
const codePoints = (textLength: number): SplitLimits => ({ textLength, unit: "codepoints" });
const squeeze = (text: string): string => text.replace(/\s+/gu, "");

describe("splitText", () => {
  it("gives back a text that fits", () => {
    expect(splitText("  hello\n", utf16(8))).toEqual(["  hello\n"]);
    expect(splitText("👩‍👩‍👧‍👦", codePoints(7))).toEqual(["👩‍👩‍👧‍👦"]);
  });

  it("makes nothing of a blank text", () => {
    expect(splitText("", utf16(8))).toEqual([]);
    expect(splitText(" \n\n ".repeat(50), utf16(8))).toEqual([]);
  });

  it("prefers paragraphs to lines, lines to sentences, sentences to words", () => {
    expect(splitText("one two\n\nthree. four\nfive", utf16(20))).toEqual(["one two\n\nthree. four", "five"]);
    expect(splitText("aaaa aaaa aaaa\n\nbbbb\nbbbb", utf16(20))).toEqual(["aaaa aaaa aaaa", "bbbb\nbbbb"]);
    expect(splitText("aaaa aaaa aaa\nbbbb. bbbb bbbb", utf16(20))).toEqual(["aaaa aaaa aaa", "bbbb. bbbb bbbb"]);
    expect(splitText("Aaaa aaa aaa. Bbb bbb bbb.", utf16(20))).toEqual(["Aaaa aaa aaa.", "Bbb bbb bbb."]);
    expect(splitText("aaaa bbbb cccc", utf16(10))).toEqual(["aaaa bbbb", "cccc"]);
    expect(splitText("abcdefghijklm", utf16(10))).toEqual(["abcdefghij", "klm"]);
  });

  it("ends a piece after a sentence in scripts without spaces", () => {
    expect(splitText("今日は天気です。「散歩しよう。」明日は雨かもしれない。", codePoints(18))).toEqual([
      "今日は天気です。「散歩しよう。」",
      "明日は雨かもしれない。",
    ]);
  });

  it("keeps the indentation of the line that begins a piece", () => {
    expect(splitText("- first item here\n  - second item", utf16(20))).toEqual([
      "- first item here",
      "  - second item",
    ]);
  });

  it("closes a code block and opens it again with its language", () => {
    const code = Array.from({ length: 6 }, (_, index) => `const value${index} = ${index};`).join("\n");
    const pieces = splitText(`Look:\n\n\`\`\`ts title\n${code}\n\`\`\`\nDone.`, utf16(80));
    expect(pieces).toEqual([
      "Look:\n\n```ts title\nconst value0 = 0;\nconst value1 = 1;\nconst value2 = 2;\n```",
      "```ts\nconst value3 = 3;\nconst value4 = 4;\nconst value5 = 5;\n```\nDone.",
    ]);
  });

  it("breaks before a code block rather than in it when the piece is half full", () => {
    expect(splitText("A line of talk, long enough.\n```\none\ntwo\n```", utf16(40))).toEqual([
      "A line of talk, long enough.",
      "```\none\ntwo\n```",
    ]);
  });

  it("keeps links, addresses and mentions whole", () => {
    expect(splitText("see [the long page](https://example.org/a(b)c) now", utf16(44))).toEqual([
      "see",
      "[the long page](https://example.org/a(b)c)",
      "now",
    ]);
    expect(splitText("see https://example.org/a,b.c;d now", utf16(30))).toEqual([
      "see",
      "https://example.org/a,b.c;d",
      "now",
    ]);
    expect(splitText("hello <@1234567890>", utf16(16))).toEqual(["hello", "<@1234567890>"]);
  });

  it("cuts an address that no piece can hold", () => {
    const pieces = splitText(`go https://example.org/${"a".repeat(50)}`, utf16(20));
    expect(pieces[0]).toBe("go");
    expect(pieces.slice(1).join("")).toBe(`https://example.org/${"a".repeat(50)}`);
  });

  it("never cuts an emoji, a flag or a letter with its accents", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(splitText(family.repeat(3), utf16(25))).toEqual([family + family, family]);
    expect(splitText("e\u0301".repeat(4), utf16(5))).toEqual(["e\u0301e\u0301", "e\u0301e\u0301"]);
    expect(splitText("🇫🇷🇩🇪🇯🇵", codePoints(3))).toEqual(["🇫🇷", "🇩🇪", "🇯🇵"]);
  });

  it("cuts one endless character between its code points", () => {
    const pieces = splitText(`e${"\u0301".repeat(30)}`, utf16(10));
    expect(pieces.join("")).toBe(`e${"\u0301".repeat(30)}`);
  });

  it("counts like X unless told how", () => {
    const weighted = { textLength: 280, unit: "weighted" } as const;
    expect(splitText("漢".repeat(200), weighted).map((piece) => piece.length)).toEqual([140, 60]);
    expect(splitText("é".repeat(280), weighted)).toHaveLength(1);
    expect(splitText(`${"a".repeat(260)} https://t.co/x`, weighted)).toHaveLength(2);
    expect(splitText("aaaa", { textLength: 4, unit: "weighted", measure: (text) => text.length * 2 })).toEqual([
      "aa",
      "aa",
    ]);
  });

  it("numbers the pieces when asked", () => {
    const pieces = splitText("word ".repeat(100), utf16(30), { isNumbered: true });
    expect(pieces[0]).toMatch(/^1\/\d\d word/);
    expect(pieces.at(-1)).toMatch(new RegExp(`^${pieces.length}/${pieces.length} `));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(30);
    expect(splitText("short", utf16(30), { isNumbered: true })).toEqual(["short"]);
    const code = splitText(`\`\`\`\n${"line of code\n".repeat(8)}\`\`\``, utf16(60), { isNumbered: true });
    expect(code.every((piece) => /^\d\/\d\n```\n[^`]*\n```$/.test(piece))).toBe(true);
  });

  it("says so when not even one character fits", () => {
    expect(() => splitText("👍👍", utf16(1))).toThrow("not even one character fits");
    expect(() => splitText("word ".repeat(9), utf16(5), { isNumbered: true })).toThrow("raise textLength");
    expect(() => splitText("a", utf16(Number.NaN))).toThrow("not even one character fits");
  });

  it.each([
    ["words", "word and word. "],
    ["one character", "a"],
    ["brackets", "[a]("],
    ["nested links", "[a](b(c)"],
    ["angles", "<a"],
    ["addresses", "https://e.org/a "],
    ["fences", "```\n"],
    ["open fences", "~~~js\ncode\n```\n"],
    ["ideographs", "漢字。"],
    ["spaces", "a                                          "],
    ["accents", "\u0301"],
    ["one endless address", "https://"],
  ])("takes a megabyte of %s in its stride", (_title, part) => {
    const text = part.repeat(Math.ceil(1_000_000 / part.length));
    const pieces = splitText(text, utf16(2000));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(2000);
  });
});

const fragment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("word", "another", "Yes.", "no!", "漢字", "テスト。", "สวัสดี", "שלום") },
  { weight: 6, arbitrary: fc.constantFrom(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\u00a0") },
  { weight: 2, arbitrary: fc.constantFrom("👩‍👩‍👧‍👦", "🇫🇷", "e\u0301", "👍🏽", "\ud83d", "\u200d", " \u0301") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("https://example.org/path", "[text](https://e.org)", "<@42>", "[", "](", "<"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("\n```js\n", "\n```\n", "\n~~~\n", "```", "\n````\n", "code();\n", "    indented\n"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
);
const anyText = fc.array(fragment, { maxLength: 80, size: "max" }).map((parts) => parts.join(""));
const anyLimits = fc.oneof(
  fc.record({ textLength: fc.integer({ min: 2, max: 120 }), unit: fc.constantFrom("utf16", "weighted" as const) }),
  fc.record({ textLength: fc.integer({ min: 1, max: 120 }), unit: fc.constant("codepoints" as const) }),
) as fc.Arbitrary<SplitLimits>;

describe("splitText, for any text and limits", () => {
  it("keeps every piece within the limit, not blank and well-formed", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        for (const piece of splitText(text, limits)) {
          const length = limits.unit === "utf16" ? piece.length : [...piece].length;
          expect(length).toBeLessThanOrEqual(limits.textLength);
          expect(piece.trim()).not.toBe("");
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("loses nothing but white space, and adds nothing but fences", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const hasFence = /`{3}|~{3}/.test(text);
        const joined = squeeze(splitText(text, limits).join(" "));
        const whole = squeeze(text.toWellFormed());
        if (hasFence) expect(isSubsequence(whole, joined)).toBe(true);
        else expect(joined).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves no code block open that the text closes", () => {
    const line = fc.stringMatching(/^[a-z ]{1,30}$/);
    const block = fc.array(line, { maxLength: 12 }).map((lines) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``);
    const body = fc.array(fc.oneof(line, block), { maxLength: 8 }).map((parts) => parts.join("\n\n"));
    fc.assert(
      fc.property(body, fc.integer({ min: 30, max: 90 }), (text, textLength) => {
        for (const piece of splitText(text, utf16(textLength))) {
          const fences = piece.split("\n").filter((each) => each.startsWith("```"));
          expect(fences.length % 2).toBe(0);
          expect(fences.every((each, index) => each === (index % 2 === 0 ? "```ts" : "```"))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const unit of whole)
    if (unit === String.fromCodePoint(part.codePointAt(at) ?? 0) && at < part.length) at += unit.length;
  return at === part.length;
}
