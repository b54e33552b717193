import { afterEach, describe, expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import type { AgentEvent } from "../event/event.ts";
import type { Log } from "../log.ts";
import { silentLog } from "../log.ts";
import type { Action } from "../plugin/action-shape.ts";
import type { Evaluator, Plugin } from "../plugin/plugin.ts";
import { createStages } from "../testing/stage.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import { explainRun } from "./explain.ts";
import { renderRun } from "./explain-render.ts";

const stages = createStages();
afterEach(() => stages.close());

const action = (name: string, handler: Action["handler"]): Action => ({
  name,
  description: "",
  validate: () => true,
  handler,
});
const asking = action("ASK", async (runtime) => {
  await runtime.useModel("TEXT_SMALL", { prompt: "How many?" });
});
const evaluator = (name: string, handler: Evaluator["handler"]): Evaluator => ({
  name,
  description: "",
  validate: () => true,
  handler,
});
const answer = (...actions: readonly string[]): string => JSON.stringify({ actions, text: "Well." });
const typesOf = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);

describe("events", () => {
  it("are told in the order in which they became true, evaluators last", async () => {
    const plugin: Plugin = {
      name: "p",
      actions: [action("GO", () => true)],
      evaluators: [evaluator("LOOK", () => undefined)],
    };
    const { say, events } = await stages.open({ script: [answer("GO")], plugins: [plugin] });
    await say("hello");
    expect(typesOf(events)).toEqual([
      "ROOM_JOINED",
      "MESSAGE_RECEIVED",
      "RUN_STARTED",
      "RUN_DECIDED",
      "MODEL_USED",
      "MESSAGE_SENT",
      "ACTION_STARTED",
      "ACTION_COMPLETED",
      "RUN_ENDED",
      "EVALUATOR_STARTED",
      "EVALUATOR_COMPLETED",
    ]);
  });

  it("say once that the agent came into a room", async () => {
    const { agent, client, events } = await stages.open({ script: ["hi", "ho", "hu"] });
    for (const room of ["lobby", "lobby", "den"]) await client.hear("hello", { room });
    await agent.idle();
    const rooms = events.flatMap((event) => (event.type === "ROOM_JOINED" ? [event.roomId] : []));
    const heard = events.flatMap((event) => (event.type === "MESSAGE_RECEIVED" ? [event.roomId] : []));
    expect(rooms).toEqual([heard[0], heard[2]]);
  });

  it("pair an evaluator's start with its end also when it throws, at each attempt", async () => {
    let attempts = 0;
    const failing = evaluator("LOOK", () => {
      attempts += 1;
      if (attempts === 1) throw new Error("not now");
    });
    const stage = await stages.open({ script: ["hi"], plugins: [{ name: "p", evaluators: [failing] }] });
    await stage.say("hello");
    await stage.clock.advance(60_000);
    await stage.agent.idle();
    const told = stage.events.filter(({ type }) => type.startsWith("EVALUATOR_"));
    expect(told).toMatchObject([
      { type: "EVALUATOR_STARTED", evaluator: "LOOK" },
      { type: "EVALUATOR_COMPLETED", evaluator: "LOOK", success: false, error: "not now" },
      { type: "EVALUATOR_STARTED", evaluator: "LOOK" },
      { type: "EVALUATOR_COMPLETED", evaluator: "LOOK", success: true },
    ]);
  });

  it("reach a plugin's listeners with its runtime; one that throws or rejects harms nobody", async () => {
    const heard: unknown[] = [];
    const plugin: Plugin = {
      name: "p",
      events: {
        RUN_STARTED: [
          () => {
            throw new Error("thrown");
          },
          async () => {
            throw new Error("rejected");
          },
          ({ memoryIds }, { agentId }) => heard.push([memoryIds.length, agentId]),
        ],
      },
    };
    const { say, texts, agent } = await stages.open({ script: ["hi"], plugins: [plugin] });
    await say("hello");
    expect(texts()).toEqual(["hi"]);
    expect(heard).toEqual([[1, agent.agentId]]);
  });
});

describe("what a plugin asks a model", () => {
  it("counts to its run: in the journal, in its sums, in the events", async () => {
    const stage = await stages.open({
      script: [answer("ASK")],
      small: [{ pieces: ["7"], costMicrousd: 40 }],
      plugins: [{ name: "counter", actions: [asking] }],
    });
    await stage.say("hello");
    const { agentId } = stage.agent;
    const [run] = await stage.store.journal.runs(agentId, { limit: 1 });
    if (!run) throw new Error("there is a run");
    const entries = await stage.store.journal.entries(agentId, run.id);
    const use = { type: "model_used", plugin: "counter", callId: "1.0", model: "scripted:small", costMicrousd: 40 };
    expect(entries.map(({ body }) => body)).toContainEqual(expect.objectContaining(use));
    expect(stage.events).toContainEqual(
      expect.objectContaining({ type: "MODEL_USED", plugin: "counter", runId: run.id, roomId: run.contextId }),
    );
    expect(run.costMicrousd).toBeGreaterThanOrEqual(40);
    const account = explainRun({ run, entries, parts: new Map(), memories: [], deliveries: [], agentName: "Ada" });
    expect(account.models).toContain("scripted:small");
    expect(account.costMicrousd).toBe(run.costMicrousd);
    expect(renderRun(account, { formatTime: String })).toContain("scripted:small, asked by counter: ");
  });

  it("outside any run is told and logged at info, and belongs to no run", async () => {
    const lines: unknown[] = [];
    const log: Log = { ...silentLog, info: (fields, text) => lines.push([text, fields]), child: () => log };
    const plugin: Plugin = {
      name: "counter",
      init: async (_config, runtime) => void (await runtime.useModel("TEXT_SMALL", { prompt: "How many?" })),
    };
    const { events } = await stages.open({ script: [], small: ["7"], plugins: [plugin], log });
    expect(events).toEqual([expect.objectContaining({ type: "MODEL_USED", plugin: "counter" })]);
    const [[text, fields] = []] = lines as [string, object][];
    expect(text).toBe("a plugin asked a model outside any run");
    expect(fields).toMatchObject({ plugin: "counter", model: "scripted:small" });
    expect(fields).not.toHaveProperty("runId");
  });

  it("costs nothing when it failed", async () => {
    const { runtime, events, close } = await createTestRuntime({ model: [] });
    await expect(runtime.useModel("TEXT_SMALL", { prompt: "?" })).rejects.toThrow(ModelError);
    expect(events).toEqual([]);
    await close();
  });
});

describe("composeState", () => {
  it("composes once for all actions of a run, anew when asked, and anew in the next run", async () => {
    let asked = 0;
    const counts: number[] = [];
    const look = (name: string, skipCache: boolean): Action =>
      action(name, async (runtime, message) => {
        const { values } = await runtime.composeState(message, ["COUNT"], true, skipCache);
        counts.push(Number(values["asked"]));
      });
    const plugin: Plugin = {
      name: "p",
      providers: [{ name: "COUNT", dynamic: true, get: () => ({ values: { asked: ++asked } }) }],
      actions: [look("FIRST", false), look("SECOND", false), look("ANEW", true), look("LAST", false)],
    };
    const all = answer("FIRST", "SECOND", "ANEW", "LAST");
    const { say } = await stages.open({ script: [all, all], plugins: [plugin] });
    await say("hello");
    await say("again");
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it("that failed is composed again", async () => {
    let asked = 0;
    const stop = new AbortController();
    const late = { name: "LATE", dynamic: true, get: () => (++asked === 1 ? new Promise<never>(() => undefined) : {}) };
    const plugin: Plugin = {
      name: "p",
      providers: [late],
      actions: [
        action("LOOK", async (runtime, message) => {
          const first = await runtime.composeState(message, ["LATE"], true);
          const second = await runtime.composeState(message, ["LATE"], true, true);
          return { success: true, data: [first.missing.length, second.missing.length] };
        }),
      ],
    };
    const { act, clock, close } = await createTestRuntime({ plugins: [plugin] });
    const acting = act("LOOK", {}, { signal: stop.signal });
    await clock.advance(5_000);
    expect((await acting).result.data).toEqual([1, 0]);
    await close();
  });
});
