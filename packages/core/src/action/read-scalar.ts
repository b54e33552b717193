import type { JsonValue } from "../json.ts";
import { kindOf } from "./json-kind.ts";
import type { ParameterSchema } from "./parameter.ts";
import { type CompiledPattern, compilePattern } from "./pattern.ts";

/** A text, number or truth value as its schema wants it, or what is wrong, to be read after the parameter's name. */
export type ScalarReading =
  | { readonly ok: true; readonly value: string | number | boolean }
  | { readonly ok: false; readonly message: string };

const mostChoicesTold = 30;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a value for a schema of type `string`, `number`, `integer` or `boolean`. */
export function readScalar(schema: ParameterSchema, given: JsonValue): ScalarReading {
  const typed = toType(schema.type, given);
  if (!typed.ok) return typed;
  const chosen = choose(schema, typed.value);
  if (!chosen.ok) return chosen;
  const message = outOfBounds(schema, chosen.value) ?? againstPattern(schema, chosen.value);
  return message === null ? chosen : { ok: false, message };
}

/** All values a schema allows, `enum` first, or null when it names none. */
export function choicesOf(schema: ParameterSchema): readonly JsonValue[] | null {
  if (!schema.enum && !schema.enumValues) return null;
  return [...new Set([...(schema.enum ?? []), ...(schema.enumValues ?? [])])];
}

function toType(type: ParameterSchema["type"], given: JsonValue): ScalarReading {
  switch (type) {
    case "string":
      return toText(given);
    case "number":
    case "integer":
      return toNumber(type, given);
    case "boolean":
      return toBoolean(given);
    default:
      return { ok: false, message: `cannot be given: its action names a type that does not exist` };
  }
}

function toText(given: JsonValue): ScalarReading {
  if (typeof given === "string") return { ok: true, value: given };
  if ((typeof given === "number" && Number.isFinite(given)) || typeof given === "boolean") {
    return { ok: true, value: String(given) };
  }
  return { ok: false, message: `must be a text, not ${kindOf(given)}` };
}

function toNumber(type: "number" | "integer", given: JsonValue): ScalarReading {
  const wanted = type === "integer" ? "a whole number" : "a number";
  const isText = typeof given === "string" && jsonNumber.test(given.trim());
  if (!isText && typeof given !== "number") {
    return { ok: false, message: `must be ${wanted} in digits, not ${kindOf(given)}` };
  }
  // Adding 0 makes -0 the 0 that JSON would make of it.
  const value = Number(given) + 0;
  if (!Number.isFinite(value)) return { ok: false, message: `must be ${wanted}, and a smaller one` };
  if (type === "integer" && !Number.isInteger(value)) return { ok: false, message: "must be a whole number" };
  const isExact =
    Number.isSafeInteger(value) || !(type === "integer" || (isText && /^\s*-?\d+\s*$/.test(String(given))));
  return isExact
    ? { ok: true, value }
    : { ok: false, message: "has too many digits to be exact; at most 15 are certain" };
}

function toBoolean(given: JsonValue): ScalarReading {
  if (typeof given === "boolean") return { ok: true, value: given };
  const word = typeof given === "string" ? given.trim().toLowerCase() : "";
  if (word === "true" || word === "false") return { ok: true, value: word === "true" };
  return {
    ok: false,
    message: `must be true or false, not ${typeof given === "string" ? "another word" : kindOf(given)}`,
  };
}

function choose(schema: ParameterSchema, value: string | number | boolean): ScalarReading {
  const choices = choicesOf(schema);
  if (!choices || choices.includes(value)) return { ok: true, value };
  if (typeof value === "string") {
    const word = value.trim().toLowerCase();
    const choice = choices.find((one) => typeof one === "string" && one.trim().toLowerCase() === word);
    if (typeof choice === "string") return { ok: true, value: choice };
  }
  const told = choices.slice(0, mostChoicesTold).map((choice) => JSON.stringify(choice));
  const more = choices.length > told.length ? ` and ${choices.length - told.length} more` : "";
  return { ok: false, message: `must be one of ${told.join(", ")}${more}` };
}

function outOfBounds({ minimum, maximum }: ParameterSchema, value: string | number | boolean): string | null {
  if (typeof value !== "number") return null;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return null;
}

const compiled = new WeakMap<ParameterSchema, CompiledPattern>();

function againstPattern(schema: ParameterSchema, value: string | number | boolean): string | null {
  if (schema.pattern === undefined || typeof value !== "string") return null;
  const pattern = compiled.get(schema) ?? compilePattern(schema.pattern);
  compiled.set(schema, pattern);
  if (!pattern.ok) return `cannot be given: its action's pattern cannot be used, because ${pattern.reason}`;
  switch (pattern.search(value)) {
    case "found":
      return null;
    case "absent":
      return `must match the pattern ${schema.pattern}`;
    case "too-long":
      return "is too long to be checked; write a shorter text";
  }
}
