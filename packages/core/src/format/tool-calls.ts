import type { JsonObject, JsonValue } from "../json.ts";
import { isObject } from "./action-calls.ts";
import type { DecodedAction, DecodedResponse } from "./decoded-response.ts";
import { isCutReason } from "./decoder.ts";
import { parseLenientJson } from "./lenient-json.ts";

/** One call a model made natively, under the action's own name. `input` is null when it could not be read. */
export type NativeCall = { readonly name: string; readonly input: JsonObject | null };

/** The two names of each action: its own, and the one a vendor takes. */
export type ToolNames = {
  /** The name for the vendor; one that was not given at the start is made fit, but is nobody's. */
  toTool(action: string): string;
  /** The action's own name; a tool that was never offered keeps the name the model gave it. */
  toAction(tool: string): string;
};

const limitNameLength = 64;

/**
 * Names that every vendor takes: 1..64 letters, digits, `_` and `-`, beginning with a letter or `_`, no two alike. The same
 * list gives the same names; a name that is fit already stays as it is.
 */
export function createToolNames(actions: readonly string[]): ToolNames {
  const tools = new Map<string, string>();
  const owners = new Map<string, string>();
  // Names that need no change come first, so that no other can take them.
  const inOrder = [...actions.filter(isToolName), ...actions.filter((name) => !isToolName(name))];
  for (const action of inOrder) {
    if (tools.has(action)) continue;
    const tool = freeName(toSafeName(action), owners);
    tools.set(action, tool);
    owners.set(tool, action);
  }
  return {
    toTool: (action) => tools.get(action) ?? toSafeName(action),
    toAction: (tool) => owners.get(tool) ?? tool,
  };
}

/** Whether every vendor takes this name. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

function toSafeName(name: string): string {
  const safe = name.trim().replace(/[^A-Za-z0-9_-]/gu, "_");
  return (/^[A-Za-z_]/.test(safe) ? safe : `_${safe}`).slice(0, limitNameLength);
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) {
    const suffix = `_${count}`;
    free = name.slice(0, limitNameLength - suffix.length) + suffix;
  }
  return free;
}

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
