import { after, type Duration } from "./read-duration.ts";
import { usualHour } from "./rhythm.ts";
import { checkSchedule } from "./schedule.ts";
import { forms, type ReadingTime, unreadable, type WhenReading } from "./when.ts";
import { instantOf } from "./zone.ts";

/** Reads what is written for machines: an ISO 8601 date, time or duration, `R/PT15M`, a cron expression. Null for other texts. */
export async function readExact(text: string, time: ReadingTime): Promise<WhenReading | null> {
  return readIsoDate(text, time) ?? readIsoDuration(text, time) ?? (await readCronText(text, time));
}

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:(?:[T ]|, )(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/iu;

function readIsoDate(text: string, { now, timeZone }: ReadingTime): WhenReading | null {
  const found = isoDate.exec(text);
  if (!found) return null;
  const [year = 0, month = 0, day = 0] = found.slice(1, 4).map(Number);
  const [hour = usualHour, minute = 0, second = 0] = found
    .slice(4, 7)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const wall = { year, month, day, hour, minute, second };
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > days || hour > 23 || minute > 59 || second > 59) {
    return unreadable(`${text} is no time there is; correct it.`);
  }
  const offset = found[7]?.toUpperCase();
  const at = offset === undefined ? instantOf(wall, timeZone) : instantOf(wall, "UTC") - offsetMs(offset);
  if (at > now) return { ok: true, schedule: { type: "once", at } };
  return unreadable(`${text} has passed already; give a time to come.`);
}

function offsetMs(offset: string): number {
  if (offset === "Z") return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const isoDuration =
  /^(R\/)?P(?=[\dT])(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/iu;

function readIsoDuration(text: string, time: ReadingTime): WhenReading | null {
  const found = isoDuration.exec(text);
  if (!found) return null;
  const [year = 0, month = 0, week = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(2)
    .map((part: string | undefined) => Number(part ?? 0));
  const duration: Duration = { year, month, week, day, hour, minute, second };
  if (found[1] === undefined) return after(duration, time);
  if (year > 0 || month > 0) {
    return unreadable("Months and years do not always last as long; write a cron expression to repeat by them.");
  }
  const everyMs = (((week * 7 + day) * 24 + hour) * 60 + minute) * 60_000 + second * 1_000;
  const schedule = { type: "every", everyMs, from: time.now + everyMs } as const;
  return everyMs > 0 ? { ok: true, schedule } : unreadable(`${text} takes no time; ${forms}.`);
}

const cronField = "(?:[\\d*?/,#LW-]|MON|TUE|WED|THU|FRI|SAT|SUN|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+";
const cronForm = new RegExp(`^${cronField}(?:\\s+${cronField}){4,5}$`, "iu");
const nicknames = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"];

async function readCronText(text: string, { timeZone }: ReadingTime): Promise<WhenReading | null> {
  const said = text.replace(/^cron[: ]\s*/iu, "");
  const isCron = nicknames.includes(said.toLowerCase()) || cronForm.test(said);
  if (!isCron) return null;
  const schedule = { type: "cron", expression: said.replace(/\s+/gu, " "), timeZone } as const;
  const problem = await checkSchedule(schedule);
  return problem === null ? { ok: true, schedule } : unreadable(problem);
}
