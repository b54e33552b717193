import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { checkSchema } from "./check-schema.ts";
import type { ActionParameter, ParameterSchema } from "./parameter.ts";
import { readParameters } from "./read-parameters.ts";

const parameter = (name: string, schema: ParameterSchema, isRequired = true): ActionParameter => ({
  name,
  description: `the ${name}`,
  required: isRequired,
  schema,
});
const read = (schema: ParameterSchema, given: JsonValue): unknown => {
  const reading = readParameters([parameter("x", schema)], { x: given });
  return reading.ok
    ? reading.parameters["x"]
    : reading.problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
};

describe("what a schema says a value should be", () => {
  it.each<[ParameterSchema, JsonValue, JsonValue]>([
    [{ type: "string" }, "94102", "94102"],
    [{ type: "string" }, 94102, "94102"],
    [{ type: "string" }, "00501", "00501"],
    [{ type: "string" }, "true", "true"],
    [{ type: "string" }, false, "false"],
    [{ type: "string" }, " spaced ", " spaced "],
    [{ type: "string" }, "[1]", "[1]"],
    [{ type: "number" }, "2", 2],
    [{ type: "number" }, " -2.5e1 ", -25],
    [{ type: "number" }, 1e300, 1e300],
    [{ type: "integer" }, "2", 2],
    [{ type: "integer" }, "2.0", 2],
    [{ type: "boolean" }, "True", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "array" }, [1, "a", null, { b: [] }], [1, "a", null, { b: [] }]],
    [{ type: "array", items: { type: "number" } }, ["1", 2], [1, 2]],
    [{ type: "array", items: { type: "number" } }, '["1", 2]', [1, 2]],
    [{ type: "object" }, '{"a": {"b": 1}}', { a: { b: 1 } }],
    [{ type: "object", properties: { zip: { type: "string" } } }, { zip: 94102 }, { zip: "94102" }],
    [{ type: "string", enum: ["Metric", "imperial"] }, "METRIC", "Metric"],
    [{ type: "string", enum: ["a", "A"] }, "A", "A"],
    [{ type: "string", enumValues: ["long", "short"] }, " Long ", "long"],
    [{ type: "integer", enum: [1, 2] }, "2", 2],
    [{ type: "string", pattern: "^\\d{5}$" }, "94102", "94102"],
  ])("%j makes of %j %j", (schema, given, value) => expect(read(schema, given)).toEqual(value));

  it.each<[ParameterSchema, JsonValue, string]>([
    [{ type: "string" }, ["a"], "x: must be a text, not a list"],
    [{ type: "number" }, "two", "x: must be a number in digits, not a text"],
    [{ type: "number" }, "0x10", "x: must be a number in digits, not a text"],
    [{ type: "number" }, "007", "x: must be a number in digits, not a text"],
    [{ type: "number" }, "", "x: must be a number in digits, not a text"],
    [{ type: "number" }, true, "x: must be a number in digits, not true or false"],
    [{ type: "number" }, "1e999", "x: must be a number, and a smaller one"],
    [{ type: "number" }, "12345678901234567890", "x: has too many digits to be exact; at most 15 are certain"],
    [{ type: "integer" }, 2.5, "x: must be a whole number"],
    [{ type: "boolean" }, "yes", "x: must be true or false, not another word"],
    [{ type: "boolean" }, 1, "x: must be true or false, not a number"],
    [{ type: "array", items: { type: "string" } }, "a", 'x: must be a list, as in ["…", "…"], not a text'],
    [
      { type: "array", items: { type: "number" } },
      [1, "b", null],
      "x[1]: must be a number in digits, not a text; x[2]: must not be null",
    ],
    [{ type: "object" }, "[1]", 'x: must be an object, as in {"name": …}, not a text'],
    [{ type: "number", minimum: 1, maximum: 14 }, 0, "x: must be at least 1"],
    [{ type: "number", minimum: 1, maximum: 14 }, "15", "x: must be at most 14"],
    [{ type: "string", enum: ["a", "b"] }, "c", 'x: must be one of "a", "b"'],
    [{ type: "string", pattern: "^\\d{5}$" }, "9410", "x: must match the pattern ^\\d{5}$"],
    [{ type: "array", enum: [[1]] }, [2], "x: must be one of [1]"],
    [{ type: "string" }, null, "x: is required: the x"],
  ])("%j refuses %j: %s", (schema, given, problem) => expect(read(schema, given)).toBe(problem));
});

const when: ParameterSchema = {
  type: "object",
  required: ["day"],
  properties: {
    day: { type: "string", description: "a day of the week" },
    hour: { type: "integer", default: 12 },
    zone: { type: "object", default: {}, properties: { name: { type: "string", default: "UTC" } } },
  },
};

describe("readParameters", () => {
  it("fills in defaults, also inside what is given and inside defaults", () => {
    expect(readParameters([parameter("when", when)], { when: { day: "Monday" } })).toEqual({
      ok: true,
      parameters: { when: { day: "Monday", hour: 12, zone: { name: "UTC" } } },
    });
    expect(readParameters([parameter("days", { type: "number", default: 3 })], { days: null })).toEqual({
      ok: true,
      parameters: { days: 3 },
    });
  });

  it("does not make up an object that is not there", () => {
    expect(readParameters([parameter("when", when, false)], {})).toEqual({ ok: true, parameters: {} });
  });

  it("names every parameter that is wrong, with where it stands", () => {
    const reading = readParameters([parameter("city", { type: "string" }), parameter("when", when)], {
      when: { hour: "x" },
    });
    expect(reading).toMatchObject({
      ok: false,
      problems: [
        { path: "city", message: "is required: the city" },
        { path: "when.day", message: "is required: a day of the week" },
        { path: "when.hour", message: "must be a whole number in digits, not a text" },
      ],
    });
  });

  it("leaves out what nobody asked for and says so", () => {
    const given = { city: "Rome", mood: 1, when: { day: "Monday", year: 2026 } };
    const reading = readParameters([parameter("city", { type: "string" }), parameter("when", when)], given);
    expect(reading).toMatchObject({ ok: true, ignored: ["mood", "when.year"] });
    expect(reading.ok && Object.keys(reading.parameters)).toEqual(["city", "when"]);
  });

  it("lets no name reach what objects are made of", () => {
    const given = JSON.parse(
      '{"__proto__": {"isAdmin": true}, "free": {"__proto__": {"isAdmin": true}, "constructor": 1}}',
    );
    const reading = readParameters(
      [
        parameter("free", { type: "object" }),
        parameter("__proto__", { type: "object" }, false),
        parameter("constructor", { type: "string" }, false),
      ],
      given,
    );
    const free = reading.ok ? (reading.parameters["free"] as JsonObject) : {};
    expect(Object.keys(free)).toEqual(["constructor"]);
    expect(Object.getPrototypeOf(free)).toBe(Object.prototype);
    expect(reading.ok && Object.keys(reading.parameters)).toEqual(["free"]);
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  });

  it("refuses what is nested too deeply, also in a string and by a schema that contains itself", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const endless: { type: "array"; items?: ParameterSchema } = { type: "array" };
    endless.items = endless;
    for (const schema of [{ type: "array" } as const, endless]) {
      expect(read(schema, deep)).toMatch(/is nested deeper than 32 levels/);
    }
  });

  it("tells at most twenty problems", () => {
    const given = Array.from({ length: 1_000 }, () => "x");
    const reading = readParameters([parameter("x", { type: "array", items: { type: "number" } })], { x: given });
    expect(reading.ok ? 0 : reading.problems.length).toBe(20);
  });

  it("tells of a schema it cannot use instead of throwing", () => {
    expect(read({ type: "string", pattern: "(" }, "a")).toMatch(/pattern cannot be used/);
    expect(read({ type: "date" } as unknown as ParameterSchema, "a")).toMatch(/type that does not exist/);
    expect(read({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(40)}!`)).toMatch(/must match/);
  });
});

const schemas = fc.letrec<{ schema: ParameterSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<ParameterSchema>(
      { type: "string" },
      { type: "string", enum: ["Ada", "b", "1"] },
      { type: "string", enumValues: ["TRUE", "no"], default: "no" },
      { type: "string", pattern: "^[a-z]*$" },
      { type: "number", minimum: -1, maximum: 2 },
      { type: "integer", default: 1 },
      { type: "boolean" },
      { type: "array" },
      { type: "object", required: ["a"] },
    ),
    tie("schema").map((items): ParameterSchema => ({ type: "array", items })),
    fc
      .record({ a: tie("schema"), b: tie("schema") })
      .map((properties): ParameterSchema => ({ type: "object", properties, required: ["a"] })),
  ),
})).schema;

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>("1", "true", "ada", "[]", '{"a": "1"}', "x y", 0, 1, 2.5, -3, true, null),
    fc.jsonValue().map((value) => value as JsonValue),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), tie("value")),
  ),
})).value;

/** Whether a value is what its schema says, told apart without any of the code under test. */
function conforms(schema: ParameterSchema, value: unknown): boolean {
  const choices: readonly unknown[] | undefined = schema.enum ?? schema.enumValues;
  if (choices && !choices.includes(value)) return false;
  switch (schema.type) {
    case "string":
      return typeof value === "string" && (schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value));
    case "number":
    case "integer":
      return (
        typeof value === "number" &&
        (schema.type === "number" || Number.isSafeInteger(value)) &&
        value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
        value <= (schema.maximum ?? Number.POSITIVE_INFINITY)
      );
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value) && value.every((item) => !schema.items || conforms(schema.items, item));
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const own = new Map<string, unknown>(Object.entries(value));
      const properties = new Map(Object.entries(schema.properties ?? {}));
      return (
        (schema.required ?? []).every((name) => own.has(name)) &&
        (!schema.properties ||
          [...own].every(([name, part]) => conforms(properties.get(name) ?? { type: "boolean" }, part)))
      );
    }
  }
}

describe("readParameters, for any schema and any JSON", () => {
  it("gives what conforms to the schema, or says what is wrong", () => {
    fc.assert(
      fc.property(schemas, values, fc.boolean(), (schema, given, isRequired) => {
        expect(checkSchema(schema, "x")).toEqual([]);
        const reading = readParameters([parameter("x", schema, isRequired)], { x: given });
        if (!reading.ok) {
          expect(reading.problems.length).toBeGreaterThan(0);
          return;
        }
        const value = reading.parameters["x"];
        expect(value === undefined ? !isRequired : conforms(schema, value)).toBe(true);
        expect(readParameters([parameter("x", schema, isRequired)], reading.parameters)).toEqual({
          ok: true,
          parameters: reading.parameters,
        });
      }),
      { numRuns: 1000 },
    );
  });

  it("takes anything at all without throwing", () => {
    fc.assert(
      fc.property(fc.anything(), schemas, (given, schema) => {
        readParameters([parameter("a", schema)], given as JsonObject);
        readParameters([parameter("a", schema)], { a: given as JsonValue });
      }),
      { numRuns: 800 },
    );
  });
});
