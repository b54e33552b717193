import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Segment } from "./ansi.ts";
import { createScreen, type Footer } from "./screen.ts";
import { createVirtualScreen } from "./testing/virtual-screen.ts";

const plain = (text: string): readonly Segment[] => [{ text, style: { type: "plain" } }];
const footer = (text: string, status = ""): Footer => ({
  status,
  prompt: "you> ",
  promptStyle: { type: "dim" },
  text,
  cursor: text.length,
});

function open(columns = 20, rows = 10) {
  const virtual = createVirtualScreen(columns, rows);
  const size = { columns, rows };
  const api = {
    size: () => size,
    write: async (text: string) => virtual.write(text),
  };
  return { virtual, screen: createScreen(api, true) };
}

describe("the screen", () => {
  it("prints above the line being typed, and leaves the cursor in it", async () => {
    const { virtual, screen } = open();
    await screen.setFooter(footer("hel"));
    await screen.print(plain("Ada: Once"), "fresh-line");
    await screen.print(plain(" upon"), "here");
    expect(virtual.rows()).toEqual(["Ada: Once upon", "you> hel"]);
    expect(virtual.cursor()).toEqual({ row: 1, column: 8 });
    await screen.setFooter({ ...footer("hello"), cursor: 1 });
    expect(virtual.cursor()).toEqual({ row: 1, column: 6 });
  });

  it("goes on in a row that is exactly full", async () => {
    const { virtual, screen } = open(10);
    await screen.setFooter(footer(""));
    await screen.print(plain("0123456789"), "here");
    await screen.print(plain("abc"), "here");
    expect(virtual.rows()).toEqual(["0123456789", "abc", "you>"]);
  });

  it("shows who is thinking above the line", async () => {
    const { virtual, screen } = open();
    await screen.setFooter(footer("x", "Ada ··"));
    expect(virtual.rows()).toEqual(["Ada ··", "you> x"]);
    await screen.setFooter(footer("x"));
    expect(virtual.rows()).toEqual(["you> x"]);
  });

  it("shows only the rows around the cursor of a text larger than half the window", async () => {
    const { virtual, screen } = open(20, 6);
    await screen.setFooter(footer("a\nb\nc\nd\ne\nf\ng"));
    expect(virtual.rows()).toEqual(["e", "f", "g"]);
    await screen.setFooter(null);
    expect(virtual.rows()).toEqual([]);
  });

  it("erases back to the mark, unless that has scrolled away", async () => {
    const { virtual, screen } = open(20, 6);
    await screen.setFooter(footer("typing"));
    await screen.print(plain("before"), "fresh-line");
    await screen.print(plain("Ada: a long text that wraps"), "mark");
    expect(await screen.eraseToMark()).toBe(true);
    expect(virtual.rows()).toEqual(["before", "you> typing"]);
    await screen.print(plain("1\n2\n3\n4\n5\n6"), "mark");
    expect(await screen.eraseToMark()).toBe(false);
  });

  it("wipes everything but the open line and the footer", async () => {
    const { virtual, screen } = open();
    await screen.setFooter(footer("typing"));
    await screen.print(plain("old\nAda: new"), "fresh-line");
    await screen.clear();
    expect(virtual.rows()).toEqual(["Ada: new", "you> typing"]);
  });

  it("looks, after any prints and any typing, like everything printed at once with the line below", async () => {
    const text = fc
      .array(fc.constantFrom("word ", "a", "漢", "👩‍👩‍👧‍👦", "e\u0301", "\n", "0123456789"), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join(""));
    const step = fc.record({ text, typed: fc.constantFrom("", "hi", "a longer text being typed here", "漢字\nb") });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), fc.integer({ min: 10, max: 24 }), async (steps, columns) => {
        const { virtual, screen } = open(columns, 400);
        const naive = createVirtualScreen(columns, 400);
        for (const { text, typed } of steps) {
          await screen.setFooter(footer(typed));
          await screen.print(plain(text), "here");
        }
        await screen.setFooter(null);
        await screen.print(plain("\nend"), "here");
        const whole = steps.map((each) => each.text).join("");
        naive.write(`${whole}\nend`.replaceAll("\n", "\r\n"));
        expect(virtual.rows()).toEqual(naive.rows());
      }),
    );
  });
});
