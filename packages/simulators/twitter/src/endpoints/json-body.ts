import { invalidBody } from "../problem.ts";

/** A JSON object with known keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The body as an object. @throws Problem when it is none, or has a key that is not known. */
export function objectBody(body: unknown, keys: readonly string[]): JsonObject {
  return objectAt(body, "$", keys);
}

/** The object at a place; undefined when there is nothing. */
export function optionalObject(parent: JsonObject, key: string, keys: readonly string[]): JsonObject | undefined {
  return parent[key] === undefined ? undefined : objectAt(parent[key], `$.${key}`, keys);
}

/** The text at a place. @throws Problem when it is none. */
export function text(parent: JsonObject, key: string): string {
  const value = optionalText(parent, key);
  if (value === undefined) throw invalidBody(`$.${key}`, "is missing but it is required");
  return value;
}

/** The text at a place; undefined when there is nothing. @throws Problem when it is something else. */
export function optionalText(parent: JsonObject, key: string): string | undefined {
  const value = parent[key];
  if (value === undefined || typeof value === "string") return value;
  throw invalidBody(`$.${key}`, `${kindOf(value)} found, string expected`);
}

/** The id at a place. @throws Problem when it is none. */
export function optionalId(parent: JsonObject, key: string): string | undefined {
  const value = optionalText(parent, key);
  if (value !== undefined && !/^\d{1,19}$/.test(value)) {
    throw invalidBody(`$.${key}`, "does not match the regex pattern ^[0-9]{1,19}$");
  }
  return value;
}

/** The id at a place. @throws Problem when it is missing or none. */
export function id(parent: JsonObject, key: string): string {
  const value = optionalId(parent, key);
  if (value === undefined) throw invalidBody(`$.${key}`, "is missing but it is required");
  return value;
}

/** The ids at a place; empty when there is nothing. @throws Problem when one is none. */
export function ids(parent: JsonObject, key: string): string[] {
  const value = parent[key];
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalidBody(`$.${key}`, `${kindOf(value)} found, array expected`);
  return value.map((_, index) => id(value as unknown as JsonObject, String(index)));
}

function objectAt(value: unknown, where: string, keys: readonly string[]): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidBody(where, `${kindOf(value)} found, object expected`);
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw invalidBody(
      `${where}.${unknown}`,
      "is not defined in the schema and the schema does not allow additional properties",
    );
  }
  // An object that is no array has keys and values.
  return value as JsonObject;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
