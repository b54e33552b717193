import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyDecoder, type Key } from "./keys.ts";

const press = (name: string): Key => ({ type: "press", name });
const read = (...chunks: readonly string[]): readonly Key[] => {
  const decoder = createKeyDecoder();
  return chunks.flatMap((chunk) => decoder.push(chunk));
};

describe("the key decoder", () => {
  it.each([
    ["\r", "enter"],
    ["\n", "enter"],
    ["\u007f", "backspace"],
    ["\t", "tab"],
    ["\u0001", "ctrl+a"],
    ["\u0003", "ctrl+c"],
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[1;5C", "ctrl+right"],
    ["\u001b[1;3D", "alt+left"],
    ["\u001b[3~", "delete"],
    ["\u001b[3;5~", "ctrl+delete"],
    ["\u001b[4~", "end"],
    ["\u001bb", "alt+b"],
    ["\u001b\r", "alt+enter"],
    ["\u001b\u007f", "alt+backspace"],
    ["\u001b[13;2u", "shift+enter"],
    ["\u001b[27;2;13~", "shift+enter"],
    ["\u001b[99;5u", "ctrl+c"],
  ])("reads %j as %s", (bytes, name) => {
    expect(read(bytes)).toEqual([press(name)]);
  });

  it("reads typed text in one piece, in any script", () => {
    expect(read("héllo 漢字 👋🏽\r")).toEqual([{ type: "text", text: "héllo 漢字 👋🏽" }, press("enter")]);
  });

  it("reads a paste as one, however it is cut, with its line ends mended and its sequences taken out", () => {
    const expected: Key[] = [
      { type: "paste", text: "one\ntwo\nred" },
      { type: "text", text: "x" },
    ];
    const text = "\u001b[200~one\r\ntwo\r\u001b[31mred\u001b[201~x";
    expect(read(text)).toEqual(expected);
    expect(read(...text)).toEqual(expected);
  });

  it("takes a lone escape for the key once nothing follows", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push("\u001b")).toEqual([]);
    expect(decoder.isWaiting()).toBe(true);
    expect(decoder.flush()).toEqual([press("escape")]);
    expect(decoder.isWaiting()).toBe(false);
  });

  it("passes over sequences it does not know", () => {
    expect(read("\u001b[999;999Q\u001bOz\u001b[<0;1;1Ma")).toEqual([{ type: "text", text: "a" }]);
  });

  it("reads the same keys however the input is cut, and never a control character as text", () => {
    const part = fc.constantFrom(
      "a",
      "漢",
      "\u001b[A",
      "\u001b[1;5C",
      "\u001bOH",
      "\r",
      "\u001bb",
      "\u001b[200~p\rq\u001b[201~",
      "\u0003",
      "\u009b",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), fc.array(fc.nat(40), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join("");
        const chunks = [...new Set(cuts)]
          .sort((a, b) => a - b)
          .map((cut, index, all) => text.slice(all[index - 1] ?? 0, cut));
        const rest = text.slice(Math.max(0, ...cuts));
        const keys = read(...chunks, rest);
        expect(joinText(keys)).toEqual(joinText(read(text)));
        for (const key of keys) if (key.type === "text") expect(key.text).toMatch(/^[^\p{Cc}]+$/u);
      }),
    );
  });
});

/** Typed text may come in several pieces. */
function joinText(keys: readonly Key[]): readonly Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (key.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { type: "text", text: last.text + key.text };
    else joined.push(key);
  }
  return joined;
}
