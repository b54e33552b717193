import type { JsonObject, JsonValue } from "../json.ts";
import type { ActionParameter, ParameterSchema } from "./parameter.ts";
import { choicesOf } from "./read-scalar.ts";

/** How deep a schema may be nested; also what keeps one that contains itself from going on for ever. */
export const deepestSchema = 16;

const shown = new WeakMap<readonly ActionParameter[], JsonObject>();

/**
 * The JSON Schema (draft 2020-12) of an object with an action's parameters, as a model is shown it. Made once per list of
 * parameters and frozen: the same list gives the same object. What has a default is not required.
 */
export function parametersSchema(parameters: readonly ActionParameter[]): JsonObject {
  const known = shown.get(parameters);
  if (known) return known;
  const schema = freeze({
    type: "object",
    ...toObject(
      parameters.map(({ name, description, schema: own, examples }) => [
        name,
        {
          ...toJson(own, 1),
          ...(description !== "" && { description }),
          ...(examples && examples.length > 0 && { examples: structuredClone(examples) }),
        },
      ]),
      parameters.filter(({ required, schema: own }) => required && !hasDefault(own)).map(({ name }) => name),
    ),
  });
  shown.set(parameters, schema);
  return schema;
}

function toObject(properties: readonly (readonly [string, JsonObject])[], required: readonly string[]): JsonObject {
  return {
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  };
}

function toJson(schema: ParameterSchema, depth: number): JsonObject {
  if (depth > deepestSchema) return {};
  const choices = choicesOf(schema);
  const { type, description, minimum, maximum, pattern, properties, items } = schema;
  return {
    type,
    ...(description && { description }),
    ...(choices && { enum: structuredClone(choices) }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(pattern !== undefined && { pattern }),
    ...(hasDefault(schema) && { default: structuredClone(schema.default ?? null) }),
    ...(items && { items: toJson(items, depth + 1) }),
    ...(properties
      ? toObject(
          Object.entries(properties).map(([name, property]) => [name, toJson(property, depth + 1)]),
          (schema.required ?? []).filter((name) => !hasDefault(properties[name])),
        )
      : schema.required && { required: [...schema.required] }),
  };
}

function hasDefault(schema: ParameterSchema | undefined): boolean {
  return schema?.default !== undefined && schema.default !== null;
}

function freeze<T extends JsonValue>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (part !== undefined) freeze(part);
  return Object.freeze(value);
}
