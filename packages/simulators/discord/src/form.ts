import type { FormErrors } from "./errors.ts";
import { isSnowflake } from "./snowflake.ts";

/** How long a text or a list may be. Texts are counted in code points, as Discord does. */
type Length = { readonly min?: number; readonly max?: number };

/**
 * A body being read. Every reader answers null for a field that is absent, null or wrong, and notes what is wrong.
 */
export type Form = {
  readonly path: readonly string[];
  readonly errors: FormErrors;
  /** The fields as they came. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the field is there and not null. */
  has(name: string): boolean;
  text(name: string, length?: Length): string | null;
  integer(name: string, range?: Length): number | null;
  number(name: string, range?: Length): number | null;
  flag(name: string): boolean | null;
  snowflake(name: string): string | null;
  snowflakes(name: string, length?: Length): readonly string[] | null;
  form(name: string): Form | null;
  forms(name: string, length?: Length): readonly Form[] | null;
  list(name: string, length?: Length): readonly unknown[] | null;
  require(...names: readonly string[]): void;
  fail(name: string, code: string, message: string): void;
};

/** Starts to read a body; anything but an object is noted as wrong and read as an empty one. */
export function readForm(body: unknown, errors: FormErrors, path: readonly string[] = []): Form {
  const fields = isRecord(body) ? body : {};
  if (!isRecord(body)) errors.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
  const fail = (name: string, code: string, message: string): null => {
    errors.add([...path, name], code, message);
    return null;
  };
  const has = (name: string): boolean => fields[name] !== undefined && fields[name] !== null;
  const number = (name: string, range: Length, isWhole: boolean): number | null => {
    if (!has(name)) return null;
    const value = typeof fields[name] === "string" ? Number(fields[name]) : fields[name];
    if (typeof value !== "number" || !Number.isFinite(value) || (isWhole && !Number.isInteger(value))) {
      return fail(name, "NUMBER_TYPE_COERCE", `Value ${quoted(fields[name])} is not ${isWhole ? "int" : "float"}.`);
    }
    if (range.max !== undefined && value > range.max) {
      return fail(name, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${range.max}.`);
    }
    if (range.min !== undefined && value < range.min) {
      return fail(name, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${range.min}.`);
    }
    return value;
  };
  const list = (name: string, length: Length = {}): readonly unknown[] | null => {
    if (!has(name)) return null;
    const value = fields[name];
    if (!Array.isArray(value)) return fail(name, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
    return checkLength(value.length, length, (code, message) => fail(name, code, message)) ? value : null;
  };
  return {
    path,
    errors,
    fields,
    has,
    text(name, length = {}) {
      if (!has(name)) return null;
      const value = fields[name];
      if (typeof value !== "string" && typeof value !== "number") {
        return fail(name, "STRING_TYPE_CONVERT", `Could not interpret ${quoted(value)} as string.`);
      }
      const text = String(value);
      return checkLength(lengthOf(text), length, (code, message) => fail(name, code, message)) ? text : null;
    },
    integer: (name, range = {}) => number(name, range, true),
    number: (name, range = {}) => number(name, range, false),
    flag(name) {
      if (!has(name)) return null;
      const value = fields[name];
      if (value === true || value === "true") return true;
      if (value === false || value === "false") return false;
      return fail(name, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
    },
    snowflake(name) {
      if (!has(name)) return null;
      const value = typeof fields[name] === "number" ? String(fields[name]) : fields[name];
      if (isSnowflake(value)) return value;
      return fail(name, "NUMBER_TYPE_COERCE", `Value ${quoted(fields[name])} is not snowflake.`);
    },
    snowflakes(name, length) {
      const values = list(name, length);
      if (!values) return null;
      const wrong = values.findIndex((value) => !isSnowflake(value));
      if (wrong === -1) return values.filter(isSnowflake);
      errors.add(
        [...path, name, String(wrong)],
        "NUMBER_TYPE_COERCE",
        `Value ${quoted(values[wrong])} is not snowflake.`,
      );
      return null;
    },
    form: (name) => (has(name) ? readForm(fields[name], errors, [...path, name]) : null),
    forms: (name, length) =>
      list(name, length)?.map((value, place) => readForm(value, errors, [...path, name, String(place)])) ?? null,
    list,
    require(...names) {
      for (const name of names) if (!has(name)) fail(name, "BASE_TYPE_REQUIRED", "This field is required");
    },
    fail,
  };
}

/** How long Discord finds a text: its code points. */
export function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether it is a plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkLength(length: number, { min, max }: Length, fail: (code: string, message: string) => unknown): boolean {
  const isShort = min !== undefined && length < min;
  const isLong = max !== undefined && length > max;
  if (!isShort && !isLong) return true;
  if (min !== undefined && max !== undefined && min > 0) {
    fail("BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`);
  } else if (isLong) fail("BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`);
  else fail("BASE_TYPE_MIN_LENGTH", `Must be ${min} or more in length.`);
  return false;
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return `"${text.slice(0, 100)}"`;
}
