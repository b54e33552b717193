import type { JsonObject, JsonValue } from "../json.ts";
import type { Kept } from "./scoped.ts";

/** How deep what is kept may be nested. */
const deepest = 100;

/**
 * A frozen copy of a value, or where it is no plain JSON: dates, maps, functions, NaN and the like would come back as something
 * else. Members that are undefined are left out.
 */
export function toPlainJson(value: unknown): Kept {
  try {
    return { ok: true, value: copy(value, "", 0) };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Inside this file only: leaves the walk. */
class NotPlain extends Error {}

function copy(value: unknown, path: string, depth: number): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (depth >= deepest) throw refusal(path, `is nested deeper than ${deepest} levels`);
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item: unknown, at) => copy(item, `${path}[${at}]`, depth + 1)));
  }
  if (typeof value !== "object" || !isPlain(value)) throw refusal(path, `is ${kindOf(value)}, which JSON cannot keep`);
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || name === "__proto__") continue;
    members.push([name, copy(member, path === "" ? name : `${path}.${name}`, depth + 1)]);
  }
  return Object.freeze(Object.fromEntries(members)) satisfies JsonObject;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name ?? "object"}`;
  return typeof value === "number" ? String(value) : `a ${typeof value}`;
}

function refusal(path: string, what: string): NotPlain {
  return new NotPlain(`${path === "" ? "the value" : path} ${what}`);
}

/** JSON with the members of objects in the order of their names: the same for equal values. */
export function stableJson(value: JsonValue): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
