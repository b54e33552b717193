import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block } from "../document.ts";
import { readDocument } from "../read-document.ts";
import { type CutOptions, cutIntoFragments, type Fragment } from "./cut-into-fragments.ts";
import { quarterTokens } from "./tokens.ts";

async function cut(text: string, name: string, options: CutOptions): Promise<readonly Fragment[]> {
  return cutIntoFragments(await readDocument({ bytes: Buffer.from(text), name }), options);
}

const small = { targetTokens: 24, maxTokens: 32 };
const bare = (text: string) => text.replace(/\s+/gu, "");
const sentence = (words: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${words} ${at}.`).join(" ");

/** Texts of every script, with emoji, marks put together and lone surrogates' neighbours. */
const text = fc
  .array(
    fc.constantFrom(
      "word ",
      "Satz. ",
      "很长的句子。",
      "ภาษาไทย",
      "カタカナ、",
      "👩‍👩‍👧‍👦",
      "e\u{301}\u{302}",
      "\n",
      "! ",
      "العربية ",
      "🇳🇴",
      "supercalifragilistic",
      "Dr. X ",
      "한국어 ",
    ),
    { minLength: 1, maxLength: 120 },
  )
  .map((parts) => parts.join(""));

const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom("heading", "paragraph", "list", "table", "code", "row"),
  text: text.map((value) => value.trim()).filter((value) => value !== ""),
  headings: fc.constantFrom([], ["A"], ["A", "B"], ["A", "C"]),
  level: fc.constant(1),
});

const options = fc.record({
  targetTokens: fc.integer({ min: 1, max: 60 }),
  maxTokens: fc.integer({ min: 60, max: 90 }),
});

describe("cutIntoFragments", () => {
  it("covers all of a document's text, in order", () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), options, (blocks, sizes) => {
        const rows = blocks.map((each) =>
          each.kind === "row" ? { ...each, text: each.text.replaceAll("\n", " ") } : each,
        );
        const fragments = cutIntoFragments({ blocks: rows }, sizes);
        expect(bare(fragments.map((fragment) => fragment.text).join(""))).toBe(
          bare(rows.map((each) => each.text).join("")),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("makes no fragment larger than the limit, with headers, fences and overlap", () => {
    const framed = block.map((each) => {
      if (each.kind === "table") return { ...each, header: "Name | City", text: `Name | City\n${each.text}` };
      if (each.kind === "row") return { ...each, header: "Name | City" };
      return each.kind === "code" ? { ...each, text: `\`\`\`ts\n${each.text}\n\`\`\`` } : each;
    });
    fc.assert(
      fc.property(fc.array(framed, { maxLength: 12 }), options, (blocks, sizes) => {
        const fragments = cutIntoFragments({ blocks }, { ...sizes, overlapTokens: sizes.targetTokens / 2 });
        for (const fragment of fragments) {
          expect(quarterTokens(fragment.text)).toBeLessThanOrEqual(sizes.maxTokens * 4);
          expect(fragment.text.trim()).not.toBe("");
        }
      }),
      { numRuns: 60 },
    );
  });

  it("gives the same fragments for the same document, each with the hash of its text", async () => {
    const document = await readDocument({
      bytes: Buffer.from(`# A\n\n${sentence("one two three", 40)}`),
      name: "a.md",
    });
    const fragments = cutIntoFragments(document, small);
    expect(cutIntoFragments(document, small)).toEqual(fragments);
    expect(fragments.length).toBeGreaterThan(3);
    fragments.forEach((fragment, at) => {
      expect(fragment.index).toBe(at);
      expect(fragment.hash).toBe(createHash("sha256").update(fragment.text).digest("hex"));
    });
  });

  it("cuts running text between sentences of every script", async () => {
    const english = await cut(sentence("Dr. Ada wrote the first program", 20), "a.txt", small);
    for (const { text: each } of english) expect(each).toMatch(/^Dr\. Ada wrote.*\d\.$/u);
    const chinese = await cut("知识就是力量。学习永远不晚。".repeat(10), "a.txt", small);
    for (const { text: each } of chinese) expect(each).toMatch(/。$/u);
  });

  it("cuts a sentence above the limit between words, Thai and Chinese ones too", async () => {
    for (const words of [
      "ภาษาไทยไม่มีช่องว่าง",
      "程序员今天学习编程语言",
      "吾輩は猫である名前はまだ無い",
      "plain words without an end ",
    ]) {
      const whole = words.repeat(30).trimEnd();
      const starts = new Set(
        [...new Intl.Segmenter("en", { granularity: "word" }).segment(whole)].map(({ index }) => index),
      );
      let at = 0;
      for (const { text: each } of await cut(whole, "a.txt", small)) {
        at = whole.indexOf(each, at);
        expect(starts.has(at)).toBe(true);
        at += each.length;
      }
    }
  });

  it("keeps graphemes whole", async () => {
    const family = "👩‍👩‍👧‍👦";
    const fragments = await cut(family.repeat(100), "a.txt", { targetTokens: 40, maxTokens: 60 });
    for (const { text: each } of fragments) expect(each.replaceAll(family, "")).toBe("");
  });

  it("cuts a grapheme that is above the limit itself", async () => {
    const fragments = await cut(`a${"\u{301}".repeat(10_000)}`, "a.txt", small);
    expect(fragments.map(({ text: each }) => each).join("")).toBe(`a${"\u{301}".repeat(10_000)}`);
  });

  it("begins a fragment with its section's heading and never ends one with a heading", async () => {
    const section = (name: string) => `## ${name}\n\n${sentence(`${name} says`, 10)}\n\n`;
    const fragments = await cut(`# Guide\n\n${section("Alpha")}${section("Beta")}`, "a.md", small);
    const beta = fragments.find(({ text: each }) => each.startsWith("Beta\n\n"));
    expect(beta?.place.headings).toEqual(["Guide", "Beta"]);
    for (const { text: each } of fragments) expect(each).not.toMatch(/(?:^|\n)(?:Alpha|Beta|Guide)$/u);
  });

  it("keeps small sections together under the headings they share", async () => {
    const [only, ...others] = await cut("# FAQ\n\n## One\n\nYes.\n\n## Two\n\nNo.\n", "a.md", {});
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      text: "FAQ\n\nOne\n\nYes.\n\nTwo\n\nNo.",
      place: { headings: ["FAQ"], lines: { from: 1, to: 9 } },
    });
  });

  it("opens and closes the fence of code in every fragment and cuts between lines", async () => {
    const code = Array.from({ length: 30 }, (_, at) => `const value${at} = ${at};`);
    const fragments = await cut(`\`\`\`ts\n${code.join("\n")}\n\`\`\`\n`, "a.md", small);
    expect(fragments.length).toBeGreaterThan(3);
    for (const { text: each } of fragments) expect(each).toMatch(/^```ts\n(?:const value\d+ = \d+;\n)+```$/u);
    expect(fragments[1]?.place.lines?.from).toBe((fragments[0]?.place.lines?.to ?? 0) + 1);
  });

  it("repeats a table's header and cuts between rows", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `| name ${at} | city ${at} |`);
    const fragments = await cut(`| Name | City |\n|---|---|\n${rows.join("\n")}\n`, "a.md", small);
    for (const { text: each } of fragments)
      expect(each).toMatch(/^\| Name \| City \|\n\|---\|---\|\n(?:\| name \d+ \| city \d+ \|\n?)+$/u);
  });

  it("repeats a CSV's header over each group of rows and says which rows they are", async () => {
    const rows = Array.from({ length: 20 }, (_, at) => `name ${at},city ${at}`);
    const fragments = await cut(`Name,City\n${rows.join("\n")}\n`, "a.csv", small);
    for (const { text: each } of fragments) expect(each).toMatch(/^Name \| City\n(?:name \d+ \| city \d+\n?)+$/u);
    expect(fragments[0]?.place.rows?.from).toBe(2);
    expect(fragments.at(-1)?.place.rows?.to).toBe(21);
  });

  it("keeps a header that is too long to repeat once", async () => {
    const header = Array.from({ length: 20 }, (_, at) => `column ${at}`);
    const fragments = await cut(`${header.join(",")}\n1,2\n3,4\n`, "a.csv", small);
    const all = fragments.map(({ text: each }) => each).join("\n");
    expect(all.match(/column 19/gu)).toHaveLength(1);
    expect(all).toMatch(/1 \| 2\n3 \| 4/u);
  });

  it("cuts a long list between its items", async () => {
    const items = Array.from({ length: 20 }, (_, at) => `- item ${at}\n  goes on`);
    for (const { text: each } of await cut(items.join("\n"), "a.md", small))
      expect(each).toMatch(/^(?:- item \d+\n {2}goes on\n?)+$/u);
  });

  it("begins with the last sentences of the fragment before where an overlap is asked for", async () => {
    const fragments = await cut(sentence("This is number", 20), "a.txt", { ...small, overlapTokens: 8 });
    fragments.slice(1).forEach((fragment, at) => {
      const last = fragments[at]?.text.match(/This is number \d+\.$/u)?.[0] ?? "missing";
      expect(fragment.text.startsWith(last)).toBe(true);
    });
  });

  it("begins where a page does once there is enough on the page before", () => {
    const page = (number: number) =>
      ({ kind: "paragraph", text: sentence("words", 6), headings: [], page: number }) as const;
    const fragments = cutIntoFragments({ blocks: [page(1), page(2), page(3)] }, { targetTokens: 20, maxTokens: 60 });
    expect(fragments.map(({ place }) => place.page)).toEqual([1, 2, 3]);
  });

  it("refuses sizes that contradict each other", () => {
    expect(() => cutIntoFragments({ blocks: [] }, { targetTokens: 50, maxTokens: 40 })).toThrow(
      "at most maxTokens (40)",
    );
    expect(() => cutIntoFragments({ blocks: [] }, { maxTokens: 3 })).toThrow("16 tokens or more");
    expect(() => cutIntoFragments({ blocks: [] }, { overlapTokens: 900 })).toThrow("half of targetTokens");
  });
});
