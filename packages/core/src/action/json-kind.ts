import type { JsonObject, JsonValue } from "../json.ts";

/** Says whether a value is a JSON object: neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Says whether a value is a JSON list. */
export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** What stands under an object's own key, null as if nothing stood there; never something inherited. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return (Object.hasOwn(object, key) ? object[key] : undefined) ?? undefined;
}

/** Names the kind of a value in words: `a text`, `a list` … */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (isList(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    default:
      return "an object";
  }
}
