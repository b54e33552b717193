/** A time of day in which the agent keeps silent: `22:00-07:00`, across midnight if `to` is the earlier. */
export type QuietHours = { readonly fromMinute: number; readonly toMinute: number };

const form = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/u;

/** Reads `22:00-07:00`; null when it is not of that form. Equal ends mean never. */
export function readQuietHours(text: string): QuietHours | null {
  const [, fromHour, fromMinute, toHour, toMinute] = (form.exec(text.trim()) ?? []).map(Number);
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined) return null;
  return { fromMinute: fromHour * 60 + fromMinute, toMinute: toHour * 60 + toMinute };
}

/** Whether a time zone is known to this machine; an IANA name such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Whether `now` (epoch milliseconds) falls into the hours, by the clocks of that zone. The end does not count. */
export function isQuiet({ fromMinute, toMinute }: QuietHours, now: number, timeZone: string): boolean {
  const minute = minuteOfDay(now, timeZone);
  if (fromMinute <= toMinute) return minute >= fromMinute && minute < toMinute;
  return minute >= fromMinute || minute < toMinute;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(now: number, timeZone: string): number {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  clocks.set(timeZone, clock);
  const [hour = 0, minute = 0] = clock.format(now).split(":").map(Number);
  return hour * 60 + minute;
}
