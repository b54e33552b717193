import { describe, expect, it } from "vitest";
import { z } from "zod";
import { context } from "./context.ts";
import { contextAction } from "./context-action.ts";
import { contextIdOf, placeOf } from "./context-ref.ts";
import { input, messages, webhook } from "./input.ts";

const goal = context({
  type: "goal",
  schema: z.object({ owner: z.string(), name: z.string().default("main") }),
  state: z.object({ steps: z.array(z.string()) }),
  create: () => ({ steps: [] }),
});

describe("a context", () => {
  it("names an instance by its arguments, whatever their order", () => {
    const one = goal.ref({ owner: "ada", name: "x" });
    const two = goal.ref({ name: "x", owner: "ada" });
    expect(one.key).toBe(two.key);
    expect(placeOf("agent", one).id).toBe(placeOf("agent", two).id);
    expect(placeOf("agent", one).id).not.toBe(placeOf("other", one).id);
  });

  it("fills in the defaults of arguments before it makes a key of them", () => {
    expect(goal.ref({ owner: "ada" }).key).toBe(goal.ref({ owner: "ada", name: "main" }).key);
  });

  it("has one instance when it takes no arguments", () => {
    expect(context({ type: "diary" }).ref().key).toBe("default");
  });

  it("has the room's own id as the id of a room's context", () => {
    expect(contextIdOf("agent", "room", "room-1")).toBe("room-1");
  });

  it("refuses arguments that do not fit, naming the context and the member", () => {
    // @ts-expect-error written without types
    expect(() => goal.ref({ owner: 7 })).toThrow(/context goal.*owner/);
  });

  it("refuses a key that is none", () => {
    expect(() => context({ type: "empty", key: () => "" }).ref()).toThrow(/key of context empty/);
  });

  it.each([
    [{ type: "a b" } as object, /type "a b"/],
    [{ type: "x", state: z.object({}) }, /Context x.*no create/],
    [{ type: "x", create: (): number => 1 }, /no state/],
    [{ type: "x", state: z.date(), create: (): Date => new Date(0) }, /state holds what JSON cannot keep/],
    [{ type: "x", state: z.map(z.string(), z.number()), create: (): unknown => new Map() }, /JSON cannot keep/],
    [{ type: "x", state: {}, create: (): number => 1 }, /state is no zod schema/],
    [{ type: "x", state: z.number(), create: (): number => 1, load: () => 1 }, /only one of load and save/],
    [{ type: "x", maxSteps: 0 }, /maxSteps/],
    [{ type: "x", onStep: "often" }, /onStep is no function/],
    [{ type: "x", actions: [{ name: "A" }] }, /not made with contextAction/],
    [{ type: "x", model: {} }, /model is no language model/],
  ])("is refused at its definition with everything that is wrong: %#", (options, problem) => {
    // @ts-expect-error written without types
    expect(() => context(options)).toThrow(problem);
  });

  it("gets one thing more from each of its methods and stays as it was itself", () => {
    const more = goal
      .action({ name: "add step", description: "Adds.", schema: z.object({ text: z.string() }), handler: () => true })
      .output({ name: "report", description: "Reports.", handler: () => true })
      .input({ name: "tick" });
    expect(goal.actions).toEqual([]);
    expect([more.actions[0]?.name, more.outputs[0]?.name, more.inputs[0]?.name]).toEqual([
      "ADD STEP",
      "report",
      "tick",
    ]);
    expect(() => more.action({ name: "ADD_STEP", description: "Again.", handler: () => true })).toThrow(/two actions/);
  });
});

describe("an action of a context", () => {
  it("shows the model the parameters of its zod schema", () => {
    const action = contextAction({
      name: "PLAN",
      description: "Plans.",
      schema: z.object({
        title: z.string().min(2).describe("What it is called"),
        kind: z.enum(["big", "small"]).default("small"),
        count: z.int().min(1).max(9).optional(),
        tags: z.array(z.object({ name: z.string() })).optional(),
        note: z.string().nullable(),
        either: z.union([z.literal("a"), z.literal("b")]).optional(),
      }),
      handler: () => true,
    });
    expect(action.parameters).toMatchObject([
      { name: "title", description: "What it is called", required: true, schema: { type: "string" } },
      { name: "kind", required: false, schema: { type: "string", enum: ["big", "small"], default: "small" } },
      { name: "count", required: false, schema: { type: "integer", minimum: 1, maximum: 9 } },
      { name: "tags", schema: { type: "array", items: { type: "object", required: ["name"] } } },
      { name: "note", required: false, schema: { type: "string" } },
      { name: "either", schema: { enum: ["a", "b"] } },
    ]);
  });

  it("lets the schema check what parameters cannot say, and takes an absent nullable as null", async () => {
    const { check } = contextAction({
      name: "PLAN",
      description: "Plans.",
      schema: z.object({ title: z.string().min(2), note: z.string().nullable() }),
      handler: () => true,
    });
    expect(await check({ title: "x" })).toMatchObject({ ok: false, problem: expect.stringContaining("title") });
    expect(await check({ title: "xy" })).toEqual({ ok: true, value: { title: "xy", note: null } });
  });

  it.each([
    [z.object({ when: z.date() }), /Action A/],
    [z.object({ mixed: z.union([z.string(), z.object({})]) }), /mixed.*several kinds/],
    [z.string(), /no object/],
    [{ type: "object" }, /schema that is none/],
  ])("is refused when its schema cannot be told to a model: %#", (schema, problem) => {
    // @ts-expect-error written without types
    expect(() => contextAction({ name: "A", description: "A.", schema, handler: () => true })).toThrow(problem);
  });

  it("is refused without a handler or with a name that is none", () => {
    // @ts-expect-error written without types
    expect(() => contextAction({ name: "A", description: "A." })).toThrow(/no handler/);
    expect(() => contextAction({ name: "A!", description: "A.", handler: () => true })).toThrow(/name may have/);
  });
});

describe("an input", () => {
  it("is refused with a source that is none, or a name that is none", () => {
    // @ts-expect-error written without types
    expect(() => input({ name: "x", source: { type: "pigeon" } })).toThrow(/Input x.*source is none/);
    expect(() => input({ name: "Big" })).toThrow(/lower case/);
  });

  it("wants a webhook to say who may send", () => {
    // @ts-expect-error written without types
    expect(() => webhook({ path: "orders", read: () => null })).toThrow(/no verify/);
    expect(() => webhook({ path: "../x", verify: () => true, read: () => null })).toThrow(/usable path/);
  });

  it("shows a text as it is and anything else as JSON, or as its format says", () => {
    expect(input({ name: "x", source: messages({ args: () => null }) }).format("hello")).toBe("hello");
    expect(input({ name: "x" }).format({ a: 1 })).toBe('{"a":1}');
    const formatted = input({ name: "x", schema: z.object({ n: z.number() }), format: ({ n }) => `n is ${n}` });
    expect(formatted.format({ n: 2 })).toBe("n is 2");
    expect(formatted.read({ n: "2" })).toMatchObject({ ok: false });
  });
});
