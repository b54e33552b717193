import { errorMessage } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { ActionResult } from "./action.ts";
import { isObject } from "./json-kind.ts";

/** A result as the journal can keep it, with what of it was lost and why. */
export type NormalizedResult = { readonly result: ActionResult; readonly lost: readonly string[] };

/**
 * Makes a result of whatever a handler returned. Nothing and `true` are success, `false` is failure; an object that does not
 * say whether it succeeded, and any other value, is success with that value as `data`. A failure always has an `error`. What
 * JSON cannot hold is left out and named in `lost`. Total.
 */
export function normalizeResult(returned: unknown): NormalizedResult {
  if (returned === undefined || returned === null || returned === true) return { result: { success: true }, lost: [] };
  if (returned === false) return { result: failure("It did not succeed and gave no reason."), lost: [] };
  const lost: string[] = [];
  try {
    if (isObject(returned) && typeof returned["success"] === "boolean")
      return { result: fromObject(returned, lost), lost };
  } catch (error) {
    return { result: failure(`It ran, but its result cannot be read: ${thrownMessage(error)}`), lost };
  }
  const data = keep("data", returned, lost);
  return { result: { success: true, ...(data !== undefined && { data }) }, lost };
}

/** A failed result with its reason. */
export function failure(error: string): ActionResult {
  return { success: false, error };
}

/** What to tell about anything thrown; never empty, never throws itself. */
export function thrownMessage(error: unknown): string {
  try {
    return errorMessage(error).toWellFormed().trim() || "it failed without saying why";
  } catch {
    return "it threw something that cannot be put into words";
  }
}

type Loose = Readonly<Record<string, unknown>>;

function fromObject(object: Loose, lost: string[]): ActionResult {
  const { cleanup } = object;
  const success = object["success"] === true;
  const text = typeof object["text"] === "string" ? object["text"].toWellFormed() : undefined;
  const error = toError(object["error"]) ?? (success ? undefined : (text ?? "It did not succeed and gave no reason."));
  const values = keep("values", object["values"], lost);
  const data = keep("data", object["data"], lost);
  if (values !== undefined && !isObject(values)) lost.push("values: must be an object with names");
  return {
    success,
    ...(text !== undefined && { text }),
    ...(isObject(values) && { values: named(values) }),
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
    ...(object["continueChain"] === false && { continueChain: false }),
    ...(typeof cleanup === "function" && { cleanup: () => cleanup.call(object) }),
  };
}

function toError(error: unknown): string | undefined {
  return error === undefined || error === null || error === "" ? undefined : thrownMessage(error);
}

/** What of a value survives JSON, or undefined when nothing does. */
function keep(name: string, value: unknown, lost: string[]): JsonValue | undefined {
  if (value === undefined) return undefined;
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return JSON.parse(text);
    lost.push(`${name}: is ${typeof value}, which cannot be kept`);
  } catch (error) {
    lost.push(`${name}: cannot be kept: ${thrownMessage(error)}`);
  }
  return undefined;
}

/** Values are merged into a state by name: none may reach what objects are made of. */
function named(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== "__proto__"));
}
