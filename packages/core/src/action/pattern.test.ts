import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.ts";

function search(pattern: string, text: string): string {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.search(text) : compiled.reason;
}

/** Sources made of everything that is understood. */
const source: fc.Arbitrary<string> = fc.letrec<{ choice: string; term: string }>((tie) => ({
  choice: fc
    .array(fc.array(tie("term"), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((sides) => sides.map((terms) => terms.join("")).join("|")),
  term: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "é",
      "😀",
      ".",
      "\\d",
      "\\w",
      "\\s",
      "\\.",
      "[ab]",
      "[^a-c😀]",
      "\\b",
      "\\B",
      "^",
      "$",
      "\\p{L}",
      "\\x61",
      "\\u0062",
      "\\u{1F600}",
      "[\\]a]",
      "\\ud83d\\ude00",
    ),
    fc
      .tuple(tie("choice"), fc.constantFrom("", "*", "+", "?", "*?", "{2}", "{1,}", "{0,2}", "{0}"))
      .map(([inner, times]) => `(?:${inner})${times}`),
    fc.tuple(tie("choice"), fc.constantFrom("", "+")).map(([inner, times]) => `(${inner})${times}`),
  ),
})).choice;
const text = fc.string({
  unit: fc.constantFrom("a", "b", "c", "é", "😀", "1", " ", "\n", "_", ".", "]"),
  maxLength: 8,
});

describe("compilePattern", () => {
  it("finds what the language itself finds", () => {
    fc.assert(
      fc.property(source, text, (pattern, given) => {
        // The language's engine takes the middle of a surrogate pair for a place without a word's edge; no character ends there.
        fc.pre(!pattern.includes("\\B") || !given.includes("😀"));
        expect(search(pattern, given)).toBe(new RegExp(pattern, "u").test(given) ? "found" : "absent");
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["^[\\w-.]+\\-x$", "a-.-x", "found"],
    ["^a{,2}$", "a{,2}", "found"],
    ["^\\@\\_]$", "@_]", "found"],
    ["^[😀]{2}$", "😀😀", "found"],
    ["^(?<year>\\d{4})-\\d\\d$", "2026-01", "found"],
    ["^\\d{5}$", "94102\n", "absent"],
    ["^$", "", "found"],
    ["[]", "a", "absent"],
    ["[^]", "\n", "found"],
  ])("understands %s", (pattern, given, found) => expect(search(pattern, given)).toBe(found));

  it.each(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(x+x+)+y", "^(\\w+\\s?)*$", "(.*)*#", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "answers %s about a text that would keep backtracking busy for ever",
    (pattern) => expect(search(pattern, `${"a".repeat(5_000)}!`)).toBe("absent"),
  );

  it("gives up on a text when the search would cost too much", () => {
    expect(search("(?:.?){500}#", "a".repeat(100_000))).toBe("too-long");
  });

  it.each([
    ["(", /no regular expression/],
    ["a**", /no regular expression/],
    ["(?=a)b", /look-around/],
    ["(?<!a)b", /look-around/],
    ["(?i:a)", /inline flags/],
    ["(a)\\1", /back-references/],
    ["(?<n>a)\\k<n>", /back-references/],
    ["(?:a{100}){100}", /unfold/],
    ["a{5000,}", /unfold/],
    ["(?:){99999999}", /unfold/],
    ["a".repeat(1_001), /1001 characters/],
  ])("refuses %s", (pattern, reason) => {
    const compiled = compilePattern(pattern);
    expect(compiled.ok ? "" : compiled.reason).toMatch(reason);
  });

  it("never throws, whatever the pattern and the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."\\()[]{}*+?|^$.,-=!<>:kupbdx019aAé😀".split("")), maxLength: 12 }),
        fc.string({ unit: "binary" }),
        (pattern, given) => {
          search(pattern, given);
        },
      ),
      { numRuns: 500 },
    );
  });
});
