import type { JsonValue } from "../json.ts";
import { isList, isObject } from "./json-kind.ts";
import type { ParameterSchema } from "./parameter.ts";
import { deepestSchema } from "./parameters-schema.ts";
import { compilePattern } from "./pattern.ts";
import { readBySchema } from "./read-parameters.ts";

const types: readonly unknown[] = ["string", "number", "integer", "boolean", "array", "object"];

/**
 * What is wrong with a parameter's schema as its author wrote it, each with the remedy; empty when it can be used. Looks at the
 * shape too: plugins may be written without types.
 */
export function checkSchema(schema: unknown, path: string): readonly string[] {
  const problems: string[] = [];
  check(schema, { path, around: [], problems });
  return problems;
}

/** Where a schema stands: `around` are those that contain it. */
type Spot = { readonly path: string; readonly around: readonly unknown[]; readonly problems: string[] };

function check(given: unknown, spot: Spot): void {
  const { path, around, problems } = spot;
  const say = (text: string): void => void problems.push(`parameter ${path}: ${text}`);
  if (!isObject(given)) return say('has no schema; write one, as in { type: "string" }');
  if (!types.includes(given["type"])) {
    return say(`has the type ${JSON.stringify(given["type"]) ?? "undefined"}; use one of ${types.join(", ")}`);
  }
  if (around.includes(given)) return say("contains itself and would never end; write out the levels it needs");
  if (around.length >= deepestSchema) return say(`is nested deeper than ${deepestSchema} levels; flatten it`);
  const before = problems.length;
  // The type is known to be right; everything else is looked at below before it is used.
  const schema = given as unknown as ParameterSchema;
  checkChoices(schema, say);
  checkBounds(schema, say);
  checkPattern(schema, say);
  checkProperties(schema, spot, say);
  if (schema.items !== undefined) check(schema.items, within(schema, spot, `${path}[]`));
  if (problems.length === before) checkDefault(schema, say);
}

type Say = (text: string) => void;

function checkChoices(schema: ParameterSchema, say: Say): void {
  for (const name of ["enum", "enumValues"] as const) {
    const choices: unknown = schema[name];
    if (choices === undefined) continue;
    if (!isList(choices) || choices.length === 0)
      say(`has ${name} without a choice; list at least one or leave it out`);
    else if (!choices.every((choice) => isOfType(schema.type, choice))) {
      say(`has a choice in ${name} that is not of type ${schema.type}; correct the choice or the type`);
    }
  }
}

function checkBounds({ type, minimum, maximum }: ParameterSchema, say: Say): void {
  for (const [name, bound] of Object.entries({ minimum, maximum })) {
    if (bound === undefined) continue;
    if (!Number.isFinite(bound)) say(`has a ${name} that is not a number; write one or leave it out`);
    else if (type !== "number" && type !== "integer") say(`has a ${name}, which counts for numbers only; leave it out`);
  }
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    say(`has minimum ${minimum} above maximum ${maximum}; no number fits: exchange them`);
  }
}

function checkPattern({ type, pattern }: ParameterSchema, say: Say): void {
  if (pattern === undefined) return;
  if (typeof pattern !== "string") return say("has a pattern that is not a text; write the expression's source");
  if (type !== "string") return say("has a pattern, which counts for texts only; leave it out");
  const compiled = compilePattern(pattern);
  if (!compiled.ok) say(`has the pattern ${pattern.slice(0, 80)}, which cannot be used: ${compiled.reason}`);
}

function checkProperties(schema: ParameterSchema, spot: Spot, say: Say): void {
  const { type, properties, required, items } = schema;
  if (type !== "object" && (properties !== undefined || required !== undefined)) {
    say('has properties or required, which count for type "object" only; correct the type');
  }
  if (type !== "array" && items !== undefined) say('has items, which count for type "array" only; correct the type');
  if (properties !== undefined && !isObject(properties)) return say("has properties that are no object of schemas");
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (name === "__proto__") say("has a property __proto__; give it another name");
    else check(property, within(schema, spot, `${spot.path}.${name}`));
  }
  if (required === undefined) return;
  if (!isList(required) || !required.every((name) => typeof name === "string")) {
    return say("has required that is no list of names");
  }
  const unknown = properties ? required.filter((name) => !Object.hasOwn(properties, name)) : [];
  if (unknown.length > 0) say(`requires ${unknown.join(", ")}, which its properties do not name; add or leave out`);
}

function within(schema: ParameterSchema, { around, problems }: Spot, path: string): Spot {
  return { path, around: [...around, schema], problems };
}

function checkDefault(schema: ParameterSchema, say: Say): void {
  const standard = schema.default;
  if (standard === undefined || standard === null) return;
  const [problem] = readBySchema(schema, standard, "default").problems;
  if (!isOfType(schema.type, standard)) say(`has a default that is not of type ${schema.type}; correct one of them`);
  else if (problem)
    say(`has a default that does not fit its own schema (${problem.path} ${problem.message}); correct it`);
}

function isOfType(type: ParameterSchema["type"], value: JsonValue): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
  }
}
