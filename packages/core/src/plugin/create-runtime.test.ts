import { describe, expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { createTestRuntime, type TestRuntimeOptions } from "../testing/test-runtime.ts";
import type { PluginWrite, Runtime } from "./runtime.ts";

const withRuntime = async (options: TestRuntimeOptions, work: (runtime: Runtime) => Promise<void>): Promise<void> => {
  const test = await createTestRuntime(options);
  await work(test.runtime);
  await test.close();
};

it("tells others what a plugin emits, with its name", async () => {
  const { runtime, events, close } = await createTestRuntime({ plugins: [] });
  runtime.emit("tide-turned", { height: 2 });
  expect(events.at(-1)).toEqual({
    type: "PLUGIN_EVENT",
    plugin: "the program",
    name: "tide-turned",
    data: { height: 2 },
  });
  await close();
});

describe("settings", () => {
  const options: TestRuntimeOptions = {
    character: {
      name: "Ada",
      bio: "An engineer.",
      secrets: { KEY: "secret", EMPTY: "" },
      settings: { KEY: "setting", RATE: 3, ON: true, LIST: [1], OFF: "False" },
    },
    environment: {
      KEY: "environment",
      EMPTY: "full",
      ID: "0123456789012345678",
      YES: "true",
      BLANK: " ",
      toString: "x",
    },
  };

  it("come from secrets, then settings, then the environment", () =>
    withRuntime(options, async ({ getSetting }) => {
      expect(["KEY", "EMPTY", "RATE", "LIST", "ID"].map(getSetting)).toEqual([
        "secret",
        "full",
        3,
        [1],
        "0123456789012345678",
      ]);
    }));

  it("are typed: switches are switches, an id in digits is no number, nothing is null", () =>
    withRuntime(options, async ({ getSetting }) => {
      expect(["ON", "OFF", "YES", "BLANK", "NOBODY", "hasOwnProperty", "__proto__"].map(getSetting)).toEqual([
        true,
        false,
        true,
        null,
        null,
        null,
        null,
      ]);
    }));

  it("that are required are named with where to set them", () =>
    withRuntime(options, async ({ requireSetting }) => {
      expect(requireSetting("RATE")).toBe("3");
      expect(() => requireSetting("SHOP_URL")).toThrow(
        "SHOP_URL is not set for Ada: set it in .env, or under settings or secrets in the character's file",
      );
      expect(() => requireSetting("LIST")).toThrow(/is no single value/);
    }));
});

describe("cache", () => {
  it("keeps JSON, for a time where asked, and counts", async () => {
    const { runtime, clock, close } = await createTestRuntime();
    const { cache } = runtime;
    expect(await cache.get("a")).toBeNull();
    expect(await cache.set("a", { deep: [1, null] }, { ttlMs: 1_000 })).toBe(true);
    expect(await cache.get("a")).toEqual({ deep: [1, null] });
    await clock.advance(1_000);
    expect(await cache.get("a")).toBeNull();
    expect([await cache.increment("n"), await cache.increment("n", 4), await cache.get("n")]).toEqual([1, 5, 5]);
    expect([await cache.del("n"), await cache.del("n")]).toEqual([true, false]);
    await close();
  });

  it("lets one of two win who change the same value", () =>
    withRuntime({}, async ({ cache }) => {
      expect(await cache.set("a", 1, { ifVersion: 0 })).toBe(true);
      const seen = await cache.getVersioned("a");
      expect(seen?.value).toBe(1);
      const ifVersion = seen?.version ?? 0;
      expect([await cache.set("a", 2, { ifVersion }), await cache.set("a", 3, { ifVersion })]).toEqual([true, false]);
      expect(await cache.get("a")).toBe(2);
    }));

  it("refuses what it cannot keep", () =>
    withRuntime({}, async ({ cache }) => {
      await expect(cache.set("a", undefined as never)).rejects.toThrow(/is no JSON/);
      await expect(cache.set("a", 1, { ttlMs: 0 })).rejects.toThrow(/no time to live/);
      await expect(cache.increment("a", 0.5)).rejects.toThrow(/whole number/);
      await expect(cache.get("")).rejects.toThrow(/1 to 500 characters/);
    }));
});

describe("memories", () => {
  it("written in a call are written once however often the call is done", async () => {
    const { act, hear, runtime, close } = await createTestRuntime({
      plugins: [
        {
          name: "notes",
          actions: [
            {
              name: "NOTE",
              description: "Notes it.",
              validate: () => true,
              async handler({ memories }, { roomId, entityId }) {
                const fact = { roomId, entityId, type: "fact", content: { text: "likes tea" } } as const;
                const made = [await memories.create(fact), await memories.create(fact)];
                return { success: true, data: made.map(({ id }) => id) };
              },
            },
          ],
        },
      ],
    });
    const message = await hear({ text: "I like tea" });
    const first = (await act("NOTE", {}, { message, runId: "r1" })).result.data;
    const again = (await act("NOTE", {}, { message, runId: "r1" })).result.data;
    const other = (await act("NOTE", {}, { message, runId: "r2" })).result.data;
    expect(new Set(first as string[]).size).toBe(2);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(await runtime.memories.search({ text: "likes tea", limit: 10 })).toHaveLength(4);
    await close();
  });

  it("written anywhere else are new each time", async () => {
    const { runtime, hear, close } = await createTestRuntime();
    const { roomId, entityId, id } = await hear({ text: "hello", from: "bo" });
    const fact = { roomId, entityId, type: "fact", content: { text: "x" } } as const;
    const made = [await runtime.memories.create(fact), await runtime.memories.create(fact)];
    expect(new Set(made.map((memory) => memory.id)).size).toBe(2);
    expect(await runtime.memories.recent({ roomId, limit: 5 })).toMatchObject([{ id }]);
    expect(await runtime.getEntity(entityId)).toMatchObject({ platformId: "bo" });
    expect(await runtime.getRoom(roomId)).toMatchObject({ room: { platform: "test" } });
    expect([await runtime.getEntity("nobody"), await runtime.getRoom("nowhere")]).toEqual([null, null]);
    await close();
  });

  it("are written all or none in a transaction, and sends are not", async () => {
    const { runtime, hear, close } = await createTestRuntime();
    const memory = { ...(await hear({ text: "hello" })), id: "m2" };
    const put: PluginWrite = { type: "memory.put", memory };
    const stance: PluginWrite = { type: "room.stance", roomId: "nowhere", stance: "muted" };
    await expect(runtime.transaction([put, stance])).rejects.toThrow(/no room/);
    expect(await runtime.memories.get(["m2"])).toEqual([]);
    await runtime.transaction([put]);
    expect(await runtime.memories.get(["m2"])).toHaveLength(1);
    await expect(runtime.transaction([{ type: "delivery.put" } as never])).rejects.toThrow(
      /may not write delivery.put/,
    );
    await close();
  });
});

describe("useModel", () => {
  it("gathers the whole answer and tells what it cost, and for which run", async () => {
    const { act, runtime, modelUses, close } = await createTestRuntime({
      model: [{ pieces: ["a", "b"], costMicrousd: 7 }, "c"],
      plugins: [
        {
          name: "asker",
          actions: [
            {
              name: "ASK",
              description: "Asks.",
              validate: () => true,
              handler: async (facade) => {
                return {
                  success: true,
                  data: await facade.useModel("TEXT_SMALL", { prompt: "?", system: "be brief" }),
                };
              },
            },
          ],
        },
      ],
    });
    expect((await act("ASK", {}, { runId: "r" })).result.data).toBe("ab");
    expect(await runtime.useModel("TEXT_LARGE", { prompt: "?" })).toBe("c");
    expect(modelUses).toMatchObject([{ model: "scripted:model", costMicrousd: 7, runId: "r", callId: "call-1" }, {}]);
    expect(modelUses[1]).not.toHaveProperty("runId");
    await close();
  });

  it("is called off with the question and with the call it was asked in", async () => {
    const aborted = AbortSignal.abort();
    const { act, runtime, close } = await createTestRuntime({
      model: [{ pieces: [new Promise(() => undefined)] }],
      plugins: [
        {
          name: "asker",
          actions: [
            {
              name: "ASK",
              description: "Asks.",
              validate: () => true,
              handler: async (facade) => void (await facade.useModel("TEXT_SMALL", { prompt: "?" })),
            },
          ],
        },
      ],
    });
    await expect(runtime.useModel("TEXT_SMALL", { prompt: "?", signal: aborted })).rejects.toThrow(ModelError);
    const stop = new AbortController();
    const asking = act("ASK", {}, { signal: stop.signal });
    setImmediate(() => stop.abort(new Error("enough")));
    await expect(asking).rejects.toThrow("enough");
    await close();
  });

  it("refuses a kind of model there is not, and a question without words", () =>
    withRuntime({ model: ["x"] }, async ({ useModel }) => {
      await expect(useModel("IMAGE", { prompt: "?" })).rejects.toThrow("There are TEXT_SMALL, TEXT_LARGE");
      await expect(useModel("TEXT_SMALL", { prompt: " " })).rejects.toThrow(/give useModel a prompt/);
    }));
});

describe("logger", () => {
  it("names the plugin on every line and changes its level where the log can", async () => {
    const lines: unknown[] = [];
    type Levelled = Log & { level: string };
    const levelled = (bindings: object): Levelled => {
      const log: Levelled = {
        ...silentLog,
        level: "info",
        info: (fields, text) => lines.push({ ...bindings, ...fields, text }),
        debug(fields, text) {
          if (log.level === "debug") lines.push({ ...bindings, ...fields, text });
        },
        child: (more) => levelled({ ...bindings, ...more }),
      };
      return log;
    };
    const told: boolean[] = [];
    const test = await createTestRuntime({
      log: levelled({}),
      plugins: [
        {
          name: "talker",
          init(_config, { logger }) {
            const child = logger.child({ part: "x" }).child({});
            logger.debug({}, "unheard");
            child.debug({}, "unheard");
            told.push(logger.setLevel("debug"));
            logger.debug({ a: 1 }, "heard");
            child.debug({}, "heard by a child made before");
          },
        },
      ],
    });
    expect(lines).toEqual([
      { plugin: "talker", a: 1, text: "heard" },
      { plugin: "talker", part: "x", text: "heard by a child made before" },
    ]);
    await test.close();
    await withRuntime({}, async ({ logger }) => {
      told.push(logger.setLevel("debug"));
    });
    expect(told).toEqual([true, false]);
  });
});

it("composes a state once within a call, and anew when asked", async () => {
  let asked = 0;
  const provider = { name: "COUNT", dynamic: true, get: () => ({ values: { asked: ++asked } }) };
  const { act, runtime, hear, close } = await createTestRuntime({
    plugins: [
      {
        name: "counting",
        providers: [provider],
        actions: [
          {
            name: "LOOK",
            description: "Looks.",
            validate: () => true,
            async handler(facade, message) {
              const counts: number[] = [];
              for (const skipCache of [false, false, true]) {
                const state = await facade.composeState(message, ["count"], true, skipCache);
                counts.push(Number(state.values["asked"]));
              }
              return { success: true, data: counts };
            },
          },
        ],
      },
    ],
  });
  expect((await act("LOOK")).result.data).toEqual([1, 1, 2]);
  expect((await runtime.composeState(await hear({ text: "x" }))).values).toEqual({});
  expect(asked).toBe(2);
  await close();
});
