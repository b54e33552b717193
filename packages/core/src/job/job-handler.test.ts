import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../errors.ts";
import { handlerDefaults, retryDelayMs } from "./job-handler.ts";

describe("retryDelayMs", () => {
  it("waits longer from attempt to attempt, up to an hour, when nothing is said", () => {
    const delays = [1, 2, 3, 4, 5, 6, 1000].map((attempts) => retryDelayMs(handlerDefaults.backoff, attempts, null));
    expect(delays).toEqual([5_000, 20_000, 80_000, 320_000, 1_280_000, 3_600_000, 3_600_000]);
  });

  it("waits at least as long as an error asks for", () => {
    const backoff = { initialMs: 100, multiplier: 2, maxMs: 1000 };
    const busy = new TroupeError("unavailable", "busy", { retryAfterMs: 5000 });
    expect(retryDelayMs(backoff, 1, busy)).toBe(5000);
    expect(retryDelayMs(backoff, 2, new TroupeError("unavailable", "busy", { retryAfterMs: 50 }))).toBe(200);
  });

  it("is a whole number and never shrinks", () =>
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e6, noNaN: true }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        fc.integer({ min: 1, max: 400 }),
        (initialMs, multiplier, attempts) => {
          const backoff = { initialMs, multiplier, maxMs: 1e7 };
          const delay = retryDelayMs(backoff, attempts, new Error("e"));
          expect(Number.isSafeInteger(delay)).toBe(true);
          expect(retryDelayMs(backoff, attempts + 1, new Error("e"))).toBeGreaterThanOrEqual(delay);
        },
      ),
    ));
});
