import type { JsonValue } from "../json.ts";

/** What JSON keeps of a value: undefined when that is nothing. @throws TypeError for circles and big integers. */
export function toJson(value: unknown): JsonValue | undefined {
  const text: string | undefined = JSON.stringify(value);
  // What JSON.parse reads is JSON.
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}
