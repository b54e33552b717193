import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeResult, thrownMessage } from "./normalize-result.ts";

const noReason = "It did not succeed and gave no reason.";

describe("normalizeResult", () => {
  it.each<[unknown, unknown]>([
    [undefined, { success: true }],
    [null, { success: true }],
    [true, { success: true }],
    [false, { success: false, error: noReason }],
    ["done", { success: true, data: "done" }],
    [{ temperature: 21 }, { success: true, data: { temperature: 21 } }],
    [[1], { success: true, data: [1] }],
    [{ success: "yes" }, { success: true, data: { success: "yes" } }],
    [
      { success: true, text: "hi", extra: 1 },
      { success: true, text: "hi" },
    ],
    [{ success: false }, { success: false, error: noReason }],
    [
      { success: false, text: "closed" },
      { success: false, text: "closed", error: "closed" },
    ],
    [
      { success: false, error: new Error("no key") },
      { success: false, error: "no key" },
    ],
    [
      { success: false, error: { toString: (): string => "odd" } },
      { success: false, error: "odd" },
    ],
    [
      { success: true, values: { a: 1, b: undefined }, data: { at: new Date(0) }, continueChain: false },
      { success: true, values: { a: 1 }, data: { at: "1970-01-01T00:00:00.000Z" }, continueChain: false },
    ],
    [{ success: true, continueChain: true, cleanup: "x" }, { success: true }],
    [
      { success: true, text: "\ud83d" },
      { success: true, text: "\ufffd" },
    ],
  ])("makes a result of %j", (returned, result) => {
    expect(normalizeResult(returned)).toEqual({ result, lost: [] });
  });

  it("keeps the cleanup, bound to its result", async () => {
    const returned = {
      success: true,
      left: 2,
      cleanup() {
        this.left -= 1;
      },
    };
    await normalizeResult(returned).result.cleanup?.();
    expect(returned.left).toBe(1);
  });

  it("leaves out what cannot be kept, and says what and why", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const { result, lost } = normalizeResult({ success: true, data: circle, values: [1] });
    expect(result).toEqual({ success: true });
    expect(lost).toEqual([
      expect.stringMatching(/^data: cannot be kept: .*circular/),
      "values: must be an object with names",
    ]);
    expect(normalizeResult(() => 1)).toEqual({
      result: { success: true },
      lost: ["data: is function, which cannot be kept"],
    });
    expect(normalizeResult({ n: 1n }).lost[0]).toMatch(/^data: cannot be kept/);
  });

  it("lets no value's name reach what objects are made of", () => {
    const values = JSON.parse('{"__proto__": {"isAdmin": true}, "a": 1}');
    expect(Object.keys(normalizeResult({ success: true, values }).result.values ?? {})).toEqual(["a"]);
  });

  it("fails when the result cannot be read", () => {
    const broken = {
      get success(): boolean {
        throw new Error("gone");
      },
    };
    expect(normalizeResult(broken).result).toEqual({
      success: false,
      error: "It ran, but its result cannot be read: gone",
    });
  });

  it("makes of anything a result that JSON keeps as it is", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSymbol: true,
          withNullPrototype: true,
        } as fc.ObjectConstraints),
        (returned) => {
          const { result } = normalizeResult(returned);
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
          expect(result.success || typeof result.error === "string").toBe(true);
        },
      ),
    );
  });
});

describe("thrownMessage", () => {
  it.each<[unknown, string]>([
    [new Error("no"), "no"],
    ["text", "text"],
    [new Error(""), "it failed without saying why"],
    [undefined, "undefined"],
    [Object.create(null), "it threw something that cannot be put into words"],
    [Symbol("s"), "Symbol(s)"],
  ])("tells of %s", (thrown, message) => expect(thrownMessage(thrown)).toBe(message));
});
