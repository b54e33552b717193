import { forms, type ReadingTime, unreadable, type WhenReading } from "./when.ts";
import { type Unit, unitMs } from "./words.ts";
import { instantOf, wallTime, weekdayOf } from "./zone.ts";

/** What somebody said about something that happens again and again. */
export type Rhythm = {
  readonly every?: { readonly count: number; readonly unit: Unit };
  /** 0 for Sunday, ascending. */
  readonly weekdays: readonly number[];
  /** Days of the month. */
  readonly days: readonly (number | "last")[];
  /** From 1. */
  readonly month?: number;
  readonly times: readonly { readonly hour: number; readonly minute: number }[];
  /** The usual hour of a part of the day. */
  readonly part?: number;
};

/** When something happens for which nobody said at what time. */
export const usualHour = 9;

const dayMs = 86_400_000;
const longestCount = 10_000;

/** The schedule of a rhythm: cron by the person's clocks wherever it follows the calendar, else a length of time from now on. */
export function toSchedule(rhythm: Rhythm, time: ReadingTime): WhenReading {
  const { every } = rhythm;
  if (every && (every.count < 1 || every.count > longestCount)) {
    return unreadable(
      `Every ${every.count} ${every.unit}s cannot be planned; give a number from 1 to ${longestCount}.`,
    );
  }
  if (every && (every.unit === "second" || every.unit === "minute" || every.unit === "hour")) {
    return toInterval(rhythm, { count: every.count, unit: every.unit }, time);
  }
  const minutes = new Set(rhythm.times.map(({ minute }) => minute));
  if (minutes.size > 1) {
    return unreadable(
      "Times with different minutes are several tasks; plan each by itself, or write a cron expression.",
    );
  }
  return toCalendar(rhythm, time);
}

function toInterval(
  rhythm: Rhythm,
  { count, unit }: { readonly count: number; readonly unit: keyof typeof unitMs },
  { now }: ReadingTime,
): WhenReading {
  const { weekdays, days, times, month, part } = rhythm;
  if (weekdays.length + days.length + times.length > 0 || month !== undefined || part !== undefined) {
    return unreadable(
      "An interval of hours or minutes on certain days or from a certain time on is beyond me in words; write a cron expression, as in */15 9-17 * * 1-5.",
    );
  }
  const everyMs = count * unitMs[unit];
  return { ok: true, schedule: { type: "every", everyMs, from: now + everyMs } };
}

function toCalendar(rhythm: Rhythm, time: ReadingTime): WhenReading {
  const { every, weekdays, days, month } = rhythm;
  const isMonthly = every?.unit === "month" || days.length > 0 || month !== undefined || every?.unit === "year";
  if (isMonthly) return toMonths(rhythm, time);
  const isWeekly = every?.unit === "week";
  if (every && every.count > 1) return toStride(rhythm, every.count * (isWeekly ? 7 : 1), time);
  const today = weekdayOf(wallTime(time.now, time.timeZone));
  const chosen = weekdays.length > 0 ? weekdays : isWeekly ? [today] : [];
  return cron(rhythm, { day: "*", month: "*", weekday: chosen.length === 0 ? "*" : listOf(chosen) }, time);
}

/** Every so many days, from the first such day that is to come. */
function toStride(rhythm: Rhythm, strideDays: number, { now, timeZone }: ReadingTime): WhenReading {
  const { weekdays, times } = rhythm;
  if (weekdays.length > 1 || times.length > 1 || (weekdays.length === 1 && strideDays % 7 !== 0)) {
    return unreadable(
      "Several days or times in such a rhythm are several tasks; plan each by itself, or write a cron expression.",
    );
  }
  const [{ hour, minute } = { hour: rhythm.part ?? usualHour, minute: 0 }] = times;
  const today = wallTime(now, timeZone);
  const [weekday] = weekdays;
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const wall = { ...today, day: today.day + ahead, hour, minute, second: 0 };
    const from = instantOf(wall, timeZone);
    if (from > now && (weekday === undefined || weekdayOf(wall) === weekday)) {
      return { ok: true, schedule: { type: "every", everyMs: strideDays * dayMs, from } };
    }
  }
  return unreadable(`That rhythm has no beginning; ${forms}.`);
}

function toMonths(rhythm: Rhythm, time: ReadingTime): WhenReading {
  const { every, weekdays, days } = rhythm;
  const unit = every?.unit ?? "month";
  const count = every?.count ?? 1;
  if (weekdays.length > 0 || unit === "day" || unit === "week") {
    return unreadable("Weekdays together with days of the month are beyond me in words; write a cron expression.");
  }
  const today = wallTime(time.now, time.timeZone);
  const step = unit === "year" ? 12 * count : count;
  const isYearly = rhythm.month !== undefined || unit === "year";
  if (unit === "year" && count > 1) return unreadable("Every several years cannot be planned; plan single dates.");
  if (!isYearly && 12 % step !== 0) {
    return unreadable(`Every ${count} months cannot be planned; 1, 2, 3, 4, 6 or 12 months can, or single dates.`);
  }
  const month = isYearly ? String(rhythm.month ?? today.month) : monthsFrom(today.month, step);
  const chosen = days.length > 0 ? days : rhythm.month !== undefined ? [1] : [today.day];
  const day = chosen.map((one) => (one === "last" ? "L" : String(one))).join(",");
  return cron(rhythm, { day, month, weekday: "*" }, time);
}

function monthsFrom(first: number, step: number): string {
  if (step === 1) return "*";
  const all = Array.from({ length: 12 / step }, (_, n) => ((first - 1 + n * step) % 12) + 1);
  return listOf(all.sort((a, b) => a - b));
}

type CronDays = { readonly day: string; readonly month: string; readonly weekday: string };

function cron({ times, part }: Rhythm, { day, month, weekday }: CronDays, { timeZone }: ReadingTime): WhenReading {
  // "Every evening at 8" is at 20:00.
  const isLater = part !== undefined && part >= 15;
  const said = times.map(({ hour }) => (isLater && hour < 12 ? hour + 12 : hour));
  const hours = said.length > 0 ? said : [part ?? usualHour];
  const minute = times[0]?.minute ?? 0;
  const shownHours = listOf([...new Set(hours)].sort((a, b) => a - b));
  const expression = `${minute} ${shownHours} ${day} ${month} ${weekday}`;
  return { ok: true, schedule: { type: "cron", expression, timeZone } };
}

/** `1,2,3,4,5` as `1-5`. */
function listOf(values: readonly number[]): string {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
  const isRange = values.length > 2 && last - first === values.length - 1;
  return isRange ? `${first}-${last}` : values.join(",");
}
