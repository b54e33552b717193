import { describe, expect, it } from "vitest";
import { ValidationError } from "../errors.ts";
import type { RegisteredAction } from "./action.ts";
import { builtInActions } from "./built-in-actions.ts";
import { checkAction } from "./check-action.ts";
import type { ParameterSchema } from "./parameter.ts";

const action = (change: Record<string, unknown> = {}): RegisteredAction =>
  ({
    name: "WEATHER",
    description: "",
    similes: [],
    run: async () => ({ success: true }),
    ...change,
  }) as RegisteredAction;
const refusal = (change: Record<string, unknown>, registered: readonly RegisteredAction[] = []): string => {
  try {
    checkAction(action(change), registered);
    return "accepted";
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return error instanceof Error ? error.message : "";
  }
};
const withSchema = (schema: unknown, name = "when"): string =>
  refusal({ parameters: [{ name, description: "", schema }] });
const withPolicy = (policy: unknown): string => refusal({ policy });

describe("checkAction", () => {
  it("takes every built-in action beside the others", () => {
    builtInActions.forEach((one, at) => {
      expect(checkAction(one, builtInActions.slice(0, at))).toEqual({ name: one.name, warnings: [] });
    });
  });

  it("knows an action by its name in upper case", () => {
    expect(checkAction(action({ name: " send token-2 " }), []).name).toBe("SEND TOKEN-2");
    expect(checkAction(action({ name: "приве́т" }), []).name).toBe("ПРИВЕ́Т");
  });

  it.each([
    ["", /without a name/],
    ["  _- ", /without a name/],
    [undefined, /without a name/],
    ["DO.IT", /letters, digits/],
    ["A\nB", /letters, digits/],
    ["<b>", /letters, digits/],
    ["A".repeat(65), /at most 64/],
  ])("refuses the name %j", (name, reason) => expect(refusal({ name })).toMatch(reason));

  it("refuses a name that is taken, however it is written", () => {
    expect(refusal({ name: "weather" }, [action({ name: "WEA_THER" })])).toBe(
      'Action "WEATHER" cannot be registered: WEA_THER is already registered, and case, "_", "-" and spaces do not tell names apart; rename one, or leave out the plugin that brings the other.',
    );
  });

  it("warns of similes that select another action, and takes them", () => {
    const registered = [action({ name: "FORECAST", similes: ["weather", "SKY"] }), action({ name: "RAIN" })];
    expect(checkAction(action({ similes: ["Sky", "sky", "rain", "CLOUDS", "weather"] }), registered).warnings).toEqual([
      "WEATHER is also a simile of FORECAST; it now selects WEATHER.",
      "The simile sky of WEATHER has no effect: it selects FORECAST.",
      "The simile rain of WEATHER has no effect: it selects RAIN.",
      "The simile weather of WEATHER has no effect: it selects FORECAST.",
    ]);
  });

  it.each([
    [{ similes: ["a!"] }, /simile "a!"/],
    [{ similes: "a" }, /similes are no list/],
    [{ similes: [1] }, /simile 1 is none/],
    [{ run: undefined }, /no handler/],
    [{ description: 1 }, /no description/],
    [{ priority: Number.NaN }, /priority/],
    [{ tags: ["a", 1] }, /tags/],
    [{ parameters: {} }, /parameters are no list/],
    [{ parameters: [{}] }, /parameter 1: has no name/],
    [{ parameters: [{ name: "__proto__", description: "", schema: { type: "string" } }] }, /must begin with a letter/],
    [{ parameters: [{ name: "a b", description: "", schema: { type: "string" } }] }, /must begin with a letter/],
    [{ parameters: [{ name: "a", schema: { type: "string" } }] }, /parameter a: has no description/],
  ])("refuses %j", (change, reason) => expect(refusal(change)).toMatch(reason));

  it("refuses a parameter that is there twice", () => {
    const one = { name: "city", description: "", schema: { type: "string" } };
    expect(refusal({ parameters: [one, one] })).toMatch(/parameter city: is there twice/);
  });

  it("tells everything that is wrong at once", () => {
    const message = refusal({ similes: ["!"], priority: "x", policy: { timeoutMs: 0 } });
    expect(message).toMatch(/^Action WEATHER cannot be registered: .*priority.*simile.*timeoutMs/);
  });
});

describe("the schemas of parameters", () => {
  const endless: { type: "array"; items?: ParameterSchema } = { type: "array" };
  endless.items = endless;
  it.each<[unknown, RegExp]>([
    [undefined, /has no schema/],
    [{ type: "date" }, /type "date"; use one of string/],
    [{}, /type undefined/],
    [{ type: "string", default: 2 }, /default that is not of type string/],
    [{ type: "number", default: "2" }, /default that is not of type number/],
    [{ type: "number", minimum: 3, default: 2 }, /does not fit its own schema \(default must be at least 3\)/],
    [{ type: "string", enum: ["a"], default: "b" }, /does not fit its own schema/],
    [{ type: "number", minimum: 3, maximum: 2 }, /minimum 3 above maximum 2/],
    [{ type: "number", minimum: "3" }, /minimum that is not a number/],
    [{ type: "string", minimum: 3 }, /counts for numbers only/],
    [{ type: "string", pattern: "(" }, /no regular expression/],
    [{ type: "string", pattern: "(a)\\1" }, /back-references/],
    [{ type: "number", pattern: "a" }, /counts for texts only/],
    [{ type: "string", pattern: 1 }, /pattern that is not a text/],
    [{ type: "string", enum: [] }, /enum without a choice/],
    [{ type: "string", enum: ["a", 1] }, /choice in enum that is not of type string/],
    [{ type: "number", enumValues: ["1"] }, /choice in enumValues/],
    [{ type: "object", properties: [] }, /properties that are no object/],
    [{ type: "object", properties: { a: { type: "x" } } }, /parameter when\.a: has the type "x"/],
    [{ type: "object", properties: { a: { type: "string" } }, required: ["b"] }, /requires b/],
    [{ type: "object", required: "a" }, /no list of names/],
    [{ type: "string", properties: {} }, /count for type "object" only/],
    [{ type: "string", items: {} }, /count for type "array" only/],
    [{ type: "array", items: { type: "x" } }, /parameter when\[\]: has the type "x"/],
    [endless, /contains itself/],
  ])("are refused when they are %j", (schema, reason) => {
    expect(withSchema(schema)).toMatch(reason);
  });

  it("are taken when all of it fits", () => {
    const day = { type: "string", enum: ["Mon", "Tue"], default: "Mon" };
    const schema = {
      type: "object",
      properties: { day, at: { type: "array", items: { type: "integer", minimum: 0 } } },
      default: { at: [1] },
    };
    expect(withSchema(schema)).toBe("accepted");
    expect(withSchema({ type: "string", default: null })).toBe("accepted");
  });
});

describe("the policy", () => {
  const retry = { attempts: 2, initialMs: 10, multiplier: 2, maxMs: 100 };
  const rateLimit = { limit: 1, windowMs: 1000, per: "room" };
  it("is taken when the engine can keep to it", () => {
    expect(
      withPolicy({ timeoutMs: 1, retry, rateLimit, exclusive: "entity", dependencies: ["LOGIN"], idempotent: true }),
    ).toBe("accepted");
  });

  it.each<[unknown, RegExp]>([
    ["x", /no object/],
    [{ timeoutMs: 0 }, /timeoutMs must be a number from 1/],
    [{ timeoutMs: 2 ** 31 }, /timeoutMs/],
    [{ timeoutMs: "5" }, /timeoutMs/],
    [{ retry: 3 }, /retry must be/],
    [{ retry: { ...retry, attempts: 0 } }, /retry.attempts must be a whole number from 1/],
    [{ retry: { ...retry, attempts: 1.5 } }, /retry.attempts/],
    [{ retry: { ...retry, initialMs: -1 } }, /retry.initialMs/],
    [{ retry: { ...retry, multiplier: 0.5 } }, /retry.multiplier/],
    [{ retry: { ...retry, maxMs: 5 } }, /initialMs is above retry.maxMs/],
    [{ rateLimit: { ...rateLimit, limit: 0 } }, /rateLimit.limit/],
    [{ rateLimit: { ...rateLimit, windowMs: 0 } }, /rateLimit.windowMs/],
    [{ rateLimit: { ...rateLimit, per: "world" } }, /rateLimit.per must be one of entity, room, agent/],
    [{ exclusive: true }, /exclusive must be one of/],
    [{ dependencies: "LOGIN" }, /dependencies are no list/],
    [{ dependencies: ["wea ther"] }, /depends on itself \(WEATHER → WEATHER\)/],
  ])("is refused when it is %j", (policy, reason) => {
    expect(withPolicy(policy)).toMatch(reason);
  });

  it("is refused when its dependencies lead back to the action", () => {
    const registered = [
      action({ name: "A", policy: { dependencies: ["B"] } }),
      action({ name: "B", policy: { dependencies: ["weather"] } }),
    ];
    expect(refusal({ policy: { dependencies: ["C", "a"] } }, registered)).toMatch(
      /itself \(WEATHER → A → B → WEATHER\)/,
    );
  });
});
