import { describe, expect, it } from "vitest";
import type { ActionParameter, ParameterSchema } from "./parameter.ts";
import { parametersSchema } from "./parameters-schema.ts";

const parameters: readonly ActionParameter[] = [
  {
    name: "city",
    description: "Where.",
    required: true,
    schema: { type: "string", pattern: "^\\w" },
    examples: ["Rome"],
  },
  {
    name: "units",
    description: "",
    required: true,
    schema: { type: "string", enumValues: ["metric", "imperial"], default: "metric" },
  },
  {
    name: "when",
    description: "Which day.",
    schema: {
      type: "object",
      description: "a day",
      required: ["day", "hour"],
      properties: { day: { type: "string" }, hour: { type: "integer", minimum: 0, maximum: 23, default: 12 } },
    },
  },
  { name: "tags", description: "Any.", schema: { type: "array", items: { type: "object" } } },
];

describe("parametersSchema", () => {
  it("shows names, types, choices, bounds and what must be there", () => {
    expect(parametersSchema(parameters)).toEqual({
      type: "object",
      properties: {
        city: { type: "string", pattern: "^\\w", description: "Where.", examples: ["Rome"] },
        units: { type: "string", enum: ["metric", "imperial"], default: "metric" },
        when: {
          type: "object",
          description: "Which day.",
          properties: { day: { type: "string" }, hour: { type: "integer", minimum: 0, maximum: 23, default: 12 } },
          required: ["day"],
          additionalProperties: false,
        },
        tags: { type: "array", items: { type: "object" }, description: "Any." },
      },
      required: ["city"],
      additionalProperties: false,
    });
  });

  it("is made once for the same list, and cannot be changed by whoever holds it", () => {
    const schema = parametersSchema(parameters);
    expect(parametersSchema(parameters)).toBe(schema);
    expect(parametersSchema([...parameters])).toEqual(schema);
    expect(() => Object.assign(schema["properties"] as object, { city: 1 })).toThrow(TypeError);
    expect(parametersSchema([])).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  it("ends for a schema that contains itself", () => {
    const endless: { type: "array"; items?: ParameterSchema } = { type: "array" };
    endless.items = endless;
    expect(JSON.stringify(parametersSchema([{ name: "x", description: "", schema: endless }]))).toContain('"items":{}');
  });
});
