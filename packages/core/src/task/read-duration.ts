import type { Token } from "./tokens.ts";
import { forms, type ReadingTime, type TokenReading, unreadable, type WhenReading } from "./when.ts";
import { numbers, type Unit, unitMs, units } from "./words.ts";
import { instantOf, wallTime } from "./zone.ts";

/** How long something takes, by units; fractions only of what always lasts as long. */
export type Duration = Readonly<Partial<Record<Unit, number>>>;

const joints = new Set(["and", "und", ","]);

/** Reads `in two hours`, `in an hour and a half`, `in einer halben Stunde`, `2h30m from now` from a token on. */
export function readDuration(tokens: readonly Token[], from: number, time: ReadingTime): TokenReading | null {
  const isAhead = tokens[from]?.word === "in";
  const { amounts, end } = readAmounts(tokens, isAhead ? from + 1 : from);
  if (amounts.length === 0 || !(isAhead || isFromNow(tokens, end))) return null;
  const duration: Partial<Record<Unit, number>> = {};
  for (const { unit, count } of amounts) duration[unit] = (duration[unit] ?? 0) + count;
  return { ...after(duration, time), length: end + (isAhead ? 0 : 2) - from };
}

function isFromNow(tokens: readonly Token[], at: number): boolean {
  const [first = "", second = ""] = [tokens[at]?.word, tokens[at + 1]?.word];
  return ["from", "ab"].includes(first) && ["now", "jetzt"].includes(second);
}

/** One amount after the other: `2 hours`, `and 30 minutes`; and `and a half` of the unit before. */
function readAmounts(
  tokens: readonly Token[],
  from: number,
): { readonly amounts: readonly Amount[]; readonly end: number } {
  const amounts: Amount[] = [];
  let at = from;
  for (;;) {
    const last = amounts.at(-1);
    const joint = last && joints.has(tokens[at]?.word ?? "") ? 1 : 0;
    const half = last ? halfMore(tokens, at + joint) : 0;
    const amount = last && half > 0 ? { unit: last.unit, count: 0.5, length: half } : readAmount(tokens, at + joint);
    if (!amount) return { amounts, end: at };
    amounts.push(amount);
    at += joint + amount.length;
  }
}

/** The moment so long after now; days and longer by the clocks of the zone. */
export function after(duration: Duration, { now, timeZone }: ReadingTime): WhenReading {
  const { year = 0, month = 0, week = 0, day = 0, hour = 0, minute = 0, second = 0 } = duration;
  const days = day + week * 7;
  if ([year, month, days].some((count) => !Number.isInteger(count))) {
    return unreadable("Parts of days and months cannot be counted; give whole ones, or hours.");
  }
  const hasDays = year !== 0 || month !== 0 || days !== 0;
  const wall = hasDays ? wallTime(now, timeZone) : null;
  if (year > 100 || month > 1_200 || days > 36_525) return unreadable("That is more than a hundred years; give less.");
  const base = wall
    ? instantOf({ ...wall, ...shifted(wall, { year, month }), day: dayIn(wall, { year, month }) + days }, timeZone) +
      (now % 1_000)
    : now;
  const at = Math.round(base + hour * unitMs.hour + minute * unitMs.minute + second * unitMs.second);
  if (at <= now) return unreadable(`That is no time to come; ${forms}.`);
  if (at - now > 101 * 366 * 86_400_000) return unreadable("That is more than a hundred years; give less.");
  return { ok: true, schedule: { type: "once", at } };
}

type Wall = { readonly year: number; readonly month: number; readonly day: number };

function shifted(wall: Wall, { year, month }: { readonly year: number; readonly month: number }) {
  const total = wall.month - 1 + month;
  return { year: wall.year + year + Math.floor(total / 12), month: (((total % 12) + 12) % 12) + 1 };
}

/** The 31st of a month that has none is its last day. */
function dayIn(wall: Wall, by: { readonly year: number; readonly month: number }): number {
  const { year, month } = shifted(wall, by);
  return Math.min(wall.day, new Date(Date.UTC(year, month, 0)).getUTCDate());
}

type Amount = { readonly unit: Unit; readonly count: number; readonly length: number };

function readAmount(tokens: readonly Token[], at: number): Amount | null {
  const words = tokens.slice(at, at + 4).map(({ word }) => word);
  const half = halfUnit(words);
  if (half) return half;
  const [first = "", second = ""] = words;
  const count = /^\d{1,9}(?:\.\d{1,3})?$/u.test(first) ? Number(first) : (numbers.get(first) ?? compound(first));
  if (count === undefined) return null;
  const unit = units.get(second);
  return unit ? { unit, count, length: 2 } : null;
}

/** `half an hour`, `a half hour`, `einer halben Stunde`, `einer Viertelstunde`, `a quarter of an hour`. */
function halfUnit(words: readonly string[]): Amount | null {
  const [first = "", second = "", third = "", fourth = ""] = words;
  if (first === "half" && numbers.get(second) === 1 && third === "hour")
    return { unit: "minute", count: 30, length: 3 };
  if (first === "half" && numbers.get(second) === 1 && third === "day") return { unit: "hour", count: 12, length: 3 };
  if (numbers.get(first) !== 1) return null;
  if (["half", "halben", "halbe"].includes(second) && units.get(third) === "hour")
    return { unit: "minute", count: 30, length: 3 };
  if (second === "viertelstunde") return { unit: "minute", count: 15, length: 2 };
  if (second === "dreiviertelstunde") return { unit: "minute", count: 45, length: 2 };
  if (second === "quarter" && third === "of" && fourth === "an") return { unit: "minute", count: 15, length: 5 };
  return null;
}

/** `eineinhalb`, `anderthalb`, `zweieinhalb` … */
function compound(word: string): number | undefined {
  if (word === "anderthalb") return 1.5;
  const stem = /^(.+)einhalb$/u.exec(word)?.[1];
  const number = stem === undefined ? undefined : numbers.get(stem);
  return number === undefined ? undefined : number + 0.5;
}

/** How many tokens say "and a half" here. */
function halfMore(tokens: readonly Token[], at: number): number {
  const [first, second, third] = tokens.slice(at, at + 3).map(({ word }) => word);
  return first === "a" && second === "half" && !units.has(third ?? "") ? 2 : 0;
}

const eastern =
  /(\d{1,6}|[一二三四五六七八九十两半]{1,3})\s*个?\s*(小时|小時|時間|分钟|分鐘|分間|分|天|日|週間|周|星期)(?:之?后|之?後|以后|以後|後に)/u;
const easternDigits = "一二三四五六七八九十";
const easternUnits: Readonly<Record<string, Unit>> = {
  小时: "hour",
  小時: "hour",
  時間: "hour",
  分钟: "minute",
  分鐘: "minute",
  分間: "minute",
  分: "minute",
  天: "day",
  日: "day",
  週間: "week",
  周: "week",
  星期: "week",
};

/** `2小时后`, `三天后`, `10分後`: a length of time in Chinese or Japanese, with where it stands. */
export function readEasternDuration(
  text: string,
  time: ReadingTime,
): (WhenReading & { readonly start: number; readonly end: number }) | null {
  const found = eastern.exec(text);
  const [whole = "", counted = "", word = ""] = found ?? [];
  const unit = easternUnits[word];
  if (!found || !unit) return null;
  const count = easternNumber(counted);
  const reading = count === null ? unreadable(`That number is beyond me; ${forms}.`) : after({ [unit]: count }, time);
  return { ...reading, start: found.index, end: found.index + whole.length };
}

function easternNumber(said: string): number | null {
  if (/^\d+$/u.test(said)) return Number(said);
  if (said === "半") return 0.5;
  const [tens, ones] = said.includes("十") ? said.split("十") : ["", said];
  const digit = (one: string | undefined): number => (one === "两" ? 2 : easternDigits.indexOf(one ?? "") + 1);
  const ten = said.includes("十") ? (tens === "" ? 1 : digit(tens)) * 10 : 0;
  const value = ten + (ones === "" ? 0 : digit(ones));
  return value > 0 && (ones ?? "").length <= 1 && (tens ?? "").length <= 1 ? value : null;
}
