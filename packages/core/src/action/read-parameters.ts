import type { JsonObject, JsonValue } from "../json.ts";
import { isList, isObject, kindOf, ownValue } from "./json-kind.ts";
import type { ActionParameter, ParameterProblem, ParameterReading, ParameterSchema } from "./parameter.ts";
import { readScalar } from "./read-scalar.ts";

/** How deep what a model gives may be nested, the parameters themselves being the first level. */
const deepestValue = 32;
const mostTold = 20;
const longestJson = 100_000;

/** What a reading gathers on its way. */
type Notes = { readonly problems: ParameterProblem[]; readonly ignored: string[] };

/** Where a value stands. */
type Place = { readonly path: string; readonly depth: number; readonly notes: Notes };

/** A value that was read, or that there is none: it is absent, or its problem is noted. */
type Read = JsonValue | undefined;

/**
 * Reads what a model gave for an action's parameters. A value is changed only where its schema says what it should be: for
 * `number`, `"2"` is 2; for `string`, `"94102"` stays as it is and 94102 becomes it; for `boolean`, the words true and false;
 * for `array` and `object`, their JSON in a string. Choices of text are taken without regard to case and get their own
 * spelling. Null is the same as nothing. Defaults stand in for what is not there, also inside given objects; an object that is
 * not there is not made up. What no schema names is left out and listed in `ignored`. Total: takes any JSON, throws nothing.
 */
export function readParameters(parameters: readonly ActionParameter[], given: JsonObject): ParameterReading {
  const notes: Notes = { problems: [], ignored: [] };
  const object = isObject(given) ? given : {};
  const members = parameters.map(
    ({ name, description, required, schema }): Member => ({ name, description, isRequired: required === true, schema }),
  );
  const read = readMembers(members, object, { path: "", depth: 0, notes });
  const ignored = notes.ignored.length > 0 && { ignored: notes.ignored };
  if (notes.problems.length > 0) return { ok: false, problems: notes.problems, ...ignored };
  return { ok: true, parameters: read, ...ignored };
}

/** Reads one value by its schema; the problems' paths begin with `path`. For a schema's own default, before it is used. */
export function readBySchema(
  schema: ParameterSchema,
  given: JsonValue,
  path: string,
): { readonly value: JsonValue | undefined; readonly problems: readonly ParameterProblem[] } {
  const notes: Notes = { problems: [], ignored: [] };
  return { value: readValue(schema, given, { path, depth: 0, notes }), problems: notes.problems };
}

/** One named value of an object; without a schema anything will do. */
type Member = {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly schema: ParameterSchema | undefined;
};

function readMembers(members: readonly Member[], given: JsonObject, place: Place): JsonObject {
  const names = new Set(members.map(({ name }) => name));
  for (const name of Object.keys(given)) if (!names.has(name)) ignore(within(place, name));
  const entries: [string, JsonValue][] = [];
  for (const member of members) {
    if (member.name === "__proto__") continue;
    const value = readMember(member, given, place);
    if (value !== undefined) entries.push([member.name, value]);
  }
  return Object.fromEntries(entries);
}

function readMember({ name, description, isRequired, schema }: Member, given: JsonObject, place: Place): Read {
  const here = within(place, name);
  const value = ownValue(given, name) ?? schema?.default ?? undefined;
  if (value !== undefined) return schema ? readValue(schema, value, here) : readFree(value, here);
  if (isRequired) return problem(here, `is required${description ? `: ${description}` : ""}`);
  return undefined;
}

function readValue(schema: ParameterSchema, given: JsonValue, place: Place): Read {
  if (place.depth >= deepestValue) return tooDeep(place);
  switch (schema.type) {
    case "array":
      return readList(schema, given, place);
    case "object":
      return readObject(schema, given, place);
    default: {
      const scalar = readScalar(schema, given);
      return scalar.ok ? scalar.value : problem(place, scalar.message);
    }
  }
}

function readList(schema: ParameterSchema, given: JsonValue, place: Place): Read {
  const list = unpack(given, "[");
  if (!isList(list)) return problem(place, `must be a list, as in ["…", "…"], not ${kindOf(given)}`);
  const { items } = schema;
  const before = place.notes.problems.length;
  const read = list.map((item, at) => {
    const here = { ...place, path: `${place.path}[${at}]`, depth: place.depth + 1 };
    if (!items) return readFree(item, here);
    return item === null ? problem(here, "must not be null") : readValue(items, item, here);
  });
  if (place.notes.problems.length > before) return undefined;
  return inChoices(
    schema,
    read.filter((item) => item !== undefined),
    place,
  );
}

function readObject(schema: ParameterSchema, given: JsonValue, place: Place): Read {
  const object = unpack(given, "{");
  if (!isObject(object)) return problem(place, `must be an object, as in {"name": …}, not ${kindOf(given)}`);
  const required = schema.required ?? [];
  const before = place.notes.problems.length;
  const { properties } = schema;
  const read = properties
    ? readMembers(toMembers(properties, required), object, place)
    : readFreeObject(object, required, place);
  return place.notes.problems.length > before ? undefined : inChoices(schema, read, place);
}

function toMembers(properties: Readonly<Record<string, ParameterSchema>>, required: readonly string[]): Member[] {
  const named = Object.entries(properties).map(
    ([name, schema]): Member => ({
      name,
      schema,
      description: schema.description,
      isRequired: required.includes(name),
    }),
  );
  const others = required.filter((name) => !Object.hasOwn(properties, name));
  return [...named, ...others.map((name) => ({ name, schema: undefined, description: undefined, isRequired: true }))];
}

/** A list or object in a string is what a format without types gives; anything else is taken as it is. */
function unpack(given: JsonValue, opening: "[" | "{"): JsonValue {
  if (typeof given !== "string" || given.length > longestJson || !given.trimStart().startsWith(opening)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** Of lists and objects; those of texts and numbers are looked at where these are read. */
function inChoices(schema: ParameterSchema, value: JsonValue, place: Place): Read {
  if (!schema.enum) return value;
  const text = JSON.stringify(value);
  if (schema.enum.some((choice) => JSON.stringify(choice) === text)) return value;
  return problem(place, `must be one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(", ")}`);
}

/** A value about which no schema says anything: as it was given, without what JSON cannot hold. */
function readFree(given: JsonValue, place: Place): Read {
  if (typeof given === "string" || typeof given === "boolean" || given === null) return given;
  if (typeof given === "number") return Number.isFinite(given) ? given : null;
  if (place.depth >= deepestValue) return tooDeep(place);
  if (isList(given)) {
    return given.map(
      (item, at) => readFree(item, { ...place, path: `${place.path}[${at}]`, depth: place.depth + 1 }) ?? null,
    );
  }
  return isObject(given) ? readFreeObject(given, [], place) : undefined;
}

function readFreeObject(given: JsonObject, required: readonly string[], place: Place): JsonObject {
  for (const name of required) {
    if (ownValue(given, name) === undefined) problem(within(place, name), "is required");
  }
  const entries: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(given)) {
    const read = value === undefined || name === "__proto__" ? undefined : readFree(value, within(place, name));
    if (read !== undefined) entries.push([name, read]);
  }
  return Object.fromEntries(entries);
}

function within(place: Place, name: string): Place {
  return { ...place, path: place.path === "" ? name : `${place.path}.${name}`, depth: place.depth + 1 };
}

function tooDeep(place: Place): undefined {
  return problem(place, `is nested deeper than ${deepestValue} levels`);
}

function problem({ path, notes }: Place, message: string): undefined {
  if (notes.problems.length < mostTold) notes.problems.push({ path, message });
}

function ignore({ path, notes }: Place): void {
  if (notes.ignored.length < mostTold) notes.ignored.push(path);
}
