import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore, createSetClock } from "../testing/index.ts";
import { createRateLimits } from "./rate-limits.ts";
import { scopeId } from "./scope-id.ts";

const limit = { limit: 2, windowMs: 1_000, per: "room" } as const;
function bench() {
  const clock = createSetClock();
  const { keyValues } = createMemoryStore({ clock });
  const open = () => createRateLimits({ keyValues, clock, agentId: "ada" });
  return { clock, keyValues, open, limits: open() };
}

describe("rate limits", () => {
  it("refuse what is too much, and say when the next fits", async () => {
    const { clock, limits } = bench();
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: true });
    await clock.advance(300);
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: true });
    await clock.advance(200);
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: false, retryInMs: 500 });
    await clock.advance(499);
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: false, retryInMs: 1 });
    await clock.advance(1);
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: true });
    expect(await limits.take("X", limit, "room:1")).toEqual({ ok: false, retryInMs: 300 });
  });

  it("count each action and each scope for itself", async () => {
    const { limits } = bench();
    const one = { ...limit, limit: 1 };
    for (const [action, scope] of [
      ["X", "room:1"],
      ["X", "room:2"],
      ["Y", "room:1"],
    ] as const) {
      expect(await limits.take(action, one, scope)).toEqual({ ok: true });
      expect(await limits.take(action, one, scope)).toMatchObject({ ok: false });
    }
  });

  it("hold over a restart", async () => {
    const { limits, open } = bench();
    await limits.take("X", limit, "room:1");
    await open().take("X", limit, "room:1");
    expect(await open().take("X", limit, "room:1")).toEqual({ ok: false, retryInMs: 1_000 });
  });

  it("let exactly as many in as fit when many come at once, also by way of several processes", async () => {
    const { open } = bench();
    const processes = [open(), open(), open()];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, at) => processes[at % 3]?.take("X", { ...limit, limit: 7 }, "r")),
    );
    expect(taken.filter((one) => one?.ok)).toHaveLength(7);
  });

  it("keep nobody waiting longer than a window when the clock is set back", async () => {
    const { clock, keyValues, limits } = bench();
    await limits.take("X", { ...limit, limit: 1 }, "r");
    const earlier = createRateLimits({ keyValues, clock: { now: () => clock.now() - 3_600_000 }, agentId: "ada" });
    expect(await earlier.take("X", { ...limit, limit: 1 }, "r")).toEqual({ ok: false, retryInMs: 1_000 });
  });

  it("let a lowered limit count from the newest calls on", async () => {
    const { clock, limits } = bench();
    for (let at = 0; at < 3; at++) {
      await limits.take("X", { ...limit, limit: 3 }, "r");
      await clock.advance(100);
    }
    expect(await limits.take("X", { ...limit, limit: 1 }, "r")).toEqual({ ok: false, retryInMs: 900 });
  });

  it("pass on that the store is not there", async () => {
    const { keyValues, clock } = bench();
    const broken = { ...keyValues, set: () => Promise.reject(new Error("disk full")) };
    const limits = createRateLimits({ keyValues: broken, clock, agentId: "ada" });
    await expect(limits.take("X", limit, "r")).rejects.toThrow("disk full");
    const contested = { ...keyValues, set: async () => false };
    await expect(
      createRateLimits({ keyValues: contested, clock, agentId: "ada" }).take("X", limit, "r"),
    ).rejects.toMatchObject({ code: "conflict" });
  });

  it("never let more than the limit into any stretch of a window, and refuse only what would be too much", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 4 }),
        async (waits, most) => {
          const { clock, limits } = bench();
          const let_in: number[] = [];
          for (const waitMs of waits) {
            await clock.advance(waitMs);
            const now = clock.now();
            const recent = let_in.filter((at) => at > now - 1_000);
            const taken = await limits.take("X", { ...limit, limit: most }, "r");
            expect(taken.ok).toBe(recent.length < most);
            if (taken.ok) let_in.push(now);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("scopeId", () => {
  it.each([
    ["entity", "entity:e"],
    ["room", "room:r"],
    ["agent", "agent:a"],
  ] as const)("names whom %s means", (scope, id) => {
    expect(scopeId(scope, { agentId: "a", roomId: "r", entityId: "e" })).toBe(id);
  });
});
