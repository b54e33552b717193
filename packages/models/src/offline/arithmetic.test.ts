import fc from "fast-check";
import { expect, it } from "vitest";
import { findSum } from "./arithmetic.ts";

it.each([
  ["what is 12 * 7?", "84"],
  ["2 + 3 * 4", "14"],
  ["(2 + 3) * 4 =", "20"],
  ["what's 10 / 4", "2.5"],
  ["0.1 + 0.2", "0.3"],
  ["12 x 12", "144"],
  ["2 ^ 10", "1024"],
  ["wie viel ist 7 mal 8?", "56"],
  ["-3 - -5", "2"],
  ["what's 15% of 80?", "12"],
])("finds the sum in %s", (text, value) => {
  expect(findSum(text)?.value).toBe(value);
});

it.each(["2026-11-20", "call 555-1234", "1 / 0", "I have 3 cats", "room 12", "7 *", "(1 + 2", "at 18:30"])(
  "finds no sum in %s",
  (text) => {
    expect(findSum(text)).toBeUndefined();
  },
);

it("gives a finite number or nothing for any text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("1", "2", "0", "+", "-", "*", "/", "(", ")", ".", " ", "^") }),
      (text) => {
        const found = findSum(text);
        expect(found === undefined || Number.isFinite(Number(found.value))).toBe(true);
      },
    ),
  );
});
