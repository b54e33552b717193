import type { JsonObject, JsonValue } from "../json.ts";
import { isObject } from "./action-calls.ts";
import { parseLenientJson } from "./lenient-json.ts";

/**
 * The arguments of a native call as models write them: JSON, near-JSON, JSON in a string, or nothing at all, which is no
 * arguments. Integers that a double cannot hold exactly are strings of their digits. Null when it cannot be read or is no
 * object; never throws. The beginning of an object that was cut is never read as a whole one.
 */
export function readToolInput(raw: string): JsonObject | null {
  const value = readValue(raw);
  const unwrapped = typeof value === "string" ? readValue(value) : value;
  if (isObject(unwrapped)) return unwrapped;
  const isNothing = unwrapped === null || (Array.isArray(unwrapped) && unwrapped.length === 0);
  return isNothing ? {} : null;
}

function readValue(raw: string): JsonValue | undefined {
  return raw.trim() === "" ? null : parseLenientJson(raw);
}
