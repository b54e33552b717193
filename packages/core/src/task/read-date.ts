import { readFraction } from "./read-time.ts";
import { usualHour } from "./rhythm.ts";
import { tokenize } from "./tokens.ts";
import { type FoundWhen, type ReadingTime, unreadable, type WhenReading } from "./when.ts";
import { instantOf, utcOf, wallTime } from "./zone.ts";

/** Languages in the order in which they are believed when several read as much of a text. */
const languages = [
  "en",
  "de",
  "fr",
  "es",
  "it",
  "pt",
  "nl",
  "sv",
  "fi",
  "ru",
  "uk",
  "ja",
  "zh",
  "vi",
  "id",
  "ar",
] as const;

/** What is known of a date somebody wrote; its fields in UTC are what the clocks of the zone show. */
type Parsed = {
  readonly index: number;
  readonly text: string;
  readonly start: { date(): Date; isCertain(component: "hour" | "day" | "weekday" | "timezoneOffset"): boolean };
  readonly end?: object | null;
  tags(): Set<string>;
};

/** Finds the single time a text speaks of, in any of {@link languages}: the reading that makes most of it. Null when there is none. */
export async function findDate(text: string, time: ReadingTime): Promise<FoundWhen | null> {
  const plain = withPlainTimes(text);
  const best = await parseBest(plain, time);
  if (!best) return null;
  const { index, text: matched } = best;
  // Times that were put in figures are followed by spaces in the place of their words.
  const padding = /^\s*/u.exec(plain.slice(index + matched.length))?.[0].length ?? 0;
  return { ...toReading(best, matched, time), start: index, end: index + matched.length + padding };
}

async function parseBest(text: string, { now, timeZone }: ReadingTime): Promise<Parsed | null> {
  const chrono = await import("chrono-node");
  // The clocks of the zone, as if they were UTC: so that nothing depends on the clocks of this machine.
  const instant = new Date(utcOf(wallTime(now, timeZone)));
  let best: Parsed | null = null;
  for (const language of languages) {
    for (const parsed of parse(chrono[language], text, instant)) {
      if (!best || parsed.text.trim().length > best.text.trim().length) best = parsed;
    }
  }
  return best;
}

type Parser = {
  parse(
    text: string,
    reference: { instant: Date; timezone: number },
    options: { forwardDate: true },
  ): readonly Parsed[];
};

/** People write what no parser was made for; one that stumbles over it has read nothing. */
function parse(language: Parser, text: string, instant: Date): readonly Parsed[] {
  try {
    return language.parse(text, { instant, timezone: 0 }, { forwardDate: true });
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

const pastWords = /\b(?:last|previous|letzte[rnms]?|vorige[rnms]?|vergangene[rnms]?)\b/iu;
const slashes = /(?<!\d)(\d{1,2})[/-](\d{1,2})(?:[/-]\d{2,4})?(?!\d)/u;
const withPartOfDay = /casualReference\/(?!tomorrow|today|yesterday|now|day|tmr)/u;

function toReading(parsed: Parsed, matched: string, { now, timeZone }: ReadingTime): WhenReading {
  const said = matched.trim();
  const [, first, second] = slashes.exec(said) ?? [];
  if (first !== undefined && Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)) {
    return unreadable(`${said} can be two dates; write it as year, month and day, as in 2026-04-03.`);
  }
  if (parsed.end) return unreadable(`“${said}” is a span of time; give the one time that is meant.`);
  if (pastWords.test(said)) return unreadable(`“${said}” has passed already; give a time to come.`);
  const shown = parsed.start.date();
  if (Number.isNaN(shown.getTime())) return unreadable(`“${said}” is no time there is; correct it.`);
  const at = momentOf(parsed, shown, { now, timeZone });
  if (at > now) return { ok: true, schedule: { type: "once", at } };
  return unreadable(`“${said}” has passed already; give a time to come.`);
}

function momentOf(parsed: Parsed, shown: Date, { now, timeZone }: ReadingTime): number {
  const { start } = parsed;
  const marks = [...parsed.tags()];
  if (marks.includes("result/relativeDateAndTime")) return now + (shown.getTime() - utcOf(wallTime(now, timeZone)));
  if (start.isCertain("timezoneOffset")) return shown.getTime();
  const wall = wallTime(shown.getTime(), "UTC");
  const isTimed = start.isCertain("hour") || marks.some((mark) => withPartOfDay.test(mark));
  const isCounted = marks.includes("result/relativeDate");
  const moment = isTimed || isCounted ? wall : { ...wall, hour: usualHour, minute: 0, second: 0 };
  const at = instantOf(moment, timeZone);
  // A time without a day is the next one to come.
  const hasDay = isCounted || start.isCertain("day") || start.isCertain("weekday");
  const isNext = at <= now && !hasDay && start.isCertain("hour");
  return isNext ? instantOf({ ...moment, day: moment.day + 1 }, timeZone) : at;
}

/** Times as people say them, in figures, each as long as it was: `halb neun` as `08:30    `, `8 Uhr 30` as `8:30    `. */
function withPlainTimes(text: string): string {
  const tokens = tokenize(text);
  let plain = text
    .replace(/(\d{1,2}) uhr (\d{2})(?!\d)/giu, (whole, hour: string, minute: string) =>
      `${hour}:${minute}`.padEnd(whole.length),
    )
    .replace(/\bmorgen früh\b/giu, (whole) => "morgen 8:00".padEnd(whole.length));
  for (const [at, token] of tokens.entries()) {
    const time = readFraction(tokens, at);
    const last = time && tokens[at + time.length - 1];
    if (!time || !last) continue;
    const figures = `${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`;
    if (figures.length > last.end - token.start) continue;
    plain = plain.slice(0, token.start) + figures.padEnd(last.end - token.start) + plain.slice(last.end);
  }
  return plain;
}
