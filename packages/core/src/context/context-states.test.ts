import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonValue } from "../json.ts";
import { silentLog } from "../log.ts";
import type { KeyValues } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { context } from "./context.ts";
import { contextNamespace, outgrownNamespace } from "./context-record.ts";
import { placeOf } from "./context-ref.ts";
import { createContextStates } from "./context-states.ts";

const agentId = "agent";

function bench(given: { keyValues?: KeyValues; idleLimit?: number } = {}) {
  const clock = createSetClock(1_000);
  const keyValues = given.keyValues ?? createMemoryStore({ clock }).keyValues;
  const { idleLimit } = given;
  const log = silentLog;
  const states = createContextStates({ agentId, keyValues, clock, log, ...(idleLimit !== undefined && { idleLimit }) });
  return { states, keyValues, clock };
}

/** Values of one namespace, for measures: the memory store copies itself at each change. */
function quickValues(): KeyValues {
  const values = new Map<string, { value: string; version: number }>();
  return {
    ...createMemoryStore().keyValues,
    get: async (_agentId, _namespace, key) => values.get(key) ?? null,
    set: async (_agentId, _namespace, key, { value, ifVersion }) => {
      const version = values.get(key)?.version ?? 0;
      if (ifVersion !== undefined && ifVersion !== version) return false;
      values.set(key, { value, version: version + 1 });
      return true;
    },
  };
}

const counter = context({
  type: "counter",
  schema: z.string(),
  state: z.object({ count: z.number(), by: z.array(z.string()) }),
  create: () => ({ count: 0, by: [] }),
});
type Count = { readonly count: number; readonly by: readonly string[] };

/** Adds one under a name. */
const add = (name: string) => (state: JsonValue) => {
  const { count, by } = state as Count;
  return { count: count + 1, by: [...by, name] };
};

describe("states of contexts", () => {
  it("creates an instance once, however many ask at once", async () => {
    let created = 0;
    const once = context({
      type: "once",
      schema: z.string(),
      state: z.number(),
      create: async () => {
        created += 1;
        return created;
      },
    });
    const { states } = bench();
    const opened = await Promise.all(Array.from({ length: 100 }, () => states.open(once.ref("a"))));
    expect(new Set(opened.map(({ state }) => state))).toEqual(new Set([1]));
    expect(created).toBe(1);
  });

  it("keeps what it was created with for the next process", async () => {
    let created = 0;
    const once = context({ type: "once", state: z.number(), create: () => (created += 1) });
    const { states, keyValues } = bench();
    await states.open(once.ref());
    expect((await bench({ keyValues }).states.open(once.ref())).state).toBe(1);
  });

  it("creates 10,000 at once, and keeps no more than its bound of idle ones in memory", async () => {
    const { states } = bench({ idleLimit: 100, keyValues: quickValues() });
    const refs = Array.from({ length: 10_000 }, (_, at) => counter.ref(String(at)));
    await Promise.all(refs.map((ref) => states.open(ref)));
    expect(states.size()).toBe(100);
    await Promise.all(refs.map((ref) => states.update(ref, add("x"))));
    expect(states.size()).toBe(100);
    const [first] = refs;
    expect(first && (await states.open(first)).state).toEqual({ count: 1, by: ["x"] });
  });

  it("loses no update of many at once", async () => {
    const { states } = bench();
    await Promise.all(Array.from({ length: 200 }, (_, at) => states.update(counter.ref("a"), add(String(at)))));
    expect((await states.open(counter.ref("a"))).state).toMatchObject({ count: 200 });
  });

  it("loses no update of a context that several processes share, whatever the order", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ process: fc.nat(2), key: fc.constantFrom("a", "b") }), { maxLength: 30 }),
        fc.scheduler(),
        async (changes, scheduler) => {
          const { keyValues: plain } = bench();
          const keyValues: KeyValues = {
            ...plain,
            get: (...args) => scheduler.schedule(Promise.resolve()).then(() => plain.get(...args)),
            set: (...args) => scheduler.schedule(Promise.resolve()).then(() => plain.set(...args)),
          };
          const processes = [0, 1, 2].map(() => bench({ keyValues, idleLimit: 1 }).states);
          const all = changes.map(({ process, key }, at) =>
            processes[process]?.update(counter.ref(key), add(String(at))),
          );
          await scheduler.waitFor(Promise.all(all));
          for (const key of ["a", "b"]) {
            const wanted = changes.flatMap((change, at) => (change.key === key ? [String(at)] : []));
            const { state } = await bench({ keyValues: plain }).states.open(counter.ref(key));
            expect([...(state as Count).by].sort()).toEqual(wanted.sort());
          }
        },
      ),
      { numRuns: 60 },
    ));

  it("does a named change once, also in another process", async () => {
    const { states, keyValues } = bench();
    await states.update(counter.ref("a"), add("x"), "run/1.1/0");
    expect(await states.update(counter.ref("a"), add("x"), "run/1.1/0")).toMatchObject({ count: 1 });
    const other = bench({ keyValues }).states;
    expect(await other.update(counter.ref("a"), add("x"), "run/1.1/0")).toMatchObject({ count: 1 });
    expect(await other.update(counter.ref("a"), add("y"), "run/1.1/1")).toMatchObject({ count: 2 });
  });

  it("sees what another process wrote when it is opened again", async () => {
    const { states, keyValues } = bench();
    await states.open(counter.ref("a"));
    await bench({ keyValues }).states.update(counter.ref("a"), add("x"));
    expect((await states.open(counter.ref("a"))).state).toMatchObject({ count: 1 });
  });

  it("hands out a state that cannot be changed in place", async () => {
    const { states } = bench();
    const { state } = await states.open(counter.ref("a"));
    expect(() => (state as { count: number }).count++).toThrow(TypeError);
    expect(() => (state as { by: string[] }).by.push("x")).toThrow(TypeError);
  });

  it.each([
    [() => ({ count: "many", by: [] }), /does not fit its schema: count/],
    [async () => ({ count: 1, by: [] }), /returned a promise/],
    [() => undefined, /does not fit/],
  ])("refuses an update that makes no state, and changes nothing: %#", async (change, problem) => {
    const { states } = bench();
    await states.update(counter.ref("a"), add("x"));
    await expect(states.update(counter.ref("a"), change)).rejects.toThrow(problem);
    expect((await states.open(counter.ref("a"))).state).toEqual({ count: 1, by: ["x"] });
  });

  it("goes on after an update whose function throws", async () => {
    const { states } = bench();
    const boom = (): never => {
      throw new Error("boom");
    };
    await expect(states.update(counter.ref("a"), boom)).rejects.toThrow("boom");
    expect(await states.update(counter.ref("a"), add("x"))).toMatchObject({ count: 1 });
  });

  it("refuses a state that is larger than a row should be", async () => {
    const { states } = bench();
    const huge = () => ({ count: 0, by: ["x".repeat(1_000_001)] });
    await expect(states.update(counter.ref("a"), huge)).rejects.toThrow(/characters of JSON/);
  });

  it("names a context that has no state to update", async () => {
    const { states } = bench();
    await expect(states.update(context({ type: "plain" }).ref(), () => 1)).rejects.toThrow(/plain has no state/);
  });

  it("is listed and removed by id", async () => {
    const { states } = bench();
    await states.open(counter.ref("a"));
    await states.open(counter.ref("b"));
    const listed = await states.list({ limit: 10 });
    expect(listed.map(({ key }) => key).sort()).toEqual(["a", "b"]);
    const { id } = placeOf(agentId, counter.ref("a"));
    expect(await states.remove(id)).toBe(true);
    expect(await states.remove(id)).toBe(false);
    expect(await states.find(id)).toBeNull();
    expect((await states.open(counter.ref("a"))).state).toMatchObject({ count: 0 });
  });
});

describe("a kept state that does not fit the schema any more", () => {
  const next = {
    type: "counter",
    schema: z.string(),
    state: z.object({ total: z.number() }),
    create: () => ({ total: 0 }),
  };

  async function outgrown() {
    const made = bench();
    await made.states.update(counter.ref("a"), add("x"));
    return { ...made, id: placeOf(agentId, counter.ref("a")).id };
  }

  it("is refused by name, and stays kept", async () => {
    const { keyValues, id } = await outgrown();
    const { states } = bench({ keyValues });
    const before = await keyValues.get(agentId, contextNamespace, id);
    await expect(states.open(context(next).ref("a"))).rejects.toThrow(/context counter "a".*total.*migrate/);
    await expect(states.update(context(next).ref("a"), () => ({ total: 1 }))).rejects.toThrow(/does not fit/);
    expect(await keyValues.get(agentId, contextNamespace, id)).toEqual(before);
  });

  it("is made anew by migrate, and what it was stays kept beside", async () => {
    const { keyValues, id } = await outgrown();
    const { states } = bench({ keyValues });
    const moved = context({ ...next, migrate: (stored) => ({ total: (stored as Count).count }) });
    expect((await states.open(moved.ref("a"))).state).toEqual({ total: 1 });
    const kept = await keyValues.get(agentId, outgrownNamespace, id);
    expect(JSON.parse(kept?.value ?? "null")).toMatchObject({ state: { count: 1, by: ["x"] } });
  });

  it("stays as it is when migrate makes nothing that fits", async () => {
    const { keyValues, id } = await outgrown();
    const moved = context({ ...next, migrate: () => ({ total: "one" }) });
    await expect(bench({ keyValues }).states.open(moved.ref("a"))).rejects.toThrow(/What migrate made.*untouched/);
    expect(await keyValues.get(agentId, contextNamespace, id)).toMatchObject({ version: 2 });
  });
});

describe("a state that lies elsewhere", () => {
  function elsewhere() {
    const saved = new Map<string, number>();
    const kept = context({
      type: "elsewhere",
      schema: z.string(),
      state: z.number(),
      create: () => 1,
      load: ({ key }) => saved.get(key) ?? null,
      save: (state, { key }) => void saved.set(key, state),
    });
    return { saved, kept };
  }

  it("is loaded and saved there, and only its name is in the store", async () => {
    const { saved, kept } = elsewhere();
    const { states, keyValues } = bench();
    await states.open(kept.ref("a"));
    await states.update(kept.ref("a"), (state) => Number(state) + 1);
    expect(saved).toEqual(new Map([["a", 2]]));
    saved.set("a", 7);
    expect((await states.open(kept.ref("a"))).state).toBe(7);
    const { id } = placeOf(agentId, kept.ref("a"));
    expect(await states.find(id)).not.toHaveProperty("state");
    expect(await bench({ keyValues }).states.update(kept.ref("a"), (state) => Number(state) * 2)).toBe(14);
  });

  it("is not changed when it cannot be saved", async () => {
    const broken = context({
      type: "broken",
      state: z.number(),
      create: () => 1,
      load: () => 1,
      save: () => {
        throw new Error("disk full");
      },
    });
    const { states } = bench();
    await expect(states.update(broken.ref(), () => 2)).rejects.toThrow("disk full");
    expect((await states.open(broken.ref())).state).toBe(1);
  });
});
