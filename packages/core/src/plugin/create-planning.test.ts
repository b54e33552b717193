import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../store/tasks.ts";
import { createTaskCapability } from "../task/task-capability.ts";
import { createStages } from "../testing/stage.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import type { Plugin } from "./plugin.ts";
import type { Runtime } from "./runtime.ts";

const stages = createStages();
afterEach(() => stages.close());

const hour = 3_600_000;
const schedule = { type: "every", everyMs: hour } as const;

describe("a plugin's tasks", () => {
  it("are planned in its init at every start, and done by its worker with its runtime", async () => {
    const done: string[] = [];
    const plugin: Plugin = {
      name: "digest",
      init: async (_config, runtime) =>
        void (await runtime.tasks.put({ id: "daily", name: "Daily digest", kind: "digest", schedule })),
      taskWorkers: {
        digest: async (runtime, task, turn) => {
          await runtime.cache.increment("turns");
          done.push(`${task.id} at ${turn.at}`);
        },
      },
    };
    const first = await stages.open({ script: [], capabilities: [createTaskCapability], plugins: [plugin] });
    await first.clock.advance(hour / 2);
    await first.agent.stop(0);
    const { store } = first;
    const startAt = first.clock.now();
    const second = await stages.open({
      script: [],
      capabilities: [createTaskCapability],
      plugins: [plugin],
      store,
      startAt,
    });
    await second.clock.advance(hour / 2);
    expect(done).toEqual([`digest/daily at ${startAt + hour / 2}`]);
  });

  it("are planned once by an action that is repeated, and have ids of their own", async () => {
    const planned: Task[] = [];
    const runtimes: Runtime[] = [];
    const plugin: Plugin = {
      name: "plans",
      init: (_config, runtime) => void runtimes.push(runtime),
      actions: [
        {
          name: "PLAN",
          description: "Plans.",
          command: "plan",
          retry: { attempts: 2, initialMs: 1, multiplier: 1, maxMs: 1 },
          validate: () => true,
          handler: async (runtime) => {
            planned.push(await runtime.tasks.put({ name: "Later", kind: "later", schedule }));
            if (planned.length === 1) throw new Error("once more");
            return { success: true };
          },
        },
      ],
    };
    const stage = await stages.open({ script: [], capabilities: [createTaskCapability], plugins: [plugin] });
    await stage.client.hear("/plan", { command: { name: "plan", parameters: {} } });
    let isIdle = false;
    void stage.agent.idle().then(() => (isIdle = true));
    while (!isIdle) await stage.clock.advance(10);
    expect(planned).toHaveLength(2);
    expect(new Set(planned.map(({ id }) => id)).size).toBe(1);
    const [task] = await (runtimes[0]?.tasks.list({ limit: 9 }) ?? []);
    expect(task?.id).toMatch(/^plans\//u);
    expect(await runtimes[0]?.tasks.remove(task?.id ?? "")).toBe(true);
  });

  it("of a kind another plugin does make the later one unusable, by name", async () => {
    const errors: unknown[] = [];
    const quiet = (): void => undefined;
    const log = {
      error: (fields: object) => void errors.push(fields),
      warn: quiet,
      info: quiet,
      debug: quiet,
      child: () => log,
    };
    const plugin = (name: string): Plugin => ({ name, taskWorkers: { digest: quiet } });
    await stages.open({
      script: [],
      capabilities: [createTaskCapability],
      plugins: [plugin("one"), plugin("two")],
      log,
    });
    expect(errors).toMatchObject([{ plugin: "two", reason: expect.stringContaining("which one does already") }]);
  });

  it("cannot be planned where nothing plans, and that is said", async () => {
    const { runtime, close } = await createTestRuntime();
    await expect(runtime.tasks.put({ name: "x", kind: "x", schedule })).rejects.toThrow("createTaskCapability");
    await expect(runtime.choices.get("x")).rejects.toMatchObject({ code: "unavailable" });
    await close();
  });
});
