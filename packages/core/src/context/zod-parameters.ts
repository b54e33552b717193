import { z } from "zod";
import { isList, isObject } from "../action/json-kind.ts";
import type { ActionParameter, ParameterSchema } from "../action/parameter.ts";
import type { JsonObject, JsonValue } from "../json.ts";

/** What an action or output takes, from its zod schema. */
export type ParametersOfSchema = {
  readonly parameters: readonly ActionParameter[];
  /** Those for which null means something: absent ones are null. */
  readonly nullable: readonly string[];
};

/**
 * The parameters that a zod object describes. What a model may give is as wide as they can say; the schema itself checks the rest.
 * @throws Error naming the parameter that cannot be described, and what to write instead.
 */
export function parametersOf(schema: z.ZodType): ParametersOfSchema {
  const json = toJsonSchema(schema, "input");
  if (json["type"] !== "object") throw new Error("its schema is no object; write z.object({ … })");
  const properties = isObject(json["properties"]) ? json["properties"] : {};
  const required = new Set(isList(json["required"]) ? json["required"] : []);
  const nullable: string[] = [];
  const parameters = Object.entries(properties).map(([name, property]): ActionParameter => {
    const own = objectOf(property);
    if (mayBeNull(own)) nullable.push(name);
    const described = own["description"];
    return {
      name,
      description: typeof described === "string" ? described : "",
      required: required.has(name) && !mayBeNull(own),
      schema: toParameter(own, name),
    };
  });
  return { parameters, nullable };
}

/** The JSON Schema of a zod schema. @throws Error saying what of it has none. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  // What zod makes is JSON; its own type says so less exactly.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, reused: "inline" }) as JsonObject;
  return json;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function alternativesOf(json: JsonObject): readonly JsonObject[] | null {
  const given = json["anyOf"] ?? json["oneOf"];
  return isList(given) ? given.map(objectOf) : null;
}

function isNull(json: JsonObject): boolean {
  return json["type"] === "null" || json["const"] === null;
}

function mayBeNull(json: JsonObject): boolean {
  const type = json["type"];
  if (isList(type) && type.includes("null")) return true;
  return isNull(json) || (alternativesOf(json)?.some(mayBeNull) ?? false);
}

const scalarTypes = ["string", "number", "integer", "boolean"] as const;
type Scalar = (typeof scalarTypes)[number];

/** As much of a JSON Schema as parameters can say. */
function toParameter(json: JsonObject, path: string): ParameterSchema {
  const alternatives = alternativesOf(json)?.filter((one) => !isNull(one));
  const about = aboutOf(json);
  if (alternatives) return { ...fromAlternatives(alternatives, path), ...about };
  const choices = choicesOf(json);
  if (choices) return { type: typeOfChoices(choices, path), enum: choices, ...about };
  const types = isList(json["type"]) ? json["type"].filter((type) => type !== "null") : [json["type"]];
  const [type] = types;
  if (types.length === 1 && isScalar(type)) return { type, ...boundsOf(json), ...about };
  if (types.length === 1 && type === "array") {
    const items = json["items"];
    return { type, ...(isObject(items) && { items: toParameter(items, `${path}[]`) }), ...about };
  }
  if (types.length === 1 && type === "object") return { type, ...membersOf(json, path), ...about };
  if (isList(json["allOf"]) && json["allOf"].every((one) => objectOf(one)["type"] === "object")) {
    return { type: "object", ...about };
  }
  throw new Error(
    `${path}: cannot be described to a model; use an object, a list, a text, a number, a boolean or a choice of them`,
  );
}

function isScalar(type: unknown): type is Scalar {
  return scalarTypes.some((scalar) => scalar === type);
}

function aboutOf(json: JsonObject): Pick<ParameterSchema, "description" | "default"> {
  const { description, default: given } = json;
  return {
    ...(typeof description === "string" && { description }),
    ...(given !== undefined && given !== null && { default: given }),
  };
}

function boundsOf({ minimum, maximum }: JsonObject): Pick<ParameterSchema, "minimum" | "maximum"> {
  const isBound = (value: unknown): value is number =>
    typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return { ...(isBound(minimum) && { minimum }), ...(isBound(maximum) && { maximum }) };
}

function choicesOf(json: JsonObject): readonly JsonValue[] | null {
  if (json["const"] !== undefined) return [json["const"]];
  return isList(json["enum"]) ? (json["enum"] as readonly JsonValue[]) : null;
}

function typeOfChoices(choices: readonly JsonValue[], path: string): Scalar {
  const types = new Set(choices.map((choice) => typeof choice));
  const [type] = types;
  if (types.size === 1 && isScalar(type)) return type;
  throw new Error(`${path}: its choices are of several kinds; use texts, or numbers, only`);
}

function membersOf(json: JsonObject, path: string): Pick<ParameterSchema, "properties" | "required"> {
  const properties = json["properties"];
  if (!isObject(properties)) return {};
  const required = isList(json["required"]) ? json["required"].filter((name) => typeof name === "string") : [];
  const members = Object.entries(properties).map(([name, member]) => {
    return [name, toParameter(objectOf(member), `${path}.${name}`)] as const;
  });
  return { properties: Object.fromEntries(members), required };
}

/** Several forms for one parameter: one choice of all, or the kind they share. */
function fromAlternatives(alternatives: readonly JsonObject[], path: string): ParameterSchema {
  const [first, ...others] = alternatives;
  if (first && others.length === 0) return toParameter(first, path);
  const choices = alternatives.map(choicesOf);
  if (choices.every((some) => some !== null)) {
    const all = choices.flat();
    return { type: typeOfChoices(all, path), enum: all };
  }
  const types = new Set(alternatives.map(({ type }) => (type === "integer" ? "number" : type)));
  const [type] = types;
  if (types.size === 1 && (isScalar(type) || type === "object" || type === "array")) return { type };
  throw new Error(`${path}: its forms are of several kinds; use one kind, or an object with a member for each`);
}
