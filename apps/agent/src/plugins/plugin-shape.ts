import type { Plugin } from "@troupe/core";
import { z } from "zod";

const isFunction = (value: unknown): boolean => typeof value === "function";
const callable = z.custom<unknown>(isFunction, { error: "is no function" });
const text = z.string({ error: "is no text" });
const names = z.array(text, { error: "is no list of names" });
const listOf = (item: z.ZodType) => z.array(item, { error: "is no list" }).optional();
const named = { name: text.refine((name) => name.trim() !== "", { error: "is empty" }) };

const action = z.looseObject({ ...named, description: text, handler: callable, validate: callable });
const provider = z.looseObject({ ...named, get: callable });
const evaluator = z.looseObject({
  ...named,
  description: text,
  validate: callable,
  handler: callable,
  review: callable.optional(),
});
/** A service is usually a class, which is a function with members. */
const service = z.custom<unknown>(
  (value) => {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
    return "serviceType" in value && "start" in value && isFunction(value.start);
  },
  { error: "has no static serviceType and start(runtime)" },
);
const someObject = z.custom<object>(isObject, { error: "is no object" });
const objects = listOf(someObject);
const byName = someObject.optional();

/** Every member of a plugin. What is inside models, routes, contexts and the like is checked where they are installed. */
const members = {
  ...named,
  description: text.optional(),
  init: callable.optional(),
  dependencies: names.optional(),
  testDependencies: names.optional(),
  migrations: objects,
  services: listOf(service),
  providers: listOf(provider),
  actions: listOf(action),
  evaluators: listOf(evaluator),
  models: byName,
  routes: objects,
  taskWorkers: byName,
  choiceWorkers: byName,
  settings: objects,
  contexts: objects,
  inputs: objects,
  outputs: objects,
  extensions: objects,
  events: z
    .record(z.string(), z.array(callable, { error: "is no list of listeners" }), { error: "is no object of listeners" })
    .optional(),
} satisfies Readonly<Record<keyof Plugin, z.ZodType>>;

const pluginSchema = z.looseObject(members);

/** What was found in a module: its plugin, or why it has none. */
export type PluginReading =
  | { readonly ok: true; readonly plugin: Plugin; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const knownKeys = Object.keys(members);
/** What tells a plugin from an action or a provider that is exported beside it. */
const tellingKeys = new Set(knownKeys.filter((key) => key !== "name" && key !== "description"));

/**
 * Finds the plugin among what a module exports: the default export, else the only export of a plugin's shape. Members nothing
 * reads are listed in `ignored`.
 */
export function readPlugin(exported: Readonly<Record<string, unknown>>): PluginReading {
  const candidates = findCandidates(exported);
  const [first] = candidates;
  if (!first) {
    const found = Object.keys(exported).join(", ") || "nothing";
    return { ok: false, reason: `it exports no plugin (${found}); export { name, actions, … } as default or by name` };
  }
  if (candidates.length > 1) {
    const keys = candidates.map(({ key }) => key).join(", ");
    return { ok: false, reason: `it exports several plugins (${keys}); make one of them the default export` };
  }
  const parsed = pluginSchema.safeParse(first.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${writePath(issue.path)} ${issue.message}`);
    return { ok: false, reason: `its export ${first.key} is no plugin: ${problems.join("; ")}` };
  }
  const ignored = Object.keys(parsed.data).filter((key) => !knownKeys.includes(key));
  // The object itself, not a copy: it may be a class's instance. Its shape was checked above.
  return { ok: true, plugin: first.value as Plugin, ignored };
}

type Candidate = { readonly key: string; readonly value: unknown };

function findCandidates(exported: Readonly<Record<string, unknown>>): readonly Candidate[] {
  const whole = exported["default"];
  if (whole !== undefined) {
    // What a CommonJS module exports arrives as the default export.
    const inner = isObject(whole) && isObject(whole["default"]) ? whole["default"] : whole;
    if (!isObject(inner) || "name" in inner) return [{ key: "default", value: inner }];
    const within = entriesOf(inner);
    return within.length > 0 ? within : [{ key: "default", value: inner }];
  }
  return entriesOf(exported);
}

function entriesOf(exported: Readonly<Record<string, unknown>>): readonly Candidate[] {
  const seen = new Set<unknown>();
  return Object.entries(exported).flatMap(([key, value]) => {
    if (!isObject(value) || seen.has(value) || !looksLikePlugin(value)) return [];
    seen.add(value);
    return [{ key, value }];
  });
}

function looksLikePlugin(value: Readonly<Record<string, unknown>>): boolean {
  if (!("name" in value) || "handler" in value || "get" in value) return false;
  return Object.keys(value).some((key) => tellingKeys.has(key));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function writePath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`))
    .join("");
}
