import { isTimeZone } from "../decide/quiet-hours.ts";
import { errorMessage } from "../errors.ts";
import type { Schedule } from "../store/tasks.ts";

/** A task comes due no more often than this. */
const shortestMs = 1_000;
/** The latest moment there is, epoch milliseconds. */
const latest = 8_640_000_000_000_000;

/**
 * The first turn later than `after`, epoch milliseconds; null when there is none any more. Cron's times of day follow the clocks of
 * the zone: one that is skipped when they go forward comes at the moment they did, one that comes twice is done once.
 */
export async function nextTurn(schedule: Schedule, after: number): Promise<number | null> {
  switch (schedule.type) {
    case "once":
      return schedule.at > after ? schedule.at : null;
    case "every": {
      const { from, everyMs } = schedule;
      const next = from > after ? from : from + (Math.floor((after - from) / everyMs) + 1) * everyMs;
      return next <= latest ? next : null;
    }
    case "cron": {
      const cron = await readCron(schedule);
      return cron.nextRun(new Date(after))?.getTime() ?? null;
    }
  }
}

/** The turns later than `after` and not later than `until`, oldest first, at most `limit`. */
export async function missedTurns(
  schedule: Schedule,
  { after, until, limit }: { readonly after: number; readonly until: number; readonly limit: number },
): Promise<readonly number[]> {
  const turns: number[] = [];
  let turn = await nextTurn(schedule, after);
  while (turn !== null && turn <= until && turns.length < limit) {
    turns.push(turn);
    turn = await nextTurn(schedule, turn);
  }
  return turns;
}

/** What is wrong with a schedule, one sentence with the remedy; null when it can be used. */
export async function checkSchedule(schedule: Schedule): Promise<string | null> {
  switch (schedule.type) {
    case "once":
      return isMoment(schedule.at) ? null : "Its time is no moment; give whole epoch milliseconds as `at`.";
    case "every":
      return checkEvery(schedule);
    case "cron":
      return checkCron(schedule);
  }
}

/** A schedule in words: `every 15 minutes`, `cron 0 9 * * 1 (Europe/Berlin)`; a single time as `describe` says it. */
export function describeSchedule(schedule: Schedule, describe: (at: number) => string): string {
  switch (schedule.type) {
    case "once":
      return `once, ${describe(schedule.at)}`;
    case "every":
      return `every ${describeDuration(schedule.everyMs)}`;
    case "cron":
      return `cron ${schedule.expression} (${schedule.timeZone})`;
  }
}

const units = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

function describeDuration(ms: number): string {
  const [name, unitMs] = units.find(([, one]) => ms % one === 0) ?? ["millisecond", 1];
  const count = ms / unitMs;
  return count === 1 ? name : `${count} ${name}s`;
}

function checkEvery({ everyMs, from }: Extract<Schedule, { type: "every" }>): string | null {
  if (!Number.isSafeInteger(everyMs) || everyMs < shortestMs) {
    return `It would come every ${everyMs} ms; give whole milliseconds, ${shortestMs} or more, as \`everyMs\`.`;
  }
  return isMoment(from) ? null : "Its beginning is no moment; give whole epoch milliseconds as `from`.";
}

async function checkCron(schedule: Extract<Schedule, { type: "cron" }>): Promise<string | null> {
  const { expression, timeZone } = schedule;
  if (!isTimeZone(timeZone)) return `${timeZone} is no time zone; use a name such as Europe/Berlin.`;
  try {
    const cron = await readCron(schedule);
    if (cron.nextRun(new Date(0))) return null;
    return `The cron expression ${expression} never comes due; correct its day and month.`;
  } catch (error) {
    const why = errorMessage(error).replace(/^CronPattern: /u, "");
    return `${JSON.stringify(expression)} is no cron expression (${why}); write five fields: minute, hour, day, month, weekday, as in 30 7 * * 1-5.`;
  }
}

function isMoment(at: number): boolean {
  return Number.isSafeInteger(at) && Math.abs(at) <= latest;
}

type Cron = { nextRun(after: Date): Date | null };
const known = new Map<string, Cron>();
const mostKnown = 200;

/** Expressions are read once: tasks come back to theirs again and again. @throws Error when it is none. */
async function readCron({ expression, timeZone }: Extract<Schedule, { type: "cron" }>): Promise<Cron> {
  const key = `${timeZone} ${expression}`;
  const earlier = known.get(key);
  if (earlier) return earlier;
  const { Cron: read } = await import("croner");
  const cron = new read(expression, { timezone: timeZone, paused: true, mode: "5-or-6-parts" });
  if (known.size >= mostKnown) known.clear();
  known.set(key, cron);
  return cron;
}
