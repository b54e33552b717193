import { isList, isObject } from "../../action/json-kind.ts";
import type { JsonObject, JsonValue } from "../../json.ts";

/** What a call came to, as another call of the same answer may refer to it. */
export type Referable = {
  readonly name: string;
  readonly success: boolean;
  readonly text?: string;
  readonly data?: JsonValue;
  readonly values?: JsonObject;
  readonly error?: string;
};

/** What references are looked up in. Null: there is no such call. */
export type ReferenceSource = {
  readonly call: (index: number) => Referable | null;
  /** What results left for later actions of the run. */
  readonly shortTermMemory: JsonObject;
};

/** Parameters with every reference replaced, or why that cannot be. */
export type Filled =
  | { readonly ok: true; readonly parameters: JsonObject }
  | { readonly ok: false; readonly error: string };

const pattern = /\{\{\s*(calls\[(\d{1,6})\]|shortTermMemory)((?:\.[A-Za-z_$][\w$-]*|\[\d{1,6}\])*)\s*\}\}/g;
const alone = new RegExp(`^\\s*${pattern.source}\\s*$`);
/** Parameters do not grow beyond this by what they refer to. */
const mostCharacters = 1_000_000;
const deepest = 64;

/** The numbers of the calls that parameters refer to, each once, ascending. */
export function referencedCalls(parameters: JsonValue | undefined): readonly number[] {
  const found = new Set<number>();
  for (const text of stringsIn(parameters))
    for (const [, , index] of text.matchAll(pattern)) if (index !== undefined) found.add(Number(index));
  return [...found].sort((a, b) => a - b);
}

/** Whether parameters refer to what results left. */
export function refersToMemory(parameters: JsonValue | undefined): boolean {
  return stringsIn(parameters).some((text) =>
    [...text.matchAll(pattern)].some(([, source]) => source === "shortTermMemory"),
  );
}

/**
 * Replaces `{{calls[0].data.id}}` and `{{shortTermMemory.key}}` by what they name, by a plain lookup: a reference that is a whole
 * string becomes the value itself, one within a text becomes its words. Anything else in braces is text.
 */
export function fillReferences(parameters: JsonObject, source: ReferenceSource): Filled {
  try {
    const budget = { characters: 0 };
    const filled = fill(parameters, source, budget);
    return { ok: true, parameters: isObject(filled) ? filled : parameters };
  } catch (error) {
    if (error instanceof Missing) return { ok: false, error: error.message };
    throw error;
  }
}

class Missing extends Error {}

type Budget = { characters: number };

function fill(value: JsonValue | undefined, source: ReferenceSource, budget: Budget): JsonValue {
  if (typeof value === "string") return fillText(value, source, budget);
  if (isList(value)) return value.map((item) => fill(item, source, budget));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, source, budget)]));
}

function fillText(text: string, source: ReferenceSource, budget: Budget): JsonValue {
  if (!text.includes("{{")) return text;
  const whole = alone.exec(text);
  if (whole) return spend(lookUp(whole, source), budget);
  return text.replaceAll(pattern, (...found) => {
    const value = spend(lookUp(found, source), budget);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function spend(value: JsonValue, budget: Budget): JsonValue {
  budget.characters += (typeof value === "string" ? value : JSON.stringify(value)).length;
  if (budget.characters > mostCharacters)
    throw new Missing(`What the parameters refer to is longer than ${mostCharacters} characters; refer to less.`);
  return value;
}

function lookUp(found: readonly unknown[], source: ReferenceSource): JsonValue {
  const [reference, , index, path] = found.map((part) => (typeof part === "string" ? part : ""));
  const steps = [...(path ?? "").matchAll(/\.([\w$-]+)|\[(\d+)\]/g)].map(([, key, at]) => key ?? Number(at));
  const from = index === "" ? source.shortTermMemory : callAt(Number(index), { steps, reference, source });
  let value: JsonValue | undefined = from;
  for (const step of steps.slice(0, deepest)) value = member(value, step);
  if (value === undefined || steps.length > deepest) throw new Missing(`${reference} names nothing that is there.`);
  return value;
}

type Asked = {
  readonly steps: readonly (string | number)[];
  readonly reference: string | undefined;
  readonly source: ReferenceSource;
};

function callAt(index: number, { steps, reference, source }: Asked): JsonObject {
  const call = source.call(index);
  if (!call) throw new Missing(`${reference}: this answer has no calls[${index}]; the first is calls[0].`);
  const asksWhether = steps[0] === "success" || steps[0] === "error";
  if (!call.success && !asksWhether)
    throw new Missing(`${reference}: calls[${index}] (${call.name}) did not succeed: ${call.error ?? "failed"}`);
  const { name, success, text, data, values, error } = call;
  return {
    name,
    success,
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(values !== undefined && { values }),
    ...(error !== undefined && { error }),
  };
}

function member(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (isList(value)) return typeof step === "number" ? value[step] : undefined;
  if (!isObject(value) || typeof step === "number") return undefined;
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return value.includes("{{") ? [value] : [];
  if (isList(value)) return value.flatMap((item) => stringsIn(item));
  return isObject(value) ? Object.values(value).flatMap((item) => stringsIn(item)) : [];
}
