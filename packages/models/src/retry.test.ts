import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_RETRY, readRetryAfter, retryDelay } from "./retry.ts";

it("waits between half of the doubling time and the whole of it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, chance) => {
      const ceilingMs = Math.min(DEFAULT_RETRY.maxMs, DEFAULT_RETRY.initialMs * 2 ** (attempt - 1));
      const waitMs = retryDelay(DEFAULT_RETRY, attempt, undefined, () => chance);
      expect(waitMs).toBeGreaterThanOrEqual(Math.floor(ceilingMs / 2));
      expect(waitMs).toBeLessThanOrEqual(ceilingMs);
    }),
  );
});

it("never waits less than the vendor asked for", () => {
  expect(retryDelay(DEFAULT_RETRY, 1, 9_000, () => 0)).toBe(9_000);
});

it.each([
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after-ms": "20", "retry-after": "9" }, 20],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
])("reads %j", (headers, expected) => {
  expect(readRetryAfter(headers as Record<string, string>, 60_000)).toBe(expected);
});
