import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectJsonText } from "./json-text.ts";
import { nearestKey } from "./nearest-key.ts";
import { parseCharacter } from "./parse-character.ts";

const parse = (text: string) => parseCharacter(text, { source: "ida.character.json" });

describe("the text of a character file", () => {
  it.each([
    ["", 1, 1, "empty"],
    ["  \n ", 2, 2, "empty"],
    ['{\n  "name": "Ida",\n}', 2, 16, "comma stands before"],
    ['{\n  "name": "Ida"\n  "bio": "x"\n}', 3, 3, 'Expected "," or "}"'],
    ['{ "name": "Ida"', 1, 16, "bracket from line 1, column 1"],
    ['{ "bio": ["a", "b"', 1, 19, "bracket from line 1, column 10"],
    ["{ name: 1 }", 1, 3, "key in double quotes"],
    ["{ 'name': 1 }", 1, 3, "key in double quotes"],
    ["{ \"name\": 'Ida' }", 1, 11, "Expected a value"],
    ['{ "name": \u201cIda\u201d }', 1, 11, "Expected a value"],
    ['{ "name" "Ida" }', 1, 10, 'Expected ":"'],
    ['{ "name": }', 1, 11, "Expected a value"],
    ['{ "name":', 1, 10, "ends where a value"],
    ['{ "name": "Ida }', 1, 11, "never closed"],
    ['{ "name": "I\nda" }', 1, 13, "line break"],
    ['{ "bio": "C:\\q" }', 1, 13, "escape"],
    ['{ "bio": "\\u12" }', 1, 11, "escape"],
    ['{ // who\n "name": "Ida" }', 1, 3, "comments"],
    ['{ "name": "Ida" } }', 1, 19, "after the end"],
    ['{ "settings": { "temperature": 01 } }', 1, 33, "Expected"],
    ['{ "a": True }', 1, 8, "Expected a value"],
    ['{ "a": [1,,2] }', 1, 11, "Expected a value"],
    ['{ "a": "😀😀" x }', 1, 13, "Expected"],
  ])("%j is refused with its place", (text, line, column, message) => {
    const reading = parse(text);
    expect(reading.ok).toBe(false);
    if (reading.ok) return;
    expect(reading.problems).toHaveLength(1);
    expect(reading.problems[0]).toMatchObject({ file: "ida.character.json", at: { line, column } });
    expect(reading.problems[0]?.message).toMatch(new RegExp(`^Line ${line}, column ${column}: `));
    expect(reading.problems[0]?.message).toContain(message);
    expect(reading.problems[0]?.remedy).not.toBe("");
  });

  it("may start with a byte order mark, which is noticed", () => {
    const reading = parse('\uFEFF{ "name": "Ida", "bio": "x" }');
    expect(reading).toMatchObject({ ok: true, notices: [{ message: expect.stringContaining("byte order mark") }] });
  });

  it("may not be larger than 1 MB", () => {
    const reading = parse(`{ "name": "Ida", "bio": "${"ü".repeat(600_000)}" }`);
    expect(reading).toMatchObject({
      ok: false,
      problems: [{ message: "The file is larger than 1 MB (1200028 bytes)" }],
    });
  });

  it("is noticed where a key is written twice", () => {
    const reading = parse('{\n "name": "Ida",\n "bio": "x",\n "name": "Ada"\n}');
    expect(reading).toMatchObject({ ok: true, character: { name: "Ada" } });
    expect(reading.notices.map((notice) => notice.message)).toEqual([
      'The key "name" is written twice in one object (again in line 4, column 2); the last one counts',
    ]);
  });

  it("never makes it throw, and a refusal always says where", () => {
    const shredded = fc.tuple(fc.json(), fc.nat(200), fc.string({ unit: "binary", maxLength: 3 }));
    fc.assert(
      fc.property(shredded, ([json, cut, noise]) => {
        const reading = parse(json.slice(0, cut) + noise + json.slice(cut + 1));
        expect(reading.ok || reading.problems.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("finds a fault exactly where JSON.parse finds one", () => {
    const cutUp = fc.tuple(
      fc.json(),
      fc.nat(60),
      fc.constantFrom("", ",", '"', "}", "]", "\\", "1", "-", "e", "\n", " "),
    );
    fc.assert(
      fc.property(cutUp, ([json, cut, noise]) => {
        const text = json.slice(0, cut) + noise + json.slice(cut);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect([text, inspectJsonText(text).fault === undefined]).toEqual([text, isJson]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the nearest key", () => {
  it.each([
    ["topcis", "topics"],
    ["messageExample", "messageExamples"],
    ["message_examples", "messageExamples"],
    ["BIO", "bio"],
    ["knowlege", "knowledge"],
    ["xyz", undefined],
    ["", undefined],
    ["b".repeat(61), undefined],
  ])("to %s is %s", (written, meant) => {
    expect(nearestKey(written, ["bio", "topics", "messageExamples", "knowledge", "system"])).toBe(meant);
  });
});
