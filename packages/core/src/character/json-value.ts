import type { JsonObject, JsonValue } from "../json.ts";

/** A JSON object that is still being put together. */
export type JsonDraft = { [key: string]: JsonValue | undefined };

/** Says whether a JSON value is an object (and neither a list nor null). */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Says whether a JSON value is a list. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** What stands under an object's own key; never something inherited, such as `constructor`. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Names the kind of a value in words for a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty text" : "a text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}
