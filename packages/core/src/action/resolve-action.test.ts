import fc from "fast-check";
import { describe, expect, it } from "vitest";
import vectors from "../../spec/action-names.json" with { type: "json" };
import { createActionResolver, normalizeActionName, resolveAction } from "./resolve-action.ts";

describe("the conformance vectors", () => {
  const resolve = createActionResolver(vectors.actions);
  it.each(vectors.cases)("say that $request selects $selects", ({ request, selects }) => {
    expect(resolveAction(vectors.actions, request)?.name ?? null).toBe(selects);
    expect(resolve(request)?.name ?? null).toBe(selects);
  });
});

describe("resolveAction", () => {
  const actions = [
    { name: "FIRST", similes: ["SECOND", "BOTH"] },
    { name: "SECOND", similes: ["both"] },
    { name: "second" },
    { name: "___", similes: [" - "] },
  ];

  it("prefers an exact name to another action's simile", () => {
    expect(resolveAction(actions, "Second")).toBe(actions[1]);
  });

  it("takes the first registered of equal similes", () => {
    expect(resolveAction(actions, "b_o_t_h")).toBe(actions[0]);
  });

  it("never selects a name that is nothing but separators", () => {
    for (const requested of ["", " ", "_", "- _"]) expect(resolveAction(actions, requested)).toBeNull();
  });

  it("selects what the built resolver selects, for any names", () => {
    const name = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "A", "b", "B", "_", "-", " ", "é", "É", "1"), maxLength: 4 }),
      fc.string({ unit: "binary", maxLength: 3 }),
    );
    const action = fc.record({ name, similes: fc.array(name, { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 8 }), name, (registered, requested) => {
        expect(resolveAction(registered, requested)).toBe(createActionResolver(registered)(requested));
      }),
      { numRuns: 500 },
    );
  });

  it("selects only names that are the same when normalized", () => {
    fc.assert(
      fc.property(fc.string(), (requested) => {
        const found = resolveAction(vectors.actions, requested);
        const names = found ? [found.name, ...found.similes].map(normalizeActionName) : [];
        expect(found === null || names.includes(normalizeActionName(requested))).toBe(true);
      }),
    );
  });
});
