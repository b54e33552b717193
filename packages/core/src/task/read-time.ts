import type { Token } from "./tokens.ts";
import { dayParts, numbers } from "./words.ts";

/** A time of day, and how many tokens said it. */
export type TimeReading = { readonly hour: number; readonly minute: number; readonly length: number };

const introductions = new Set(["at", "um", "gegen", "@"]);

/**
 * Reads a time of day from a token on: `at 8`, `8:30 pm`, `half past eight`, `um 8 Uhr 30`, `halb neun`, `noon`. A bare number is
 * one only after `at` or `um`, or with more to it. Null when there is none.
 */
export function readTime(tokens: readonly Token[], from: number): TimeReading | null {
  const isIntroduced = introductions.has(tokens[from]?.word ?? "");
  const start = isIntroduced ? from + 1 : from;
  const named = readNamed(tokens, start) ?? readFraction(tokens, start);
  const read = named ?? readClock(tokens, start, isIntroduced);
  if (!read) return null;
  const shifted = withDayPart(tokens, start, read);
  return shifted && { ...shifted, length: shifted.length + (start - from) };
}

const nameTimes = new Map([
  ["noon", 12],
  ["midday", 12],
  ["mittag", 12],
  ["mittags", 12],
  ["midnight", 0],
  ["mitternacht", 0],
]);

function readNamed(tokens: readonly Token[], at: number): TimeReading | null {
  const hour = nameTimes.get(tokens[at]?.word ?? "");
  return hour === undefined ? null : { hour, minute: 0, length: 1 };
}

/** Reads a time told from the full hour: `half past eight`, `quarter to nine`; `halb neun` is half an hour before nine, `viertel nach acht` a quarter after eight. */
export function readFraction(tokens: readonly Token[], at: number): TimeReading | null {
  const [first = "", second = ""] = [tokens[at]?.word, tokens[at + 1]?.word];
  if (first === "halb") return fromHour(hourAt(tokens, at + 1), -30, 2);
  if (first === "dreiviertel") return fromHour(hourAt(tokens, at + 1), -15, 2);
  const minutes = first === "half" ? 30 : first === "quarter" || first === "viertel" ? 15 : null;
  if (minutes === null) return null;
  if (second === "past" || second === "nach") return fromHour(hourAt(tokens, at + 2), minutes, 3);
  if (second === "to" || second === "vor") return fromHour(hourAt(tokens, at + 2), -minutes, 3);
  return null;
}

function fromHour(hour: number | null, minutes: number, length: number): TimeReading | null {
  if (hour === null || hour > 24) return null;
  const total = (hour * 60 + minutes + 1_440) % 1_440;
  return { hour: Math.floor(total / 60), minute: total % 60, length };
}

function hourAt(tokens: readonly Token[], at: number): number | null {
  const word = tokens[at]?.word ?? "";
  if (/^\d{1,2}$/u.test(word)) return Number(word);
  const number = numbers.get(word);
  return number !== undefined && number <= 12 ? number : null;
}

function readClock(tokens: readonly Token[], at: number, isIntroduced: boolean): TimeReading | null {
  const word = tokens[at]?.word ?? "";
  const [, hours, minutes] = /^(\d{1,2})[:.](\d{2})$/u.exec(word) ?? [];
  if (hours !== undefined && minutes !== undefined) return withMarks(tokens, at, [Number(hours), Number(minutes), 1]);
  const hour = hourAt(tokens, at);
  if (hour === null) return null;
  const next = tokens[at + 1]?.word ?? "";
  if (next === "uhr") {
    const minute = /^[0-5]?\d$/u.exec(tokens[at + 2]?.word ?? "");
    return valid(minute ? [hour, Number(minute[0]), 3] : [hour, 0, 2]);
  }
  if (next === "o'clock") return withMarks(tokens, at + 1, [hour, 0, 2]);
  const marked = withMarks(tokens, at, [hour, 0, 1]);
  return isIntroduced || (marked && marked.length > 1) ? marked : null;
}

type Clock = readonly [hour: number, minute: number, length: number];

/** `am`, `pm`, `a.m.`, `p.m.` and `Uhr` after the token at `last`. */
function withMarks(tokens: readonly Token[], last: number, [hour, minute, length]: Clock): TimeReading | null {
  const words = tokens.slice(last + 1, last + 5).map(({ word }) => word);
  if (words[0] === "uhr") return valid([hour, minute, length + 1]);
  const isDotted = ["a", "p"].includes(words[0] ?? "") && words[1] === "." && words[2] === "m";
  const mark = isDotted ? `${words[0]}m` : words[0];
  if (mark !== "am" && mark !== "pm") return valid([hour, minute, length]);
  // "am" before a day is German for "on".
  if (mark === "am" && !isDotted && !isEnd(words[1])) return valid([hour, minute, length]);
  if (hour < 1 || hour > 12) return null;
  const marks = isDotted ? (words[3] === "." ? 4 : 3) : 1;
  return valid([(hour % 12) + (mark === "pm" ? 12 : 0), minute, length + marks]);
}

const germanDays = /^(?:\d+|(?:mon|diens|donners|frei|sams|sonn)\p{L}*|mitt\p{L}+|ersten|letzten|wochenende)$/u;

function isEnd(word: string | undefined): boolean {
  return word === undefined || !germanDays.test(word);
}

function valid([hour, minute, length]: Clock): TimeReading | null {
  if (hour > 24 || minute > 59 || (hour === 24 && minute > 0)) return null;
  return { hour: hour % 24, minute, length };
}

/** `at 8 in the evening`, `um 8 Uhr abends`. */
function withDayPart(tokens: readonly Token[], start: number, read: TimeReading): TimeReading | null {
  const at = start + read.length;
  const words = tokens.slice(at, at + 3).map(({ word }) => word);
  const preposition = words[0] === "in" && words[1] === "the" ? 2 : words[0] === "at" || words[0] === "am" ? 1 : 0;
  const part = words[preposition] ?? "";
  const usual = dayParts.get(part);
  if (usual === undefined || (words[0] === "at" && part !== "night")) return read;
  const length = read.length + preposition + 1;
  const isLater = usual >= 15 || (usual === 12 && read.hour < 11);
  const isAfterMidnight = usual === 21 && (read.hour < 5 || read.hour === 12);
  if (isAfterMidnight) return { hour: read.hour % 12, minute: read.minute, length };
  return { hour: isLater && read.hour < 12 ? read.hour + 12 : read.hour, minute: read.minute, length };
}
