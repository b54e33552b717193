/** What the clocks of a zone show. Months from 1; weekdays from 0, Sunday. */
export type WallTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of an IANA zone show at a moment (epoch milliseconds). @throws RangeError for a zone there is none of. */
export function wallTime(at: number, timeZone: string): WallTime {
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

/**
 * The moment at which the clocks of a zone show this; days and months beyond their ends count on. A time that is skipped when
 * clocks go forward is as much later; of a time that comes twice it is the first.
 */
export function instantOf(wall: WallTime, timeZone: string): number {
  const asUtc = utcOf(wall);
  const offsets = [offsetAt(asUtc - dayMs, timeZone), offsetAt(asUtc + dayMs, timeZone)];
  const matching = offsets.map((offsetMs) => asUtc - offsetMs).filter((at) => at + offsetAt(at, timeZone) === asUtc);
  return matching.length > 0 ? Math.min(...matching) : asUtc - Math.min(...offsets);
}

/** The wall time as if it were UTC: a number to reckon with. */
export function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime();
}

/** The day of the week, 0 for Sunday. */
export function weekdayOf(wall: WallTime): number {
  return new Date(utcOf(wall)).getUTCDay();
}

/** A moment in words for people of a zone: `Thursday, 2026-01-08 08:00 (Europe/Berlin)`. */
export function describeMoment(at: number, timeZone: string): string {
  const wall = wallTime(at, timeZone);
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = `${String(wall.year).padStart(4, "0")}-${two(wall.month)}-${two(wall.day)}`;
  const seconds = wall.second === 0 ? "" : `:${two(wall.second)}`;
  return `${weekdayNames[weekdayOf(wall)]}, ${date} ${two(wall.hour)}:${two(wall.minute)}${seconds} (${timeZone})`;
}

/**
 * The IANA zone somebody means by its name or that of its city, whatever its case: `Europe/Berlin`, `berlin`, `New York`,
 * `utc`; null when there is none, or several.
 */
export function findTimeZone(said: string): string | null {
  const wanted = said.trim().toLowerCase().replaceAll(" ", "_");
  if (wanted === "" || wanted.length > 60) return null;
  if (["utc", "gmt", "z"].includes(wanted)) return "UTC";
  const zones = Intl.supportedValuesOf("timeZone");
  const exact = zones.find((zone) => zone.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const cities = zones.filter((zone) => zone.toLowerCase().split("/").at(-1) === wanted);
  return cities.length === 1 ? (cities[0] ?? null) : resolved(said.trim());
}

/** Zones under their older names, as far as this machine knows them. */
function resolved(name: string): string | null {
  if (!name.includes("/")) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const dayMs = 86_400_000;
const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** By how much the clocks of a zone are ahead of UTC, to the second. */
function offsetAt(at: number, timeZone: string): number {
  const whole = Math.floor(at / 1_000) * 1_000;
  return utcOf(wallTime(whole, timeZone)) - whole;
}
