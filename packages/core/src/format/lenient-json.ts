import type { JsonObject, JsonValue } from "../json.ts";
import { readEscape } from "./json-escape.ts";
import { isBlank } from "./trimmed-text.ts";

/** Deeper values are refused. */
const limitDepth = 100;

type Cursor = { readonly raw: string; index: number };

/** What cannot be read at all; `undefined` is no JSON value. */
const unreadable = undefined;

/**
 * Reads a whole JSON value as models write it: raw line ends in strings, trailing and missing commas, comments, single
 * quotes and backticks, keys and words without quotes, Python's `True False None`. A number that a double cannot hold
 * exactly is kept as the string of its digits. A key `__proto__` is dropped. Undefined when it cannot be read or is nested
 * deeper than 100 levels; never throws.
 */
export function parseLenientJson(raw: string): JsonValue | undefined {
  const cursor: Cursor = { raw, index: 0 };
  skipTrivia(cursor);
  const value = readValue(cursor, 0);
  if (value === unreadable) return unreadable;
  skipTrivia(cursor);
  return cursor.index === raw.length ? value : unreadable;
}

function skipTrivia(cursor: Cursor): void {
  const { raw } = cursor;
  for (;;) {
    while (cursor.index < raw.length && isBlank(raw.charCodeAt(cursor.index))) cursor.index++;
    if (raw.startsWith("//", cursor.index)) cursor.index = endOf(raw, "\n", cursor.index + 2);
    else if (raw.startsWith("/*", cursor.index)) cursor.index = endOf(raw, "*/", cursor.index + 2);
    else return;
  }
}

function endOf(raw: string, mark: string, from: number): number {
  const index = raw.indexOf(mark, from);
  return index === -1 ? raw.length : index + mark.length;
}

function readValue(cursor: Cursor, depth: number): JsonValue | undefined {
  if (depth > limitDepth) return unreadable;
  switch (cursor.raw.charAt(cursor.index)) {
    case "{":
      return readObject(cursor, depth);
    case "[":
      return readArray(cursor, depth);
    case '"':
    case "'":
    case "`":
      return readString(cursor);
    default:
      return readBare(cursor);
  }
}

function readObject(cursor: Cursor, depth: number): JsonObject | undefined {
  const members: [string, JsonValue][] = [];
  cursor.index++;
  for (;;) {
    skipSeparators(cursor);
    const start = cursor.raw.charAt(cursor.index);
    if (start === "}") break;
    const key = start === '"' || start === "'" ? readString(cursor) : readBareKey(cursor);
    if (key === undefined) return unreadable;
    skipTrivia(cursor);
    if (cursor.raw.charAt(cursor.index) !== ":") return unreadable;
    cursor.index++;
    skipTrivia(cursor);
    const value = readValue(cursor, depth + 1);
    if (value === unreadable) return unreadable;
    if (key !== "__proto__") members.push([key, value]);
  }
  cursor.index++;
  return Object.fromEntries(members);
}

function readArray(cursor: Cursor, depth: number): JsonValue[] | undefined {
  const items: JsonValue[] = [];
  cursor.index++;
  for (;;) {
    skipSeparators(cursor);
    if (cursor.raw.charAt(cursor.index) === "]") break;
    const value = readValue(cursor, depth + 1);
    if (value === unreadable) return unreadable;
    items.push(value);
  }
  cursor.index++;
  return items;
}

function skipSeparators(cursor: Cursor): void {
  skipTrivia(cursor);
  while (cursor.raw.charAt(cursor.index) === ",") {
    cursor.index++;
    skipTrivia(cursor);
  }
}

function readString(cursor: Cursor): string | undefined {
  const { raw } = cursor;
  const quote = raw.charCodeAt(cursor.index);
  let text = "";
  let start = cursor.index + 1;
  for (let index = start; index < raw.length; index++) {
    const code = raw.charCodeAt(index);
    if (code === quote) {
      cursor.index = index + 1;
      return (text + raw.slice(start, index)).toWellFormed();
    }
    if (code !== 92) continue;
    text += raw.slice(start, index);
    let length = 2;
    let escape = readEscape(raw.slice(index, index + length));
    while (escape === null && index + length < raw.length) escape = readEscape(raw.slice(index, index + ++length));
    if (escape === null) return unreadable;
    text += escape.text;
    start = index + length - escape.rest.length;
    index = start - 1;
  }
  return unreadable;
}

function readBareKey(cursor: Cursor): string | undefined {
  const key = /[A-Za-z_$][\w$-]*/y;
  key.lastIndex = cursor.index;
  const match = key.exec(cursor.raw);
  if (!match) return unreadable;
  cursor.index = key.lastIndex;
  return match[0];
}

function readBare(cursor: Cursor): JsonValue | undefined {
  const word = /[^\s,[\]{}:"'`]+/y;
  word.lastIndex = cursor.index;
  const match = word.exec(cursor.raw);
  if (!match) return unreadable;
  cursor.index = word.lastIndex;
  return fromWord(match[0]);
}

function fromWord(word: string): JsonValue {
  switch (word) {
    case "true":
    case "True":
      return true;
    case "false":
    case "False":
      return false;
    case "null":
    case "None":
    case "undefined":
      return null;
    default:
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? toExactNumber(word) : word.toWellFormed();
  }
}

/** The number, or its digits as a string when a double would not keep them. */
function toExactNumber(literal: string): number | string {
  const value = Number(literal);
  if (!Number.isFinite(value)) return literal;
  if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value) ? value : literal;
  const digits = significantDigits(literal);
  return digits.length <= 15 || digits === significantDigits(String(value)) ? value : literal;
}

function significantDigits(literal: string): string {
  const mantissa = literal.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  const first = mantissa.search(/[1-9]/);
  if (first === -1) return "";
  let end = mantissa.length;
  while (mantissa.charAt(end - 1) === "0") end--;
  return mantissa.slice(first, end);
}
