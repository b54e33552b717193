import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readWhen, splitWhen } from "./read-when.ts";
import { checkSchedule, nextTurn } from "./schedule.ts";

/** A Wednesday, 11:00 in Berlin. */
const time = { now: Date.UTC(2026, 0, 7, 10), timeZone: "Europe/Berlin" };

/** What was read, shortly: the moment, the expression, the interval, or the error. */
async function read(text: string, at = time): Promise<string> {
  const reading = await readWhen(text, at);
  if (!reading.ok) return `error: ${reading.error}`;
  const { schedule } = reading;
  if (schedule.type === "once") return new Date(schedule.at).toISOString().replace(":00.000Z", "Z");
  if (schedule.type === "cron") return schedule.expression;
  return `every ${schedule.everyMs / 60_000} min from ${new Date(schedule.from).toISOString().slice(0, 16)}`;
}

describe("a single time", () => {
  it.each([
    ["in two hours", "2026-01-07T12:00Z"],
    ["in 2h30m", "2026-01-07T12:30Z"],
    ["in an hour and a half", "2026-01-07T11:30Z"],
    ["in half an hour", "2026-01-07T10:30Z"],
    ["in einer halben Stunde", "2026-01-07T10:30Z"],
    ["in 2 Stunden und 10 Minuten", "2026-01-07T12:10Z"],
    ["5 minutes from now", "2026-01-07T10:05Z"],
    ["in 3 days", "2026-01-10T10:00Z"],
    ["in one month", "2026-02-07T10:00Z"],
    ["tomorrow at 8", "2026-01-08T07:00Z"],
    ["tomorrow", "2026-01-08T08:00Z"],
    ["tonight", "2026-01-07T21:00Z"],
    ["on Friday at 9pm", "2026-01-09T20:00Z"],
    ["next monday at quarter past eight", "2026-01-12T07:15Z"],
    ["in 3 days at 5pm", "2026-01-10T16:00Z"],
    ["tomorrow at 8 EST", "2026-01-08T13:00Z"],
    ["at 8", "2026-01-08T07:00Z"],
    ["morgen um halb neun", "2026-01-08T07:30Z"],
    ["übermorgen um 8 Uhr 30", "2026-01-09T07:30Z"],
    ["25.12.2026 um 9", "2026-12-25T08:00Z"],
    ["demain à 8h", "2026-01-08T07:00Z"],
    ["dans deux heures", "2026-01-07T12:00Z"],
    ["mañana a las 8", "2026-01-08T07:00Z"],
    ["domani alle 8", "2026-01-08T07:00Z"],
    ["amanhã às 8", "2026-01-08T07:00Z"],
    ["morgen om 8 uur", "2026-01-08T07:00Z"],
    ["завтра в 8 утра", "2026-01-08T07:00Z"],
    ["明日の8時", "2026-01-08T07:00Z"],
    ["明天早上8点", "2026-01-08T07:00Z"],
    ["两小时后", "2026-01-07T12:00Z"],
    ["غدا الساعة 8", "2026-01-08T07:00Z"],
    ["2026-03-01", "2026-03-01T08:00Z"],
    ["2026-03-01 14:00", "2026-03-01T13:00Z"],
    ["2026-03-01T14:00:00Z", "2026-03-01T14:00Z"],
    ["2026-03-01T14:00+05:30", "2026-03-01T08:30Z"],
    ["PT90M", "2026-01-07T11:30Z"],
    ["P1M", "2026-02-07T10:00Z"],
  ])("is read from %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  it("of the day on which the clocks go forward is as much later where it is skipped", async () => {
    expect(await read("2026-03-29 02:30")).toBe("2026-03-29T01:30Z");
    expect(await read("in 1 day", { ...time, now: Date.UTC(2026, 2, 28, 10) })).toBe("2026-03-29T09:00Z");
  });
});

describe("what happens again and again", () => {
  it.each([
    ["every Monday at nine", "0 9 * * 1"],
    ["weekdays at 7:30", "30 7 * * 1-5"],
    ["on weekdays at 9", "0 9 * * 1-5"],
    ["monday to friday at 8", "0 8 * * 1-5"],
    ["Mondays and Thursdays at 6pm", "0 18 * * 1,4"],
    ["every day at 8 and 18", "0 8,18 * * *"],
    ["every day", "0 9 * * *"],
    ["every morning", "0 8 * * *"],
    ["every evening at 8", "0 20 * * *"],
    ["every weekend at noon", "0 12 * * 0,6"],
    ["every week", "0 9 * * 3"],
    ["every month on the 1st and 15th at 10", "0 10 1,15 * *"],
    ["every 3 months on the last day", "0 9 L 1,4,7,10 *"],
    ["every year on May 5 at 9", "0 9 5 5 *"],
    ["jeden Montag um 9", "0 9 * * 1"],
    ["täglich um 8 Uhr 30", "30 8 * * *"],
    ["jeden Abend um 8", "0 20 * * *"],
    ["werktags um viertel nach sieben", "15 7 * * 1-5"],
    ["montags und donnerstags um halb neun", "30 8 * * 1,4"],
    ["jeden 1. um 9 Uhr", "0 9 1 * *"],
    ["jedes Jahr am 5. Mai um 9 Uhr", "0 9 5 5 *"],
    ["every 15 minutes", "every 15 min from 2026-01-07T10:15"],
    ["alle zwei Stunden", "every 120 min from 2026-01-07T12:00"],
    ["every other day at 7pm", "every 2880 min from 2026-01-07T18:00"],
    ["every 2 weeks on Friday at 9am", "every 20160 min from 2026-01-09T08:00"],
    ["R/PT15M", "every 15 min from 2026-01-07T10:15"],
    ["*/15 9-17 * * MON-FRI", "*/15 9-17 * * MON-FRI"],
    ["cron: 0 9 * * 1", "0 9 * * 1"],
  ])("is read from %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });
});

describe("what cannot be planned", () => {
  it.each([
    ["gibberish", "cannot read a time"],
    ["", "No time is given"],
    ["x".repeat(500), "500 characters"],
    ["yesterday at 5", "has passed already"],
    ["last friday", "has passed already"],
    ["today at 9", "has passed already"],
    ["2026-01-01", "has passed already"],
    ["2026-02-30", "no time there is"],
    ["3/4/2026", "can be two dates"],
    ["from 8 to 9 tomorrow", "a span of time"],
    ["tomorrow at the dentist's", "cannot tell what “dentist's” means"],
    ["0 99 * * *", "no cron expression"],
    ["0 0 30 2 *", "never comes due"],
    ["in 0 minutes", "no time to come"],
    ["in 99999999 hours", "a hundred years"],
    ["every 15 minutes on weekdays", "write a cron expression"],
    ["every day at 8:15 and 18:30", "plan each by itself"],
    ["every 5 months", "1, 2, 3, 4, 6 or 12"],
    ["R/P1M", "write a cron expression"],
  ])("is answered with the remedy: %s", async (text, why) => {
    expect(await read(text)).toContain(why);
  });

  it("never throws, and whatever is read can be used and is still to come", () => {
    const words =
      "in every at tomorrow monday 8 2 30 : . - um alle jeden Tag halb minutes days 1st last and 3/4 后 demain * P T1H R/";
    const phrase = fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 8 }).map((parts) => parts.join(" "));
    return fc.assert(
      fc.asyncProperty(fc.oneof(phrase, fc.string({ unit: "grapheme" })), async (text) => {
        const reading = await readWhen(text, time);
        if (!reading.ok) {
          expect(reading.error).toMatch(/\.$/u);
          return;
        }
        expect(await checkSchedule(reading.schedule)).toBeNull();
        expect(await nextTurn(reading.schedule, time.now)).toBeGreaterThan(time.now);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a time and what it is for", () => {
  it.each([
    ["me tomorrow at 8 to call mum", "call mum"],
    ["to call mum in two hours", "call mum"],
    ["every Monday at nine: stand-up", "stand-up"],
    ["water the plants every 3 days", "water the plants"],
    ["morgen um 8 Mama anrufen", "Mama anrufen"],
  ])("are told apart in %s", async (text, what) => {
    const split = await splitWhen(text, time);
    expect(split).toMatchObject({ what, when: { ok: true } });
  });

  it("are nothing where no time is", async () => {
    expect(await splitWhen("call mum", time)).toBeNull();
  });
});
