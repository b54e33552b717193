import { afterEach, describe, expect, it } from "vitest";
import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { StoreError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";
import { createTurnJob } from "./run-turn.ts";
import { createTaskBook, type OwnTaskBook, taskJobKind } from "./task-book.ts";
import type { TaskDraft } from "./task-draft.ts";
import type { TaskTurn, TaskWorker } from "./task-worker.ts";
import { createTaskWorkers } from "./task-workers.ts";

const stages = createStages();
afterEach(() => stages.close());

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 0, 1);

type Bench = Stage & { readonly book: OwnTaskBook; readonly turns: TaskTurn[] };
type Given = Partial<Setting> & { readonly timeoutMs?: number };

/** An agent whose tasks of kind `note` write down their turns, and then do as told. */
async function open(run: TaskWorker["run"] | null = null, { timeoutMs, ...setting }: Given = {}): Promise<Bench> {
  const turns: TaskTurn[] = [];
  const made: OwnTaskBook[] = [];
  const capability = (parts: CapabilityParts): Capability => {
    const book = createTaskBook(parts);
    made.push(book);
    const workers = createTaskWorkers();
    const note: TaskWorker = {
      run: async (task, turn) => {
        turns.push(turn);
        await run?.(task, turn);
      },
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
    workers.add("note", note, "test");
    return { name: "tasks", jobs: { [taskJobKind]: createTurnJob({ ...parts, book, workers }) } };
  };
  const stage = await stages.open({ script: [], capabilities: [capability], ...setting });
  const [book] = made;
  if (!book) throw new Error("no book was made");
  return { ...stage, book, turns };
}

const draft = (more: Partial<TaskDraft> = {}): TaskDraft => ({
  id: "t1",
  name: "Water the plants",
  kind: "note",
  schedule: { type: "every", everyMs: hour },
  ...more,
});

const cron = (expression: string): TaskDraft["schedule"] => ({ type: "cron", expression, timeZone: "UTC" });
/** When the turns were to be done, in minutes from the start. */
const times = ({ turns }: Pick<Bench, "turns">): readonly number[] => turns.map(({ at }) => (at - start) / minute);

describe("a planned task", () => {
  it("is done at its times, again and again", async () => {
    const bench = await open();
    await bench.book.put(draft({ schedule: cron("*/20 * * * *") }));
    await bench.clock.advance(hour);
    expect(times(bench)).toEqual([20, 40, 60]);
    expect(await bench.book.get("t1")).toMatchObject({ state: "active", nextAt: start + 80 * minute, failures: 0 });
  });

  it("that is to be done once is done after it", async () => {
    const bench = await open();
    await bench.book.put(draft({ schedule: { type: "once", at: start + minute } }));
    await bench.clock.advance(24 * hour);
    expect(times(bench)).toEqual([1]);
    const task = await bench.book.get("t1");
    expect(task).toMatchObject({ state: "done", lastAt: start + minute });
    expect(task?.nextAt).toBeUndefined();
  });

  it("stays as it was when the same is planned again, and is planned anew when it is another", async () => {
    const bench = await open();
    const first = await bench.book.put(draft());
    await bench.clock.advance(30 * minute);
    expect(await bench.book.put(draft())).toEqual(first);
    const changed = { payload: { of: "roses" }, schedule: { type: "every", everyMs: 2 * hour } } as const;
    expect((await bench.book.put(draft(changed))).nextAt).toBe(start + 30 * minute + 2 * hour);
    await bench.clock.advance(2 * hour);
    expect(times(bench)).toEqual([150]);
  });

  it.each([
    [{ schedule: { type: "once", at: start - hour } }, "passed already"],
    [{ schedule: { type: "every", everyMs: 5 } }, "1000 or more"],
    [{ schedule: cron("61 * * * *") }, "no cron expression"],
    [{ schedule: cron("0 0 30 2 *") }, "never comes due"],
    [{ schedule: { type: "cron", expression: "* * * * *", timeZone: "Mars" } }, "no time zone"],
    [{ name: " " }, "a name"],
    [{ kind: "" }, "kind"],
  ] as const)("is refused with a reason: %j", async (change, why) => {
    const bench = await open();
    await expect(bench.book.put(draft(change))).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(why),
    });
  });

  it("is held back, goes on with the next turn to come, and is taken away", async () => {
    const bench = await open();
    await bench.book.put(draft());
    await bench.book.pause("t1");
    await bench.clock.advance(3 * hour);
    expect(bench.turns).toEqual([]);
    await bench.book.resume("t1");
    await bench.clock.advance(hour);
    expect(times(bench)).toEqual([240]);
    expect(await bench.book.remove("t1")).toBe(true);
    expect(await bench.book.remove("t1")).toBe(false);
    await bench.clock.advance(3 * hour);
    expect(times(bench)).toEqual([240]);
  });

  it("is done once more at once when asked, paused or not, and its schedule stays", async () => {
    const bench = await open();
    await bench.book.put(draft());
    await bench.book.runNow("t1");
    await bench.agent.idle();
    expect(times(bench)).toEqual([0]);
    expect(await bench.book.get("t1")).toMatchObject({ nextAt: start + hour, lastAt: start });
    await bench.book.pause("t1");
    await bench.clock.advance(minute);
    await bench.book.runNow("t1");
    await bench.agent.idle();
    expect(times(bench)).toEqual([0, 1]);
    expect((await bench.book.get("t1"))?.state).toBe("paused");
  });
});

it("reads no task at a start but those that are due", async () => {
  const inner = createMemoryStore();
  const first = await open(null, { store: inner });
  for (let n = 0; n < 50; n++)
    await first.book.put(draft({ id: `t${n}`, schedule: { type: "every", everyMs: hour + n } }));
  await first.agent.stop(0);
  const read: string[] = [];
  const tasks: Store["tasks"] = {
    get: (agentId, id) => {
      read.push(id);
      return inner.tasks.get(agentId, id);
    },
    list: () => Promise.reject(new Error("all tasks were read")),
  };
  const second = await open(null, { store: { ...inner, tasks } });
  await second.clock.advance(hour);
  expect(new Set(read)).toEqual(new Set(["t0"]));
});

describe("a task whose worker fails", () => {
  const failing = (): Promise<void> => Promise.reject(new Error("no water"));

  it("is tried again after longer and longer waits and paused after the fifth failure", async () => {
    const errors: unknown[] = [];
    const bench = await open(failing, { log: errorLog(errors) });
    await bench.book.put(draft());
    for (const [n, waitMs] of [hour, 10_000, 40_000, 160_000, 640_000].entries()) {
      await bench.clock.advance(waitMs);
      expect(bench.turns).toHaveLength(n + 1);
    }
    const task = await bench.book.get("t1");
    expect(task).toMatchObject({ state: "paused", failures: 5, lastError: "no water" });
    expect(new Set(bench.turns.map(({ id }) => id)).size).toBe(1);
    expect(errors).toEqual([{ kind: "note", task: "t1", failures: 5 }]);
    await bench.clock.advance(24 * hour);
    expect(bench.turns).toHaveLength(5);
  });

  it("goes on as planned once it succeeds, without a trace of the failures", async () => {
    let left = 2;
    const bench = await open(async () => {
      left -= 1;
      if (left >= 0) throw new Error("no water");
    });
    await bench.book.put(draft({ catchUp: "skip" }));
    await bench.clock.advance(2 * hour);
    expect(times(bench)).toEqual([60, 60, 60, 120]);
    const task = await bench.book.get("t1");
    expect(task).toMatchObject({ state: "active", failures: 0 });
    expect(task?.lastError).toBeUndefined();
  });

  it("is called off when its time is over, and never overlaps itself", async () => {
    const finish: (() => void)[] = [];
    const wait = (): Promise<void> => new Promise((resolve) => finish.push(resolve));
    const bench = await open(wait, { timeoutMs: minute });
    await bench.book.put(draft());
    await bench.clock.advance(hour + minute + 10_000);
    expect((await bench.book.get("t1"))?.lastError).toContain("has not stopped yet");
    expect([bench.turns.length, bench.turns[0]?.signal.aborted]).toEqual([1, true]);
    for (const end of finish) end();
    await bench.clock.advance(40_000);
    expect(bench.turns).toHaveLength(2);
    for (const end of finish) end();
    await bench.agent.idle();
    expect(await bench.book.get("t1")).toMatchObject({ failures: 0, state: "active" });
  });

  it("of a kind nobody does is held back and says so", async () => {
    const bench = await open();
    await bench.book.put(draft({ kind: "sing" }));
    await bench.clock.advance(hour);
    const lastError = expect.stringContaining("kind sing");
    expect(await bench.book.get("t1")).toMatchObject({ state: "paused", lastError });
  });

  it("stays paused or removed when that was done while its worker ran", async () => {
    const paused = await open(async () => void (await paused.book.pause("t1")));
    await paused.book.put(draft());
    await paused.clock.advance(5 * hour);
    expect(times(paused)).toEqual([60]);
    expect(await paused.book.get("t1")).toMatchObject({ state: "paused", lastAt: start + hour });
    const removed = await open(async () => void (await removed.book.remove("t1")));
    await removed.book.put(draft());
    await removed.clock.advance(5 * hour);
    expect([times(removed), await removed.book.get("t1")]).toEqual([[60], null]);
  });
});

describe("after hours in which nothing ran", () => {
  /** Planned for every hour; the process is gone from 0:30 to 4:30. */
  async function away(change: Partial<TaskDraft>): Promise<Bench> {
    const store = createMemoryStore();
    const before = await open(null, { store });
    await before.book.put(draft(change));
    await before.clock.advance(30 * minute);
    await before.agent.stop(0);
    const bench = await open(null, { store, startAt: start + 4.5 * hour });
    await bench.agent.idle();
    return bench;
  }
  const schedule = cron("0 * * * *");

  it.each([
    ["skip", []],
    ["once", [60]],
    ["all", [60, 120, 180, 240]],
  ] as const)("with %s the missed turns that are done are %j", async (catchUp, done) => {
    const bench = await away({ catchUp, schedule });
    expect(times(bench)).toEqual(done);
    expect(bench.turns.every(({ isLate }) => isLate)).toBe(true);
    expect(await bench.book.get("t1")).toMatchObject({ state: "active", nextAt: start + 5 * hour });
    await bench.clock.advance(hour);
    expect(times(bench)).toEqual([...done, 300]);
    expect(bench.turns.at(-1)?.isLate).toBe(false);
  });

  it("one turn for all of them says for how many it stands", async () => {
    const bench = await away({ catchUp: "once", schedule });
    expect(bench.turns.map(({ missed }) => missed)).toEqual([3]);
  });

  it("a single time is made up for, or skipped and done", async () => {
    const once = { schedule: { type: "once", at: start + hour } } as const;
    expect(times(await away(once))).toEqual([60]);
    const skipped = await away({ ...once, catchUp: "skip" });
    expect(times(skipped)).toEqual([]);
    expect(await skipped.book.get("t1")).toMatchObject({ state: "done", lastError: expect.stringContaining("passed") });
  });
});

describe("a process that ends", () => {
  it("at any write loses no turn and repeats at most the worker's call", async () => {
    for (let writes = 1; writes < 5; writes++) {
      const inner = createMemoryStore();
      const first = await open(null, { store: endingAfter(inner, writes) });
      await first.book.put(draft({ schedule: { type: "once", at: start + minute } }));
      await first.clock.advance(minute);
      await first.agent.stop(0);
      const second = await open(null, { store: inner, startAt: start + 2 * minute });
      await second.clock.advance(hour);
      const ids = [...first.turns, ...second.turns].map(({ id }) => id);
      expect(new Set(ids), `${writes} writes`).toEqual(new Set([`task/t1/${start + minute}`]));
      expect(ids.length).toBeLessThanOrEqual(2);
      expect(await second.book.get("t1")).toMatchObject({ state: "done", failures: 0 });
    }
  });

  it("in the middle of a turn begins it anew, with the same id, whatever is to be skipped", async () => {
    const store = createMemoryStore();
    const first = await open(() => new Promise(() => undefined), { store });
    await first.book.put(draft({ catchUp: "skip" }));
    await first.clock.advance(hour);
    const second = await open(null, { store, startAt: start + 1.5 * hour });
    await second.agent.idle();
    expect(second.turns.map(({ id }) => id)).toEqual(first.turns.map(({ id }) => id));
    expect(await second.book.get("t1")).toMatchObject({ state: "active", nextAt: start + 2 * hour });
  });

  it("again and again in the same turn holds the task back", async () => {
    const store = createMemoryStore();
    const live = (): Promise<Bench> => open(() => new Promise(() => undefined), { store, startAt: start + hour });
    await (await live()).book.put(draft({ schedule: { type: "once", at: start + hour } }));
    const turns: number[] = [];
    for (let life = 0; life < 7; life++) {
      const bench = await live();
      await bench.clock.advance(0);
      turns.push(bench.turns.length);
    }
    expect(turns).toEqual([1, 1, 1, 1, 0, 0, 0]);
    const lastError = expect.stringContaining("never came to an end");
    expect(await store.tasks.get(stageAgentId, "t1")).toMatchObject({ state: "paused", lastError });
  });
});

const stageAgentId = "8b9d2c3e-0000-4000-8000-000000000001";

/** A store that takes so many writes from outside runs, and then neither those nor any job's end, as if the process were gone. */
function endingAfter(store: Store, writes: number): Store {
  let left = writes;
  const gone = (): never => {
    throw new StoreError("corrupt", "the process is gone");
  };
  return {
    ...store,
    admin: {
      ...store.admin,
      async write(agentId, list) {
        left -= 1;
        if (left < 0) gone();
        return store.admin.write(agentId, list);
      },
    },
    jobs: {
      ...store.jobs,
      async finish(fence, outcome) {
        if (left <= 0) gone();
        return store.jobs.finish(fence, outcome);
      },
    },
  };
}

function errorLog(errors: unknown[]): Log {
  const quiet = (): void => undefined;
  const error: Log["error"] = (fields) => void errors.push(fields);
  const log: Log = { error, warn: quiet, info: quiet, debug: quiet, child: () => log };
  return log;
}
