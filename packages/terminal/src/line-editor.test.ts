import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Key } from "./keys.ts";
import { emptyLine, type LineState, pressKey } from "./line-editor.ts";

/** Words in angle brackets are keys, everything else is typed. */
function type(script: string, from: LineState = emptyLine([])): LineState {
  let state = from;
  for (const part of script.split(/(<[^>]+>)/u).filter((each) => each !== "")) {
    const name = /^<(.+)>$/u.exec(part)?.[1];
    const key: Key = name === undefined ? { type: "text", text: part } : { type: "press", name };
    state = pressKey(state, key).state;
  }
  return state;
}

/** The text with the cursor shown as a bar. */
const shown = ({ text, cursor }: LineState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe("the line editor", () => {
  it.each([
    ["hello<left><left>X", "helX|lo"],
    ["hello<home>X<end>Y", "XhelloY|"],
    ["one two three<alt+b><alt+b>X", "one X|two three"],
    ["one two<home><alt+f>X", "oneX| two"],
    ["one two three<ctrl+w>", "one two |"],
    ["one two<home><alt+d>", "| two"],
    ["one two<alt+b><ctrl+k>", "one |"],
    ["one two<alt+b><ctrl+u>", "|two"],
    ["one two<ctrl+w><home><ctrl+y>", "two|one "],
    ["ab👨‍👩‍👧c<left><backspace>", "ab|c"],
    ["e\u0301<backspace>", "|"],
    ["abc<home><delete><ctrl+d>", "|c"],
    ["one\\<enter>two", "one\ntwo|"],
    ["one<alt+enter>two<up>X", "oneX|\ntwo"],
    ["one<alt+enter>two<home>X", "one\nX|two"],
    ["漢字<left>仮", "漢仮|字"],
  ])("makes of %j the line %j", (script, expected) => {
    expect(shown(type(script))).toBe(expected);
  });

  it("walks through the history and comes back to what was being typed", () => {
    const state = type("dra<up><up>", emptyLine(["first", "second"]));
    expect(shown(state)).toBe("first|");
    expect(shown(type("<up><down><down>ft", state))).toBe("draft|");
  });

  it("submits on Enter, and keeps no repeated line in its history", () => {
    const step = pressKey(type("again", emptyLine(["again"])), { type: "press", name: "enter" });
    expect(step.effect).toEqual({ type: "submit", text: "again" });
    expect(step.state).toEqual(emptyLine(["again"]));
    expect(pressKey(type("   "), { type: "press", name: "enter" }).effect).toEqual({ type: "none" });
  });

  it("keeps the cursor between two characters whatever is pressed", () => {
    const names = [
      "left",
      "right",
      "home",
      "end",
      "up",
      "down",
      "backspace",
      "delete",
      "ctrl+w",
      "ctrl+k",
      "ctrl+u",
      "ctrl+y",
      "alt+enter",
      "enter",
      "alt+left",
      "alt+right",
      "ctrl+c",
      "tab",
      "f13",
    ];
    const key = fc.oneof(
      fc.constantFrom(...names).map((name): Key => ({ type: "press", name })),
      fc.constantFrom("word ", "👨‍👩‍👧", "e\u0301", "漢字", "a\nb").map((text): Key => ({ type: "paste", text })),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        let state = emptyLine(["old", "older\nlines"]);
        for (const each of keys) state = pressKey(state, each).state;
        const boundaries = [...new Intl.Segmenter().segment(state.text)].map((segment) => segment.index);
        expect([...boundaries, state.text.length]).toContain(state.cursor);
      }),
    );
  });
});
