import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../store/tasks.ts";
import { checkSchedule, describeSchedule, missedTurns, nextTurn } from "./schedule.ts";
import { describeMoment, findTimeZone, instantOf, wallTime } from "./zone.ts";

const cron = (expression: string, timeZone = "UTC"): Schedule => ({ type: "cron", expression, timeZone });
const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The next turns after a moment, as ISO texts. */
async function turnsAfter(schedule: Schedule, after: string, count: number): Promise<readonly (string | null)[]> {
  const turns = await missedTurns(schedule, { after: Date.parse(after), until: Number.MAX_SAFE_INTEGER, limit: count });
  return turns.map(iso);
}

describe("a cron schedule", () => {
  it("follows the clocks of its zone through the year", async () => {
    expect(await turnsAfter(cron("0 9 * * 1", "America/New_York"), "2026-03-01T00:00:00Z", 2)).toEqual([
      "2026-03-02T14:00:00.000Z",
      "2026-03-09T13:00:00.000Z",
    ]);
  });

  it("is done once, as much later, where its time is skipped when the clocks go forward", async () => {
    expect(await turnsAfter(cron("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  it("is done once where its time comes twice when the clocks go back", async () => {
    expect(await turnsAfter(cron("30 2 * * *", "Europe/Berlin"), "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  it("of minutes goes on evenly through both hours", async () => {
    expect(await turnsAfter(cron("*/30 * * * *", "Europe/Berlin"), "2026-10-25T00:00:00Z", 4)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:00:00.000Z",
      "2026-10-25T01:30:00.000Z",
      "2026-10-25T02:00:00.000Z",
    ]);
  });

  it("may have seconds", async () => {
    expect(iso(await nextTurn(cron("30 * * * * *"), Date.UTC(2026, 0, 1)))).toBe("2026-01-01T00:00:30.000Z");
  });
});

const anySchedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ type: fc.constant("once" as const), at: fc.integer({ min: 0, max: 4e12 }) }),
  fc.record({
    type: fc.constant("every" as const),
    everyMs: fc.integer({ min: 1_000, max: 1e10 }),
    from: fc.integer({ min: 0, max: 4e12 }),
  }),
  fc.record({
    type: fc.constant("cron" as const),
    expression: fc
      .tuple(fc.constantFrom("0", "*/7", "5,50"), fc.constantFrom("*", "2", "1-3"), fc.constantFrom("*", "1", "L"))
      .map(([minute, hour, day]) => `${minute} ${hour} ${day} * *`),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"),
  }),
);

describe("the next turn", () => {
  it("is later than the moment it is asked for, and there is none between the two", () =>
    fc.assert(
      fc.asyncProperty(anySchedule, fc.integer({ min: 1e12, max: 3e12 }), fc.nat(1e9), async (schedule, now, ahead) => {
        const turn = await nextTurn(schedule, now);
        if (turn === null) return;
        expect(turn).toBeGreaterThan(now);
        const between = Math.min(turn - 1, now + ahead);
        expect(await nextTurn(schedule, between)).toBe(turn);
      }),
      { numRuns: 200 },
    ));

  it("of an interval keeps to its beginning", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_000, max: 1e9 }),
        fc.nat(1e12),
        fc.nat(2e12),
        async (everyMs, from, after) => {
          const turn = await nextTurn({ type: "every", everyMs, from }, after);
          expect(((turn ?? 0) - from) % everyMs).toBe(0);
          expect((turn ?? 0) - Math.max(after, from)).toBeLessThanOrEqual(everyMs);
        },
      ),
    ));

  it("is none for a single time that has passed", async () => {
    expect(await nextTurn({ type: "once", at: 5 }, 5)).toBeNull();
    expect(await nextTurn({ type: "once", at: 5 }, 4)).toBe(5);
  });

  it("counts as missed up to and with the moment, at most so many", async () => {
    const schedule: Schedule = { type: "every", everyMs: 1_000, from: 0 };
    expect(await missedTurns(schedule, { after: 0, until: 3_000, limit: 9 })).toEqual([1_000, 2_000, 3_000]);
    expect(await missedTurns(schedule, { after: 0, until: 9e9, limit: 2 })).toEqual([1_000, 2_000]);
  });
});

describe("a schedule", () => {
  it.each([
    [cron("* * * *"), "no cron expression"],
    [cron("hello"), "five fields"],
    [cron("0 0 31 2 *"), "never comes due"],
    [cron("* * * * *", "Moon/Crater"), "Moon/Crater is no time zone"],
    [{ type: "every", everyMs: 1.5, from: 0 }, "1000 or more"],
    [{ type: "every", everyMs: 5_000, from: Number.NaN }, "`from`"],
    [{ type: "once", at: Number.POSITIVE_INFINITY }, "`at`"],
  ] as const)("that cannot be used is refused with the remedy: %j", async (schedule, why) => {
    expect(await checkSchedule(schedule)).toContain(why);
  });

  it("that can be used has no problem, and is told in words", async () => {
    const schedules: readonly Schedule[] = [
      { type: "once", at: 0 },
      { type: "every", everyMs: 900_000, from: 0 },
      { type: "every", everyMs: 604_800_000, from: 0 },
      cron("0 9 * * 1", "Europe/Berlin"),
    ];
    expect(await Promise.all(schedules.map(checkSchedule))).toEqual([null, null, null, null]);
    expect(schedules.map((schedule) => describeSchedule(schedule, String))).toEqual([
      "once, 0",
      "every 15 minutes",
      "every week",
      "cron 0 9 * * 1 (Europe/Berlin)",
    ]);
  });
});

describe("the clocks of a zone", () => {
  it("tell a moment that leads back to itself, but for times that come twice", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3e9 }),
        fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns"),
        (second, timeZone) => {
          const at = second * 1_000;
          const back = instantOf(wallTime(at, timeZone), timeZone);
          expect(wallTime(back, timeZone)).toEqual(wallTime(at, timeZone));
          expect(at - back).toBeGreaterThanOrEqual(0);
        },
      ),
    ));

  it("show a skipped time as much later", () => {
    const skipped = { year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0 };
    expect(iso(instantOf(skipped, "Europe/Berlin"))).toBe("2026-03-29T01:30:00.000Z");
  });

  it("are named by zone or city", () => {
    expect(["europe/berlin", "New York", "utc", "Tokyo", "Atlantis", "", "Mars/City"].map(findTimeZone)).toEqual([
      "Europe/Berlin",
      "America/New_York",
      "UTC",
      "Asia/Tokyo",
      null,
      null,
      null,
    ]);
    expect(describeMoment(Date.UTC(2026, 0, 8, 7), "Europe/Berlin")).toBe("Thursday, 2026-01-08 08:00 (Europe/Berlin)");
  });
});
