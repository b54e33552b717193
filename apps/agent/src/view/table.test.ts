import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Column, fitWidth, renderTable, widthOf } from "./table.ts";

type Row = { readonly id: string; readonly text: string; readonly count: string };
const columns: readonly Column<Row>[] = [
  { heading: "id", text: ({ id }) => id },
  { heading: "text", text: ({ text }) => text, leastWidth: 4 },
  { heading: "count", text: ({ count }) => count, isNumber: true },
];

describe("a table", () => {
  it("aligns words to the left and numbers to the right", () => {
    const table = renderTable(
      columns,
      [
        { id: "a", text: "hello", count: "7" },
        { id: "bb", text: "", count: "1,234" },
      ],
      80,
    );
    expect(table).toBe("id  text   count\na   hello      7\nbb         1,234\n");
  });

  it("counts wide characters and emoji as two cells", () => {
    const table = renderTable(
      columns,
      [
        { id: "漢字", text: "👩‍👩‍👧", count: "1" },
        { id: "a", text: "é", count: "2" },
      ],
      80,
    );
    expect(table.split("\n")).toEqual(["id    text  count", "漢字  👩‍👩‍👧        1", "a     é         2", ""]);
  });

  it("cuts the widest column first, and only what may be cut", () => {
    const [, line] = renderTable(columns, [{ id: "12345678", text: "a long text indeed", count: "7" }], 30).split("\n");
    expect(line).toBe("12345678  a long text…       7");
  });

  it("cuts whole characters only", () => {
    expect([
      fitWidth("漢字漢字", 5),
      fitWidth("a👩‍👩‍👧b", 3),
      fitWidth("e\u0301e\u0301e\u0301", 2),
      fitWidth("ab", 2),
      fitWidth("ab", 0),
    ]).toEqual(["漢字…", "a…", "e\u0301…", "ab", ""]);
  });

  it("is never wider than the terminal and never steers it, whatever stands in its cells", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\u001b[31m", "\n", "\u0000", "漢", "👩‍👩‍👧", "\u0301", "\ud800"),
        fc.string({ maxLength: 2 }),
      ),
      maxLength: 40,
    });
    const rows = fc.array(fc.record({ id: text, text, count: text }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 100 }), (given, width) => {
        const lines = renderTable(columns, given, width).split("\n");
        expect(lines).toHaveLength(given.length + 2);
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
        }
      }),
    );
  });
});
