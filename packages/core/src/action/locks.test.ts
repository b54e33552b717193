import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLocks, type Locks } from "./locks.ts";

const { signal } = new AbortController();
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Work that ends when told to. */
function held(locks: Locks, key: string, options: { signal: AbortSignal; held?: ReadonlySet<string> } = { signal }) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = locks.withLock(key, () => promise, options);
  return { end: resolve, done };
}

describe("locks", () => {
  it("let one after the other in, in the order they came, and forget free keys", async () => {
    const locks = createLocks();
    const log: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      log.push(`${name} begins`);
      await turn();
      log.push(`${name} ends`);
      return name;
    };
    const all = ["a", "b", "c"].map((name) => locks.withLock("key", work(name), { signal }));
    expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    expect(locks.size()).toBe(0);
  });

  it("let as many in at once as a key has places, the others in order", async () => {
    const locks = createLocks();
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (number: number) => async (): Promise<void> => {
      order.push(number);
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 9 }, (_, n) => locks.withLock("key", work(n), { signal, places: 3 })));
    expect([most, running, locks.size()]).toEqual([3, 0, 0]);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("do not make different keys wait for each other", async () => {
    const locks = createLocks();
    const first = held(locks, "one");
    expect(await locks.withLock("two", async () => "in", { signal })).toBe("in");
    first.end();
    await first.done;
  });

  it("are free again when the work throws", async () => {
    const locks = createLocks();
    await expect(locks.withLock("key", () => Promise.reject(new Error("no")), { signal })).rejects.toThrow("no");
    expect(locks.size()).toBe(0);
  });

  it("let go of who is called off while waiting, and let the next in", async () => {
    const locks = createLocks();
    const first = held(locks, "key");
    const caller = new AbortController();
    let ran = false;
    const waiting = locks.withLock(
      "key",
      async () => {
        ran = true;
      },
      { signal: caller.signal },
    );
    const refused = expect(waiting).rejects.toBe("stop");
    const next = locks.withLock("key", async () => "next", { signal });
    await turn();
    caller.abort("stop");
    await refused;
    first.end();
    expect(await next).toBe("next");
    expect([ran, locks.size()]).toEqual([false, 0]);
    await expect(locks.withLock("key", async () => 1, { signal: caller.signal })).rejects.toBe("stop");
    expect(locks.size()).toBe(0);
  });

  it("say so at once when a call asks for what it holds itself", async () => {
    const locks = createLocks();
    const nested = locks.withLock(
      "a",
      ({ held: keys }) =>
        locks.withLock(
          "b",
          ({ held: more }) => locks.withLock("a", async () => 1, { signal, held: new Set([...keys, ...more]) }),
          { signal, held: keys },
        ),
      { signal },
    );
    await expect(nested).rejects.toMatchObject({ code: "conflict", message: /would never be free/ });
    expect(locks.size()).toBe(0);
  });

  it("say so to the last of those who would wait for each other in a circle", async () => {
    const locks = createLocks();
    const chain = (from: string, to: string): Promise<string> =>
      locks.withLock(
        from,
        async ({ held: keys }) => {
          await turn();
          return locks.withLock(to, async () => `${from} then ${to}`, { signal, held: keys });
        },
        { signal },
      );
    const all = await Promise.allSettled([chain("a", "b"), chain("b", "c"), chain("c", "a")]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(all[2]).toMatchObject({ reason: { code: "conflict", message: /neither would ever go on/ } });
    expect(locks.size()).toBe(0);
  });

  it("stay taken while called-off work goes on, and refuse who waits", async () => {
    const locks = createLocks();
    const rest = Promise.withResolvers<void>();
    const first = locks.withLock("key", async (lock) => lock.outlivedBy(rest.promise), { signal });
    const waiting = expect(locks.withLock("key", async () => 1, { signal })).rejects.toMatchObject({
      code: "unavailable",
    });
    await first;
    await waiting;
    await expect(locks.withLock("key", async () => 1, { signal })).rejects.toMatchObject({
      message: /has not stopped/,
    });
    rest.reject(new Error("at last"));
    await turn();
    expect(await locks.withLock("key", async () => "free", { signal })).toBe("free");
  });

  it("keep who waits when called-off work stops at once", async () => {
    const locks = createLocks();
    const first = locks.withLock("key", async (lock) => lock.outlivedBy(Promise.reject(new Error("called off"))), {
      signal,
    });
    const waiting = locks.withLock("key", async () => "next", { signal });
    await first;
    expect(await waiting).toBe("next");
    expect(locks.size()).toBe(0);
  });

  it("never let two in at once, whoever is called off and whatever fails", async () => {
    const job = fc.record({
      key: fc.constantFrom("a", "b"),
      turns: fc.integer({ min: 0, max: 3 }),
      fails: fc.boolean(),
      callsOffAfter: fc.option(fc.integer({ min: 0, max: 4 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 10 }), async (jobs) => {
        const locks = createLocks();
        const inside = new Map<string, number>();
        const runs = jobs.map(async ({ key, turns, fails, callsOffAfter }) => {
          const caller = new AbortController();
          const work = async (): Promise<void> => {
            inside.set(key, (inside.get(key) ?? 0) + 1);
            expect(inside.get(key)).toBe(1);
            for (let at = 0; at < turns; at++) await Promise.resolve();
            inside.set(key, 0);
            if (fails) throw new Error("no");
          };
          const done = locks.withLock(key, work, { signal: caller.signal });
          if (callsOffAfter !== null) {
            void (async () => {
              for (let at = 0; at < callsOffAfter; at++) await Promise.resolve();
              caller.abort("stop");
            })();
          }
          return done.catch((error: unknown) =>
            expect(["stop", "no"]).toContain(error instanceof Error ? error.message : error),
          );
        });
        await Promise.all(runs);
        expect(locks.size()).toBe(0);
      }),
    );
  });
});
