import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanPaste, cleanText } from "./clean-text.ts";
import { growth, visibleText } from "./outbound.ts";

describe("cleanText", () => {
  it.each([
    ["a\u001b[31mb\u001b[0m", "ab"],
    ["a\u001b]8;;https://e.org\u001b\\link\u001b]8;;\u0007b", "alinkb"],
    ["a\u009b2Jb\u0085c", "abc"],
    ["a\u001b7b\u001b(Bc", "abc"],
    ["a\rb\u0008c\u007fd\te\nf", "abcd\te\nf"],
    ["\u202eevil\u202c ok", "evil ok"],
    ["\ud83d!", "\ufffd!"],
    ["👩‍👩‍👧‍👦 שלום", "👩‍👩‍👧‍👦 שלום"],
  ])("makes of %j the text %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("leaves no control character in any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("\u001b", "[", "]", "m", ";", "1", "\u009b", "\u0007", "a", "\n", "\u009d", "\\", "P"),
    });
    fc.assert(
      fc.property(text, (each) => {
        expect(cleanText(each)).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });

  it("mends every kind of line end in what is pasted", () => {
    expect(cleanPaste("a\r\nb\rc\nd")).toBe("a\nb\nc\nd");
  });
});

describe("visibleText", () => {
  it("holds back what more text may still change", () => {
    expect(visibleText("hi 👩‍👩", true)).toBe("hi ");
    expect(visibleText("hi 👩‍👩‍👧 ", true)).toBe("hi 👩‍👩‍👧 ");
    expect(visibleText("red\u001b[3", true)).toBe("red");
    expect(visibleText("half \ud83d", true)).toBe("half ");
    expect(visibleText("hi 👩‍👩", false)).toBe("hi 👩‍👩");
  });

  it("never has to be corrected when a text of whole characters only grows", () => {
    const parts = fc.array(fc.constantFrom("word ", "👩‍👩‍👧‍👦", "e\u0301", "\u001b[31m", "漢", "\n"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, fc.nat(), (all, seed) => {
        const text = all.join("");
        let printed = "";
        for (let end = 0; end <= text.length; end += 1 + (seed % 3)) {
          const next = visibleText(text.slice(0, end), true);
          if (printed.startsWith(next)) continue;
          expect(growth(printed, next).type).toBe("added");
          printed = next;
        }
        expect(growth(printed, visibleText(text, false)).type).not.toBe("corrected");
      }),
    );
  });
});
