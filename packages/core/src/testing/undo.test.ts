import fc from "fast-check";
import { expect, it } from "vitest";
import { createUndo } from "./undo.ts";

type Step = { readonly key: number; readonly value: number | null };
const steps = fc.array(fc.record({ key: fc.nat(5), value: fc.option(fc.nat(3)) }), { maxLength: 20 });

it("leaves tables as they were, in their order, when work throws, and changed when it does not", () => {
  fc.assert(
    fc.property(steps, steps, fc.boolean(), (first, second, fails) => {
      const undo = createUndo();
      const table = undo.table<number, number>();
      const plain = new Map<number, number>();
      const apply = (map: Map<number, number>, list: readonly Step[]): void => {
        for (const { key, value } of list) value === null ? map.delete(key) : map.set(key, value);
      };
      undo.all(() => apply(table, first));
      apply(plain, first);
      const work = (): void => {
        apply(table, second);
        if (fails) throw new Error("no");
      };
      if (fails) expect(() => undo.all(work)).toThrow("no");
      else {
        undo.all(work);
        apply(plain, second);
      }
      expect([...table]).toEqual([...plain]);
    }),
  );
});
