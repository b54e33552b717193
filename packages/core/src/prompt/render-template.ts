import type { JsonObject, JsonValue } from "../json.ts";

/** A template with its placeholders filled in; `missing` names those nothing is known for. */
export type Rendered = { readonly text: string; readonly missing: readonly string[] };

/** `{{name}}` and `{{{name}}}`; a name may be a path, `user.city`. */
const placeholder = /\{\{\{\s*([\w.-]+)\s*\}\}\}|\{\{\s*([\w.-]+)\s*\}\}/gu;

/**
 * Fills a character's template by plain lookup: nothing in it is evaluated, and what is filled in is not looked at again. An
 * unknown name becomes nothing. Lists become lines, objects JSON.
 */
export function renderTemplate(template: string, values: JsonObject): Rendered {
  const missing = new Set<string>();
  const text = template.replace(placeholder, (_whole, raw: string | undefined, plain: string | undefined) => {
    const name = raw ?? plain ?? "";
    const value = look(values, name.split("."));
    if (value === undefined || value === null) missing.add(name);
    return toText(value);
  });
  return { text, missing: [...missing] };
}

/** What a template names: the first words of its placeholders' paths. */
export function placeholderNames(template: string): readonly string[] {
  const names = [...template.matchAll(placeholder)].map(([, raw, plain]) => (raw ?? plain ?? "").split(".")[0] ?? "");
  return [...new Set(names)];
}

/** Whether a placeholder means a provider: `recentMessages`, `RECENT_MESSAGES` and `recent-messages` are one name. */
export function namesProvider(name: string, provider: string): boolean {
  return plainName(name) === plainName(provider);
}

function plainName(name: string): string {
  return name.replace(/[_\- ]+/gu, "").toLowerCase();
}

function look(values: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return values;
  if (typeof values !== "object" || values === null || !Object.hasOwn(values, key)) return undefined;
  // A JSON list's own keys are its indices and `length`.
  return look((values as JsonObject)[key], rest);
}

function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(toText).join("\n");
  return JSON.stringify(value);
}
