import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActionError, ClientError, ModelError, TroupeError, ValidationError } from "../errors.ts";
import { createSetClock } from "../testing/index.ts";
import { isWorthRetrying, retrying, retryWaitMs } from "./retrying.ts";

const policy = { attempts: 4, initialMs: 100, multiplier: 3, maxMs: 500 };

function bench() {
  const clock = createSetClock();
  const controller = new AbortController();
  const attemptsAt: number[] = [];
  const start = clock.now();
  const failing =
    (error: unknown, times = Number.POSITIVE_INFINITY) =>
    async (attempt: number): Promise<string> => {
      attemptsAt.push(clock.now() - start);
      if (attempt <= times) throw error;
      return `attempt ${attempt}`;
    };
  return { clock, controller, attemptsAt, failing, parts: { clock, random: () => 1, signal: controller.signal } };
}

describe("retrying", () => {
  it("tries again after waits that grow up to the longest", async () => {
    const { clock, attemptsAt, failing, parts } = bench();
    const error = new Error("no");
    const tried = retrying(failing(error), policy, parts);
    await clock.advance(10_000);
    expect(await tried).toEqual({ ok: false, error, attempts: 4 });
    expect(attemptsAt).toEqual([0, 100, 400, 900]);
  });

  it("gives the first result and how many attempts it took", async () => {
    const { clock, failing, parts } = bench();
    const tried = retrying(failing(new ActionError("X", "no"), 2), policy, parts);
    await clock.advance(10_000);
    expect(await tried).toEqual({ ok: true, result: "attempt 3", attempts: 3 });
  });

  it("takes a returned failure for an answer", async () => {
    const result = { success: false, error: "not today" };
    expect(await retrying(async () => result, policy, bench().parts)).toEqual({ ok: true, result, attempts: 1 });
  });

  it("waits as long as the error asks, and gives up when that is longer than it ever waits", async () => {
    const { clock, attemptsAt, failing, parts } = bench();
    const tried = retrying(failing(new ClientError("unavailable", "busy", { retryAfterMs: 450 }), 1), policy, parts);
    await clock.advance(10_000);
    expect((await tried).ok).toBe(true);
    expect(attemptsAt).toEqual([0, 450]);
    const busy = new ClientError("unavailable", "busy", { retryAfterMs: 501 });
    expect(await retrying(failing(busy), policy, parts)).toMatchObject({ ok: false, attempts: 1 });
  });

  it("asks whether an error may be tried again", async () => {
    const { failing, parts } = bench();
    const tried = await retrying(failing(new Error("no")), policy, { ...parts, mayRetry: () => false });
    expect(tried).toMatchObject({ ok: false, attempts: 1 });
  });

  it("stops with the signal's reason, while waiting and while working", async () => {
    const { clock, controller, failing, parts } = bench();
    const waiting = expect(retrying(failing(new Error("no")), policy, parts)).rejects.toBe("stop");
    await clock.advance(50);
    controller.abort("stop");
    await waiting;
    expect(clock.sleepers()).toBe(0);
    await expect(retrying(failing(new Error("no")), policy, parts)).rejects.toBe("stop");
  });

  it.each([
    [new Error("x"), true],
    ["text", true],
    [new ActionError("X", "x"), true],
    [new ModelError("unavailable", "x"), true],
    [new TroupeError("timeout", "x"), true],
    [new TroupeError("conflict", "x"), true],
    [new ValidationError("x"), false],
    [new TroupeError("aborted", "x"), false],
    [new DOMException("x", "AbortError"), false],
    [new ModelError("unauthorized", "x"), false],
    [new TroupeError("exhausted", "x"), false],
  ])("knows whether %s is worth another attempt", (error, isWorth) => expect(isWorthRetrying(error)).toBe(isWorth));

  it("never waits longer than the longest time, nor shorter than half of what is due", () => {
    const ms = fc.integer({ min: 0, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.double({ min: 1, max: 1000, noNaN: true }),
        fc.tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 0.999, noNaN: true })),
        (initialMs, maxMs, multiplier, [attempt, chance]) => {
          const waitMs = retryWaitMs({ attempts: 100, initialMs, multiplier, maxMs }, attempt, () => chance);
          expect(waitMs).toBeLessThanOrEqual(maxMs);
          expect(waitMs).toBeGreaterThanOrEqual(Math.min(initialMs, maxMs) / 2);
        },
      ),
    );
  });
});
