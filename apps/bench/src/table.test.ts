import { describe, expect, it } from "vitest";
import type { Row } from "./measure.ts";
import { lowerQuartile, median } from "./statistics.ts";
import { renderTable, toJson } from "./table.ts";

const rows: readonly Row[] = [
  { name: "reply", ours: 900, floor: 300, unit: "µs", goal: { type: "ratio-at-most", limit: 4 } },
  { name: "crowd", ours: 1_000, floor: 2_000, unit: "/s", goal: { type: "ratio-at-least", limit: 0.7 } },
  { name: "memory", ours: 131.4, unit: "MB", goal: { type: "at-most", limit: 130 } },
];

describe("renderTable", () => {
  it("sets the ratio beside each goal and says whether it is met", () => {
    expect(renderTable(rows)).toBe(
      [
        "measure     ours    floor  ratio      goal",
        "reply     900 µs   300 µs   3.00     ≤ 4 ×  ✓",
        "crowd    1,000/s  2,000/s  0.500   ≥ 0.7 ×  ✗",
        "memory    131 MB                  ≤ 130 MB  ✗",
      ].join("\n"),
    );
  });
});

describe("toJson", () => {
  it("gives every line with its ratio and whether its goal is met", () => {
    const read: unknown = JSON.parse(toJson(rows.slice(0, 1)));
    expect(read).toEqual([{ ...rows[0], ratio: 3, isMet: true }]);
  });
});

describe("quantiles", () => {
  it("take the middle and the lower quarter whatever the order", () => {
    expect(median([5, 1, 4, 2, 3])).toBe(3);
    expect(lowerQuartile([8, 1, 4, 2, 3, 7, 6, 5])).toBe(3);
  });

  it("refuse to speak about nothing", () => {
    expect(() => median([])).toThrow("nothing was measured");
  });
});
