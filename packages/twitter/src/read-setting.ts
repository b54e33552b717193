import type { JsonValue, PlatformSettings } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import type { Forbidden } from "./text.ts";

/**
 * Settings of a character's file, read one by one. People write numbers and yes or no as text too, as in `.env`. Each throws
 * ConfigError naming the setting and what it may be.
 */
export type Reading = {
  /** `true`, `"true"`, `"yes"` …; false when absent. */
  flag(name: string): boolean;
  /** 0 or more. */
  amount(name: string, usual: number): number;
  whole(name: string, usual: number, most?: number): number;
  /** One length, or from and to, in a unit of so many milliseconds. */
  range(name: string, usual: readonly [number, number], unitMs: number): readonly [number, number];
  word<T extends string>(name: string, words: readonly T[], usual: T): T;
  words<T extends string>(name: string, words: readonly T[], usual: readonly T[]): readonly T[];
  /** A list, or a text with commas; without `@` or `#`. */
  names(name: string, usual: readonly string[]): readonly string[];
  /** Numbers by word. */
  amounts<T extends string>(
    name: string,
    usual: Readonly<Record<T, number>>,
    most: number,
  ): Readonly<Record<T, number>>;
  forbidden(name: string): Forbidden;
  /** An amount, or null for "unlimited". */
  limit(name: string, usual: number): number | null;
};

const yes = ["true", "1", "yes", "on"];
const no = ["false", "0", "no", "off"];

/** Reads from what stands under `platforms.twitter`. */
export function createReading(settings: PlatformSettings): Reading {
  const flag = (name: string): boolean => readFlag(settings[name]) ?? refuse(name, "must be true or false");
  const names: Reading["names"] = (name, usual) =>
    settings[name] === undefined
      ? usual
      : (readNames(settings[name]) ?? refuse(name, 'must be a list of texts such as ["tea", "ada"]'));
  return {
    flag,
    names,
    amount: (name, usual) => readAmount(settings[name], usual) ?? refuse(name, "must be a number, 0 or more"),
    whole(name, usual, most = Number.MAX_SAFE_INTEGER) {
      const value = readAmount(settings[name], usual);
      if (value !== null && Number.isSafeInteger(value) && value <= most) return value;
      return refuse(name, `must be a whole number from 0${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}`);
    },
    range(name, usual, unitMs) {
      const [from, to] =
        readRange(settings[name], usual) ?? refuse(name, `must be ${unitOf(unitMs)}, one number or [from, to]`);
      return [from * unitMs, to * unitMs];
    },
    word(name, words, usual) {
      const value = settings[name] ?? usual;
      return words.find((word) => word === value) ?? refuse(name, `must be one of ${words.join(", ")}`);
    },
    words(name, words, usual) {
      const given = names(name, usual);
      const known = words.filter((word) => given.includes(word));
      return known.length === new Set(given).size ? known : refuse(name, `must be a list of ${words.join(", ")}`);
    },
    amounts: (name, usual, most) =>
      readAmounts(settings[name], usual, most) ??
      refuse(name, `must be numbers${most > 1_000 ? "" : ` from 0 to ${most}`} by ${Object.keys(usual).join(", ")}`),
    forbidden: (name) =>
      readForbidden(settings[name]) ?? refuse(name, "must say links, mentions or hashtags, each true, false or a list"),
    limit(name, usual) {
      if (settings[name] === "unlimited") return null;
      return readAmount(settings[name], usual) ?? refuse(name, 'must be a number of US dollars, or "unlimited"');
    },
  };
}

function refuse(name: string, must: string): never {
  throw new ConfigError("invalid", `platforms.twitter.${name} ${must}; correct it in the character's file.`);
}

function unitOf(unitMs: number): string {
  return unitMs === 1_000 ? "seconds" : "minutes";
}

function readFlag(value: JsonValue | undefined): boolean | null {
  if (value === undefined) return false;
  const said = String(value).trim().toLowerCase();
  if (yes.includes(said)) return true;
  return no.includes(said) ? false : null;
}

function readAmount(value: JsonValue | undefined, usual: number): number | null {
  if (value === undefined) return usual;
  const isText = typeof value === "string" && value.trim() !== "";
  const number = typeof value === "number" ? value : isText ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : null;
}

function readRange(value: JsonValue | undefined, usual: readonly [number, number]): readonly [number, number] | null {
  if (value === undefined) return usual;
  const ends = Array.isArray(value) ? value : [value, value];
  const [from, to] = ends.map((end) => readAmount(end, Number.NaN));
  if (ends.length !== 2 || !from || !to) return null;
  return [Math.min(from, to), Math.max(from, to)];
}

function readNames(value: JsonValue | undefined): readonly string[] | null {
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) return null;
  return list.map((name) => name.trim().replace(/^[@#]/u, "")).filter((name) => name !== "");
}

function readAmounts<T extends string>(
  value: JsonValue | undefined,
  usual: Readonly<Record<T, number>>,
  most: number,
): Readonly<Record<T, number>> | null {
  if (value === undefined) return usual;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const read: Record<string, number> = {};
  for (const [name, one] of Object.entries(value)) {
    const amount = readAmount(one, 0);
    if (!Object.hasOwn(usual, name) || amount === null || amount > most) return null;
    read[name] = amount;
  }
  return { ...usual, ...read };
}

function readForbidden(value: JsonValue | undefined): Forbidden | null {
  const none: Forbidden = { links: false, mentions: false, hashtags: false };
  if (value === undefined) return none;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const read: Record<string, boolean | readonly string[]> = {};
  for (const [name, one] of Object.entries(value)) {
    const rule = Array.isArray(one) ? readNames(one)?.map((text) => text.toLowerCase()) : readFlag(one);
    if (!Object.hasOwn(none, name) || rule === undefined || rule === null) return null;
    read[name] = rule;
  }
  return { ...none, ...read };
}
