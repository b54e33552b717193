import type { JsonObject, JsonValue } from "../json.ts";
import { isObject } from "./action-calls.ts";
import type { DecodedAction, DecodedResponse } from "./decoded-response.ts";
import { isCutReason } from "./decoder.ts";

/** One call a model made natively, under the action's own name. `input` is null when it could not be read. */
export type NativeCall = { readonly name: string; readonly input: JsonObject | null };

/**
 * One meaning of a text and the native calls beside it: the calls follow the actions the text asked for, in order; what
 * both ask for, under one name with equal parameters, counts once. A call that could not be read is left out and makes the
 * answer incomplete, as it does in every other form. Calls alone are a whole answer unless the finish reason tells of a cut.
 */
export function joinToolCalls(
  decoded: DecodedResponse,
  calls: readonly NativeCall[],
  finishReason: string | undefined,
): DecodedResponse {
  if (calls.length === 0) return decoded;
  const unmatched = [...decoded.actions];
  const actions = [...decoded.actions];
  for (const { name, input } of calls) {
    if (input === null) continue;
    const call: DecodedAction = Object.keys(input).length === 0 ? { name } : { name, parameters: input };
    const twin = unmatched.findIndex((action) => isSameCall(action, call));
    if (twin >= 0) unmatched.splice(twin, 1);
    else actions.push(call);
  }
  // An answer without words is incomplete to the decoder, which knows nothing of the calls.
  const isWordless = decoded.text === "" && decoded.actions.length === 0 && decoded.keywords.length === 0;
  const isWhole = (isWordless || decoded.complete) && !isCutReason(finishReason);
  return { ...decoded, actions, complete: isWhole && calls.every(({ input }) => input !== null) };
}

/**
 * A text and the native calls beside it as one raw answer, fit to be kept and decoded again: to the same meaning, but that
 * a call which the text asks for as well stands there twice. Without calls it is the text itself.
 */
export function encodeToolAnswer(said: string, calls: readonly (NativeCall & { readonly raw: string })[]): string {
  if (calls.length === 0) return said;
  const actions = calls.map(({ name, input, raw }) => {
    if (input === null) return { name, parameters: raw };
    return Object.keys(input).length === 0 ? { name } : { name, parameters: input };
  });
  return JSON.stringify({ text: said, actions });
}

function isSameCall(one: DecodedAction, other: DecodedAction): boolean {
  return (
    withoutSpelling(one.name) === withoutSpelling(other.name) && isEqual(one.parameters ?? {}, other.parameters ?? {})
  );
}

/** An action's name is the same in any case, with or without `_`, `-` and spaces. */
function withoutSpelling(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]+/g, "");
}

/** Equal JSON, in whatever order the keys stand. */
function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}
