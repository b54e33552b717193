import type { JsonValue } from "../json.ts";
import { parseLenientJson } from "./lenient-json.ts";

/**
 * The JSON value in a model's answer: the whole of it, or what stands in a code fence, or between the first opening and the
 * last closing bracket, whatever the model says around it; thinking aloud is passed over. Undefined when there is none.
 */
export function findJson(answer: string): JsonValue | undefined {
  const text = answer.replace(/<(think|thinking|reasoning)>[\s\S]*?<\/\1>/gi, "").trim();
  if (text === "") return undefined;
  const fences = [...text.matchAll(/```[\w-]*\n?([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  const candidates = /^[[{]/.test(text) ? [text, ...fences, between(text)] : [...fences, between(text), text];
  for (const candidate of candidates) {
    const value = candidate.trim() === "" ? undefined : unwrapped(parseLenientJson(candidate));
    if (value !== undefined) return value;
  }
  return undefined;
}

function between(text: string): string {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return start < 0 || end < start ? "" : text.slice(start, end + 1);
}

/** JSON that was written into a string once more. */
function unwrapped(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  return parseLenientJson(value) ?? value;
}
