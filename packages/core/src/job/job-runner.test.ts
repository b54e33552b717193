import { afterEach, describe, expect, it } from "vitest";
import { StoreError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { JobOutcome, Jobs, JobToDo } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock, type SetClock } from "../testing/set-clock.ts";
import type { JobHandler } from "./job-handler.ts";
import { createJobRunner, type JobRunner } from "./job-runner.ts";

const agentId = "agent-1";

type Line = { readonly level: string; readonly fields: Readonly<Record<string, unknown>>; readonly message: string };
type Bench = {
  readonly clock: SetClock;
  readonly store: Store;
  readonly lines: Line[];
  readonly runner: JobRunner;
  /** Questions asked of the store, by name. */
  readonly asked: string[];
  put(...jobs: readonly (Partial<JobToDo> & { readonly id: string })[]): Promise<void>;
};

type Given = {
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly concurrency?: number;
  readonly store?: Store;
  readonly clock?: SetClock;
  /** Put between the runner and the store. */
  readonly around?: (jobs: Jobs) => Partial<Jobs>;
};

let runners: JobRunner[] = [];
afterEach(async () => {
  for (const runner of runners) await runner.stop(0);
  runners = [];
});

function bench({ handlers, concurrency = 4, around, ...given }: Given): Bench {
  const clock = given.clock ?? createSetClock(0);
  const store = given.store ?? createMemoryStore({ clock });
  const lines: Line[] = [];
  const asked: string[] = [];
  const jobs = new Proxy<Jobs>(
    { ...store.jobs, ...around?.(store.jobs) },
    {
      get: (target, name, receiver) => {
        asked.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    },
  );
  const runner = createJobRunner({
    agentId,
    owner: "process-1",
    jobs,
    clock,
    log: recordingLog(lines),
    concurrency,
    handlers: new Map(Object.entries(handlers)),
  });
  runners.push(runner);
  const put: Bench["put"] = async (...wanted) => {
    const full = wanted.map((job): JobToDo => ({ kind: "note", payload: { of: job.id }, runAt: 0, ...job }));
    await store.admin.write(
      agentId,
      full.map((job) => ({ type: "job.put", job })),
    );
    runner.wake();
  };
  return { clock, store, lines, runner, asked, put };
}

function recordingLog(lines: Line[]): Log {
  const at = (level: string) => (fields: Line["fields"], message: string) =>
    void lines.push({ level, fields, message });
  return {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    child: () => recordingLog(lines),
  };
}

/** Writes down what it was given, in order; fails as often as `failures` says for a payload. */
function recorder(failures: Readonly<Record<string, number>> = {}) {
  const left = new Map(Object.entries(failures));
  const begun: string[] = [];
  const run: JobHandler["run"] = async ({ of }) => {
    const id = String(of);
    begun.push(id);
    const toFail = left.get(id) ?? 0;
    left.set(id, toFail - 1);
    if (toFail > 0) throw new Error(`no luck with ${id}`);
  };
  return { begun, run };
}

/** Handlers that stand still until told. */
function gate() {
  const inside = new Map<string, { finish(): void; readonly signal: AbortSignal }>();
  const run: JobHandler["run"] = ({ of }, signal) =>
    new Promise((resolve) => inside.set(String(of), { finish: resolve, signal }));
  const finish = (id: string): void => {
    inside.get(id)?.finish();
    inside.delete(id);
  };
  return { inside, run, finish };
}

async function rows(store: Store) {
  return store.jobs.list(agentId, { limit: 99 });
}

describe("a job runner", () => {
  it("does what waited before the start and what is put after it", async () => {
    const { begun, run } = recorder();
    const { put, runner, store, lines } = bench({ handlers: { note: { run } } });
    await put({ id: "a" });
    await runner.idle();
    expect(begun).toEqual([]);
    await runner.start();
    await runner.idle();
    expect(begun).toEqual(["a"]);
    await put({ id: "b" });
    await runner.idle();
    expect(begun).toEqual(["a", "b"]);
    expect(await rows(store)).toEqual([]);
    expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
      ["info", { kind: "note", id: "a" }],
      ["info", { kind: "note", id: "b" }],
    ]);
  });

  it("sleeps until a job is due and asks for nothing meanwhile", async () => {
    const { begun, run } = recorder();
    const { put, runner, clock, asked } = bench({ handlers: { note: { run } } });
    await put({ id: "later", runAt: 50_000 }, { id: "sooner", runAt: 40_000 });
    await runner.start();
    await runner.idle();
    asked.length = 0;
    await clock.advance(39_999);
    expect([begun, asked]).toEqual([[], []]);
    await clock.advance(1);
    expect(begun).toEqual(["sooner"]);
    await clock.advance(10_000);
    expect(begun).toEqual(["sooner", "later"]);
    await runner.idle();
    asked.length = 0;
    await clock.advance(30 * 24 * 3_600_000);
    expect(asked).toEqual([]);
    expect(clock.sleepers()).toBe(0);
  });

  it("wakes for a job that is put to be due before the one it sleeps for", async () => {
    const { begun, run } = recorder();
    const { put, runner, clock } = bench({ handlers: { note: { run } } });
    await put({ id: "far", runAt: 365 * 24 * 3_600_000 });
    await runner.start();
    await runner.idle();
    await put({ id: "near", runAt: 1000 });
    await clock.advance(1000);
    expect(begun).toEqual(["near"]);
    await clock.advance(365 * 24 * 3_600_000);
    expect(begun).toEqual(["near", "far"]);
  });

  it("does at most so many at once, and the next as soon as one has ended", async () => {
    const { inside, run, finish } = gate();
    const { put, runner, clock } = bench({ handlers: { note: { run } }, concurrency: 2 });
    await runner.start();
    await put(...["a", "b", "c", "d"].map((id) => ({ id })));
    await clock.advance(0);
    expect([...inside.keys()]).toEqual(["a", "b"]);
    finish("a");
    await clock.advance(0);
    expect([...inside.keys()]).toEqual(["b", "c"]);
    for (const id of ["b", "c"]) finish(id);
    await clock.advance(0);
    finish("d");
    await runner.idle();
    expect(inside.size).toBe(0);
  });
});

describe("a job that fails", () => {
  const backoff = { initialMs: 100, multiplier: 3, maxMs: 500 };

  it("is tried again after longer and longer waits, and is dead after its last attempt", async () => {
    const { begun, run } = recorder({ a: 99 });
    const { put, runner, clock, store, lines } = bench({ handlers: { note: { run, backoff } } });
    await runner.start();
    await put({ id: "a" });
    await runner.idle();
    for (const [attempts, waitMs] of [100, 300, 500, 500].entries()) {
      expect(begun).toHaveLength(attempts + 1);
      await clock.advance(waitMs - 1);
      expect(begun).toHaveLength(attempts + 1);
      await clock.advance(1);
    }
    expect(begun).toHaveLength(5);
    expect(await rows(store)).toMatchObject([{ state: "dead", attempts: 5, error: "no luck with a" }]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        fields: { kind: "note", id: "a" },
        message: expect.stringContaining("revive it, or remove it"),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("no luck");
    await clock.advance(3_600_000);
    expect(begun).toHaveLength(5);
  });

  it("holds up its queue and nothing else, and the order stays", async () => {
    const { begun, run } = recorder({ q1: 2 });
    const { put, runner, clock } = bench({ handlers: { note: { run, backoff } } });
    await runner.start();
    await put({ id: "q1", queue: "q" }, { id: "q2", queue: "q" }, { id: "q3", queue: "q" }, { id: "free" });
    await runner.idle();
    expect(begun).toEqual(["q1", "free"]);
    await clock.advance(400);
    expect(begun).toEqual(["q1", "free", "q1", "q1", "q2", "q3"]);
  });

  it("lets its queue go on once it is dead, after as many attempts as its kind allows", async () => {
    const { begun, run } = recorder({ a: 1, b: 1 });
    const { put, runner, store } = bench({ handlers: { note: { run, attempts: 1 } } });
    await runner.start();
    await put({ id: "a", queue: "q" }, { id: "b", queue: "q" }, { id: "c", queue: "q" });
    await runner.idle();
    expect(begun).toEqual(["a", "b", "c"]);
    expect((await rows(store)).map(({ id, state }) => [id, state])).toEqual([
      ["a", "dead"],
      ["b", "dead"],
    ]);
    await store.jobs.revive(agentId, "a");
    runner.wake();
    await runner.idle();
    expect((await rows(store)).map(({ id }) => id)).toEqual(["b"]);
  });

  it("harms no other, however it fails", async () => {
    const { begun, run } = recorder();
    const atOnce = (): Promise<void> => {
      throw new Error("at once");
    };
    const oddly = (): Promise<void> => Promise.reject(undefined);
    const { put, runner, store } = bench({
      handlers: { note: { run }, atOnce: { run: atOnce, attempts: 1 }, oddly: { run: oddly, attempts: 1 } },
      concurrency: 1,
    });
    await runner.start();
    await put({ id: "a", kind: "atOnce" }, { id: "b", kind: "oddly" }, { id: "c" });
    await runner.idle();
    expect(begun).toEqual(["c"]);
    expect((await rows(store)).map(({ error }) => error)).toEqual(["at once", "undefined"]);
  });

  it("is called off when its time is over, whether it listens or not", async () => {
    const { inside, run } = gate();
    const { put, runner, clock, store } = bench({
      handlers: { note: { run, timeoutMs: 1000, attempts: 2, backoff } },
      concurrency: 1,
    });
    await runner.start();
    await put({ id: "a" });
    await clock.advance(999);
    const first = inside.get("a");
    expect(first?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(first?.signal.aborted).toBe(true);
    expect(await rows(store)).toMatchObject([{ state: "waiting", error: "it took longer than 1000 ms" }]);
    await clock.advance(100);
    first?.finish();
    await clock.advance(0);
    expect(await rows(store)).toMatchObject([{ state: "running", attempts: 2 }]);
    await clock.advance(1000);
    expect(await rows(store)).toMatchObject([{ state: "dead" }]);
    expect(clock.sleepers()).toBe(0);
  });
});

describe("a job of a kind nobody does", () => {
  it("waits for a start that knows it, and is told once", async () => {
    const { begun, run } = recorder();
    const first = bench({ handlers: { note: { run } } });
    const { store, clock } = first;
    await first.runner.start();
    await first.put({ id: "x", kind: "odd" }, { id: "y", kind: "odd" }, { id: "a" });
    await first.runner.idle();
    await first.put({ id: "z", kind: "odd" });
    await first.runner.idle();
    await clock.advance(24 * 3_600_000);
    const told = first.lines.filter(({ level }) => level === "warn");
    expect(told).toEqual([
      { level: "warn", fields: { kind: "odd" }, message: expect.stringContaining("wait for a start") },
    ]);
    expect(begun).toEqual(["a"]);
    await first.runner.stop(0);
    const second = bench({ handlers: { odd: { run } }, store, clock });
    await second.runner.start();
    await second.runner.idle();
    expect(begun).toEqual(["a", "x", "y", "z"]);
  });

  it("does not keep one from resting although it is due", async () => {
    const { put, runner, asked, clock } = bench({ handlers: {} });
    await runner.start();
    await put({ id: "x", kind: "odd" });
    await runner.idle();
    asked.length = 0;
    await clock.advance(3_600_000);
    expect(asked).toEqual([]);
  });
});

describe("stopping", () => {
  it("lets what is under way finish in its time and begins nothing new", async () => {
    const { inside, run, finish } = gate();
    const { put, runner, clock, store } = bench({ handlers: { note: { run } }, concurrency: 1 });
    await runner.start();
    await put({ id: "a" }, { id: "b" });
    await clock.advance(0);
    const stopped = runner.stop(5000);
    await clock.advance(4000);
    expect(inside.get("a")?.signal.aborted).toBe(false);
    finish("a");
    await stopped;
    await runner.idle();
    expect(await rows(store)).toMatchObject([{ id: "b", state: "waiting", attempts: 0 }]);
    expect(clock.sleepers()).toBe(0);
  });

  it("does not wait for what loses nothing when it is called off", async () => {
    const { inside, run } = gate();
    const { runner, store, put, clock } = bench({ handlers: { note: { isResumable: true, run } } });
    await runner.start();
    await put({ id: "a" });
    await clock.advance(0);
    // The clock stands still: the three seconds are never over.
    await runner.stop(3000);
    expect(inside.get("a")?.signal.aborted).toBe(true);
    expect((await rows(store)).map(({ state, attempts }) => [state, attempts])).toEqual([["waiting", 0]]);
  });

  it("gives back what does not finish in time, with its attempt not counted", async () => {
    const { inside, run } = gate();
    const first = bench({ handlers: { note: { run } } });
    const { store, clock } = first;
    await first.runner.start();
    await first.put({ id: "a", queue: "q" }, { id: "b", queue: "q" });
    await clock.advance(0);
    const stopped = first.runner.stop(5000);
    await clock.advance(5000);
    await stopped;
    expect(inside.get("a")?.signal.aborted).toBe(true);
    expect((await rows(store)).map(({ id, state, attempts }) => [id, state, attempts])).toEqual([
      ["a", "waiting", 0],
      ["b", "waiting", 0],
    ]);
    expect(first.lines).toEqual([]);
    const { begun, run: next } = recorder();
    const second = bench({ handlers: { note: { run: next } }, store, clock });
    await second.runner.start();
    await second.runner.idle();
    expect(begun).toEqual(["a", "b"]);
  });

  it("is done once, before or after a start, and nothing begins after it", async () => {
    const { begun, run } = recorder();
    const { put, runner, clock } = bench({ handlers: { note: { run } } });
    await Promise.all([runner.stop(0), runner.stop(1000)]);
    await runner.start();
    await put({ id: "a" });
    await clock.advance(1000);
    await runner.idle();
    expect(begun).toEqual([]);
  });

  it("gives back what it claimed while it was told to stop", async () => {
    const { begun, run } = recorder();
    const claiming = Promise.withResolvers<void>();
    const { put, runner, clock, store } = bench({
      handlers: { note: { run } },
      around: (jobs) => ({
        claim: async (...query) => {
          const leases = await jobs.claim(...query);
          await claiming.promise;
          return leases;
        },
      }),
    });
    await put({ id: "a" });
    await runner.start();
    const stopped = runner.stop(1000);
    await clock.advance(0);
    claiming.resolve();
    await stopped;
    expect(begun).toEqual([]);
    expect(await rows(store)).toMatchObject([{ state: "waiting", attempts: 0 }]);
  });
});

describe("after a crash", () => {
  it("tries again what was being done, with the attempt counted", async () => {
    const { begun, run } = recorder();
    const { put, runner, store, lines } = bench({ handlers: { note: { run } } });
    await put({ id: "a" });
    await store.jobs.claim(agentId, "a process that died", { now: 0, limit: 1 });
    await runner.start();
    await runner.idle();
    expect(begun).toEqual(["a"]);
    expect(lines[0]).toMatchObject({ level: "info", fields: { jobs: 1 } });
  });

  it("does not begin again what took a process with it at every attempt", async () => {
    const { begun, run } = recorder();
    const { put, runner, store } = bench({ handlers: { note: { run, attempts: 2 } } });
    await put({ id: "deadly", queue: "q" }, { id: "b", queue: "q" });
    for (let death = 0; death < 2; death += 1) {
      await store.jobs.claim(agentId, "a process that died", { now: 0, limit: 1 });
      await store.jobs.recover(agentId);
    }
    await runner.start();
    await runner.idle();
    expect(begun).toEqual(["b"]);
    expect(await rows(store)).toMatchObject([
      { id: "deadly", state: "dead", error: "it was begun 2 times and never came to an end" },
    ]);
  });
});

describe("a store that fails", () => {
  const busy = () => new StoreError("unavailable", "the database is locked");

  it("is asked again after a while, and the work goes on", async () => {
    const { begun, run } = recorder();
    let failures = 3;
    const { put, runner, clock, lines } = bench({
      handlers: { note: { run } },
      around: (jobs) => ({
        claim: async (...query) => {
          failures -= 1;
          if (failures >= 0) throw busy();
          return jobs.claim(...query);
        },
      }),
    });
    await put({ id: "a" });
    await runner.start();
    await clock.advance(500 + 1000 + 1999);
    expect(begun).toEqual([]);
    await clock.advance(1);
    await runner.idle();
    expect(begun).toEqual(["a"]);
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  it("is told a job's end when it can hear again; the job is not done twice", async () => {
    const { begun, run } = recorder();
    let failures = 2;
    const { put, runner, clock, store } = bench({
      handlers: { note: { run } },
      around: (jobs) => ({
        finish: async (...end) => {
          failures -= 1;
          if (failures >= 0) throw busy();
          return jobs.finish(...end);
        },
      }),
    });
    await runner.start();
    await put({ id: "a" });
    await clock.advance(1500);
    await runner.idle();
    expect(begun).toEqual(["a"]);
    expect(await rows(store)).toEqual([]);
  });

  it("does not hold up a stop; the job is done again at the next start", async () => {
    const ends: JobOutcome["type"][] = [];
    const { put, runner, clock, store, lines } = bench({
      handlers: { note: { run: async () => undefined } },
      around: () => ({
        finish: async (_, { type }) => {
          ends.push(type);
          throw busy();
        },
      }),
    });
    await runner.start();
    await put({ id: "a" });
    await clock.advance(0);
    await runner.stop(0);
    expect(ends).toEqual(["done", "done"]);
    expect(lines.at(-1)).toMatchObject({ level: "error", message: expect.stringContaining("at the next start") });
    expect(await store.jobs.recover(agentId)).toEqual({ freed: 1 });
  });

  it("says so at the start", async () => {
    const { runner } = bench({ handlers: {}, around: () => ({ recover: () => Promise.reject(busy()) }) });
    await expect(runner.start()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("leaves a job that another process took over to that one", async () => {
    const { inside, run, finish } = gate();
    const { put, runner, clock, store, lines } = bench({ handlers: { note: { run } } });
    await runner.start();
    await put({ id: "a" });
    await clock.advance(0);
    await store.jobs.recover(agentId);
    await store.jobs.claim(agentId, "process-2", { now: 0, limit: 1 });
    finish("a");
    await runner.idle();
    expect(inside.size).toBe(0);
    expect(lines).toMatchObject([{ level: "warn", fields: { kind: "note", id: "a" } }]);
    expect(await rows(store)).toMatchObject([{ state: "running", owner: "process-2" }]);
  });
});
