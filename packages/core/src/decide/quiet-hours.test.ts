import { describe, expect, it } from "vitest";
import { isQuiet, isTimeZone, readQuietHours } from "./quiet-hours.ts";

const at = (time: string): number => Date.parse(`2026-01-15T${time}:00Z`);

describe("quiet hours", () => {
  it.each([
    ["22:00-07:00", "23:30", true],
    ["22:00-07:00", "06:59", true],
    ["22:00-07:00", "07:00", false],
    ["22:00-07:00", "12:00", false],
    ["9:00 – 17:30", "09:00", true],
    ["09:00-17:30", "17:30", false],
    ["08:00-08:00", "08:00", false],
  ])("%s holds at %s UTC: %s", (text, time, expected) => {
    const hours = readQuietHours(text);
    expect(hours && isQuiet(hours, at(time), "UTC")).toBe(expected);
  });

  it("go by the clocks of their zone", () => {
    const hours = readQuietHours("22:00-07:00");
    expect(hours && isQuiet(hours, at("21:30"), "Europe/Berlin")).toBe(true);
    expect(hours && isQuiet(hours, at("21:30"), "Europe/London")).toBe(false);
  });

  it.each(["", "22-7", "25:00-07:00", "22:00", "at night"])("cannot be read from %j", (text) => {
    expect(readQuietHours(text)).toBeNull();
  });

  it("know time zones from other names", () => {
    expect(isTimeZone("Asia/Tokyo")).toBe(true);
    expect(isTimeZone("Middle/Earth")).toBe(false);
  });
});
