import type { JsonObject, JsonValue } from "../json.ts";
import type { DecodedAction } from "./decoded-response.ts";
import { parseLenientJson } from "./lenient-json.ts";

const nameKeys = ["name", "action", "tool", "type"] as const;
const parameterKeys = ["parameters", "params", "arguments", "args", "input"] as const;

/** Calls as the model wrote them; `isBroken` when one of them could not be read and was left out. */
export type ReadCalls = { readonly actions: readonly DecodedAction[]; readonly isBroken: boolean };

/** The names in `A, B`, or one on each line. */
export function readNames(list: string): string[] {
  return list
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The calls in `A, B`; or, when the model wrote data instead of names, in `["A", "B"]`, `[A, B]` or `{"name": …}`. */
export function readCallList(list: string): ReadCalls {
  if (!/^\s*[[{]/.test(list)) return { actions: readNames(list).map((name) => ({ name })), isBroken: false };
  const value = parseLenientJson(list);
  return value === undefined ? { actions: [], isBroken: true } : readCalls(value);
}

/** True for a key beside an action's name that holds its parameters. */
export function isParametersKey(key: string): boolean {
  return (parameterKeys as readonly string[]).includes(key);
}

/** Reads `"NAME"`, `"A, B"`, `{ name, parameters }` or a list of these. */
export function readCalls(value: JsonValue): ReadCalls {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const read = items.map(readItem);
  return { actions: read.flatMap((item) => item.actions), isBroken: read.some((item) => item.isBroken) };
}

function readItem(item: JsonValue): ReadCalls {
  if (typeof item === "string") return readCallList(item);
  if (!isObject(item)) return { actions: [], isBroken: false };
  if (isObject(item["function"])) return readItem(item["function"]);
  const name = nameKeys.map((key) => item[key]).find((named) => typeof named === "string" && named.trim() !== "");
  if (typeof name !== "string") return { actions: [], isBroken: true };
  const key = parameterKeys.find((candidate) => item[candidate] !== undefined);
  return withParameters(name.trim(), key === undefined ? null : (item[key] ?? null));
}

/** One call of a known name. Parameters that are no object leave it out: half a call is none. */
export function withParameters(name: string, value: JsonValue): ReadCalls {
  const parsed = typeof value === "string" && value.trim() !== "" ? parseLenientJson(value) : value;
  if (isObject(parsed)) return { actions: [{ name, parameters: parsed }], isBroken: false };
  const isNothing = parsed === null || parsed === "" || (Array.isArray(parsed) && parsed.length === 0);
  return isNothing ? { actions: [{ name }], isBroken: false } : { actions: [], isBroken: true };
}

/** True for a JSON object, lists excluded. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
