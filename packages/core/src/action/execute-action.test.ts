import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ValidationError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory/memory.ts";
import { createMemoryStore, createSetClock } from "../testing/index.ts";
import type { ActionCall, ActionResult } from "./action.ts";
import type { ExecutableCall, Executed, ExecuteParts, RunnableAction, Within } from "./executable-call.ts";
import { executeAction } from "./execute-action.ts";
import { createLocks } from "./locks.ts";
import { createRateLimits } from "./rate-limits.ts";

const message: Memory = {
  id: "m",
  agentId: "ada",
  roomId: "lobby",
  entityId: "bob",
  type: "message",
  content: { text: "hi" },
  createdAt: 0,
};

const action = (change: Partial<RunnableAction> = {}): RunnableAction => ({
  name: "WEATHER",
  description: "",
  similes: [],
  run: async () => ({ success: true }),
  ...change,
});

function bench() {
  const clock = createSetClock();
  const outer = new AbortController();
  const said: string[] = [];
  const locks = createLocks();
  const { keyValues } = createMemoryStore({ clock });
  const started: number[] = [];
  const parts: ExecuteParts = {
    clock,
    random: () => 1,
    locks,
    rateLimits: createRateLimits({ keyValues, clock, agentId: "ada" }),
    onStarted: async () => void started.push(clock.now()),
  };
  const call: ExecutableCall = {
    callId: "1",
    runId: "r",
    parameters: {},
    message,
    room: {
      room: { id: "lobby", platform: "terminal", account: "", platformId: "1", channelType: "group" },
      stance: "default",
      world: null,
    },
    social: [],
    state: { values: {}, data: {}, texts: [], missing: [] },
    responses: [],
    keywords: [],
    previousResults: [],
    say: async ({ text }) => {
      said.push(text);
      return [];
    },
    deliver: async (kind) => {
      said.push(kind);
      return { success: true };
    },
    stream: (chunk) => void said.push(chunk),
    act: async () => [],
    handle: async () => ({ runId: "child", outcome: "answered", responses: [] }),
    signal: outer.signal,
  };
  const run = (
    change: Partial<RunnableAction>,
    about: Partial<ExecutableCall> = {},
    within?: Within,
  ): Promise<Executed> => executeAction(action(change), { ...call, ...about }, { ...parts, ...(within && { within }) });
  return { clock, outer, said, locks, started, parts, call, run };
}

const city = { name: "city", description: "where", required: true, schema: { type: "string" } } as const;
const days = { name: "days", description: "how many", schema: { type: "integer", maximum: 14, default: 3 } } as const;
const unending = (): Promise<never> => new Promise(() => undefined);

describe("executeAction", () => {
  it("hands the handler what was read of its parameters", async () => {
    const { run, started } = bench();
    let given: JsonObject = {};
    const executed = await run(
      {
        parameters: [city, days],
        run: async ({ parameters }) => {
          given = parameters;
          return { success: true, text: "sunny" };
        },
      },
      { parameters: { city: 94102, mood: "good" } },
    );
    expect(given).toEqual({ city: "94102", days: 3 });
    expect(executed).toEqual({
      result: { success: true, text: "sunny" },
      attempts: 1,
      notes: ["mood: is no parameter"],
    });
    expect(started).toHaveLength(1);
  });

  it("tells the model what to correct in each parameter, and does not begin", async () => {
    const { run, started } = bench();
    const executed = await run({ parameters: [city, days] }, { parameters: { days: "20" } });
    expect(executed).toEqual({
      result: {
        success: false,
        error:
          "WEATHER was not run: its parameters must be corrected. city: is required: where; days: must be at most 14.",
      },
      attempts: 0,
      refused: "parameters",
      problems: [
        { path: "city", message: "is required: where" },
        { path: "days", message: "must be at most 14" },
      ],
    });
    expect(started).toEqual([]);
  });

  it("asks for its dependencies, by any way of writing their names", async () => {
    const { run, started } = bench();
    const policy = { dependencies: ["LOG_IN", "CHOOSE"] };
    const done = (name: string, success = true) => ({ action: name, result: { success } as ActionResult });
    const refused = await run({ policy }, { previousResults: [done("log in"), done("CHOOSE", false)] });
    expect(refused).toMatchObject({
      refused: "dependency",
      attempts: 0,
      result: { error: /CHOOSE must have succeeded/ },
    });
    expect(started).toEqual([]);
    expect(await run({ policy }, { previousResults: [done("LOGIN"), done("choose")] })).toMatchObject({ attempts: 1 });
  });

  it.each<[string, RunnableAction["validate"], RegExp]>([
    ["says no with a reason", async () => ({ pass: false, reason: "it is night." }), /was not run: it is night\./],
    ["says no", async () => ({ pass: false }), /does not make sense now/],
    ["throws", () => Promise.reject(new Error("no key")), /could not be found out: no key/],
    [
      "throws before its first promise",
      () => {
        throw new Error("early");
      },
      /could not be found out: early/,
    ],
    ["says nothing", (async () => undefined) as unknown as RunnableAction["validate"], /does not make sense now/],
  ])("refuses when validate %s", async (_, validate, reason) => {
    const { run, started } = bench();
    const executed = await run(validate ? { validate } : {});
    expect(executed).toMatchObject({ refused: "validate", attempts: 0, result: { success: false, error: reason } });
    expect(started).toEqual([]);
  });

  it("refuses when validate does not answer in time", async () => {
    const { run, clock } = bench();
    const executed = run({ validate: unending });
    await clock.advance(5_000);
    expect(await executed).toMatchObject({
      refused: "validate",
      result: { error: /took longer than its limit of 5000 ms/ },
    });
  });

  it("counts only calls that may run, and says when the next one may", async () => {
    const { run, clock } = bench();
    const policy = { rateLimit: { limit: 1, windowMs: 60_000, per: "entity" } } as const;
    expect(await run({ policy, parameters: [city] })).toMatchObject({ refused: "parameters" });
    expect(await run({ policy })).toMatchObject({ attempts: 1 });
    await clock.advance(500);
    expect((await run({ policy })).result.error).toBe(
      "WEATHER was not run: it may run 1 times in 60 s for one person; the next time in 60 s.",
    );
    expect(await run({ policy }, { message: { ...message, entityId: "eve" } })).toMatchObject({ attempts: 1 });
  });

  it("does not run what it cannot count", async () => {
    const { parts, call, started } = bench();
    const rateLimits = { take: () => Promise.reject(new Error("disk full")) };
    const policy = { rateLimit: { limit: 1, windowMs: 1, per: "agent" } } as const;
    const executed = await executeAction(action({ policy }), call, { ...parts, rateLimits });
    expect(executed).toMatchObject({ refused: "rate-limit", result: { error: /could not be counted: disk full/ } });
    expect(started).toEqual([]);
  });

  it("calls a slow handler off, which then can neither say, stream, deliver nor act", async () => {
    const { run, clock, said } = bench();
    const late = Promise.withResolvers<void>();
    const refused: unknown[] = [];
    const handler = async (call: ActionCall): Promise<ActionResult> => {
      await call.say({ text: "wait" });
      await late.promise;
      call.stream("late");
      for (const attempt of [call.say({ text: "late" }), call.act([{ name: "X" }]), call.deliver("like")]) {
        await attempt.catch((error: unknown) => refused.push(error));
      }
      throw new Error("much too late");
    };
    const executed = run({ policy: { timeoutMs: 200 }, run: handler });
    await clock.advance(200);
    expect(await executed).toEqual({
      result: { success: false, error: "Action WEATHER took longer than its limit of 200 ms and was called off." },
      hasThrown: true,
      attempts: 1,
    });
    late.resolve();
    await clock.advance(0);
    expect(said).toEqual(["wait"]);
    expect(refused).toMatchObject([{ code: "aborted" }, { code: "aborted" }, { code: "aborted" }]);
  });

  it("gives a handler that says nothing of its time a minute", async () => {
    const { run, clock } = bench();
    const executed = run({ run: unending });
    await clock.advance(60_000);
    expect((await executed).result.error).toMatch(/limit of 60000 ms/);
  });

  const retry = { attempts: 3, initialMs: 100, multiplier: 2, maxMs: 1_000 };
  it("tries what is thrown again, once begun, and takes what is returned", async () => {
    const { run, clock, started } = bench();
    let count = 0;
    const flaky = run({
      policy: { retry },
      run: async () => {
        count += 1;
        if (count < 3) throw new Error("busy");
        return { success: false, error: "closed" };
      },
    });
    await clock.advance(300);
    expect(await flaky).toEqual({ result: { success: false, error: "closed" }, attempts: 3 });
    expect(started).toHaveLength(1);
    expect(await run({ policy: { retry }, run: () => Promise.reject(new ValidationError("wrong")) })).toEqual({
      hasThrown: true,
      result: { success: false, error: "wrong" },
      attempts: 1,
    });
  });

  it.each([
    [{ idempotent: true }, 3],
    [{}, 1],
    [{ idempotent: true, exclusive: "room" as const }, 1],
  ])("with %j begins %i times when each time the handler's time is over and it goes on", async (policy, attempts) => {
    const { run, clock } = bench();
    const executed = run({ policy: { retry, timeoutMs: 50, ...policy }, run: unending });
    await clock.advance(1_000);
    expect(await executed).toMatchObject({ attempts, result: { success: false } });
  });

  it("runs an exclusive action once at a time in its scope, others beside it", async () => {
    const { run, clock, started } = bench();
    let inside = 0;
    const handler = async (): Promise<ActionResult> => {
      inside += 1;
      expect(inside).toBeLessThanOrEqual(2);
      await clock.sleep(100);
      inside -= 1;
      return { success: true };
    };
    const exclusive = { policy: { exclusive: "room" }, run: handler } as const;
    const all = [run(exclusive), run(exclusive), run(exclusive, { message: { ...message, roomId: "hall" } })];
    await clock.advance(99);
    expect(started).toHaveLength(2);
    await clock.advance(200);
    expect((await Promise.all(all)).every(({ result }) => result.success)).toBe(true);
  });

  it("keeps the lock of a handler that does not stop, and refuses the next instead of keeping it waiting", async () => {
    const { run, clock, locks } = bench();
    const late = Promise.withResolvers<ActionResult>();
    const slow = run({ policy: { exclusive: "agent", timeoutMs: 100 }, run: () => late.promise });
    const next = run({ policy: { exclusive: "agent" } });
    await clock.advance(100);
    expect(await slow).toMatchObject({ attempts: 1, result: { success: false } });
    expect(await next).toMatchObject({ refused: "lock", attempts: 0, result: { error: /has not stopped/ } });
    late.resolve({ success: true });
    await clock.advance(0);
    expect(await run({ policy: { exclusive: "agent" } })).toMatchObject({ attempts: 1 });
    expect(locks.size()).toBe(0);
  });

  it("tells what runs within it which actions and locks it is within", async () => {
    const { run } = bench();
    const seen: Within[] = [];
    const nesting = {
      policy: { exclusive: "room" },
      run: async (call: ActionCall) => ({ success: (await call.act([{ name: "X" }])).length === 0 }),
    } as const;
    await run(
      nesting,
      {
        act: async (_, within) => {
          seen.push(within);
          return [];
        },
      },
      { actions: ["PLAN"], held: new Set(["k"]) },
    );
    expect(seen).toEqual([{ actions: ["PLAN", "WEATHER"], held: new Set(["k", "WEATHER room:lobby"]) }]);
  });

  it("refuses circles and too deep a nesting, and names the chain", async () => {
    const { run } = bench();
    const within = (...actions: string[]): Within => ({ actions, held: new Set() });
    expect(await run({}, {}, within("weather", "PLAN"))).toMatchObject({
      refused: "circle",
      result: { error: /\(weather → PLAN → WEATHER\)/ },
    });
    expect(await run({}, {}, within("A", "B", "C", "D"))).toMatchObject({ attempts: 1 });
    expect(await run({}, {}, within("A", "B", "C", "D", "E"))).toMatchObject({
      refused: "depth",
      result: { error: /at most 5 actions/ },
    });
  });

  it("refuses instead of waiting for ever for a lock that is held around it", async () => {
    const { run } = bench();
    const executed = await run(
      { policy: { exclusive: "room" } },
      {},
      { actions: ["PLAN"], held: new Set(["WEATHER room:lobby"]) },
    );
    expect(executed).toMatchObject({ refused: "lock", result: { error: /would never be free/ } });
  });

  it("stops with the reason of the run's signal, wherever it is", async () => {
    const stages: Partial<RunnableAction>[] = [
      { validate: unending },
      { run: unending },
      { policy: { retry: { ...retry, initialMs: 1_000 } }, run: () => Promise.reject(new Error("again")) },
      { policy: { exclusive: "room" }, run: unending },
    ];
    for (const stage of stages) {
      const { run, clock, outer } = bench();
      const stopped = expect(run(stage)).rejects.toBe("stop");
      await clock.advance(10);
      outer.abort("stop");
      await stopped;
      await expect(run(stage)).rejects.toBe("stop");
      expect(clock.sleepers()).toBe(0);
    }
  });

  it("does not run the handler when what must be known first cannot be committed, and leaves no lock", async () => {
    const { call, parts, locks } = bench();
    let hasRun = false;
    const eager = action({
      policy: { exclusive: "room" },
      run: async () => {
        hasRun = true;
        return { success: true };
      },
    });
    const onStarted = (): Promise<void> => Promise.reject(new Error("fenced"));
    await expect(executeAction(eager, call, { ...parts, onStarted })).rejects.toThrow("fenced");
    expect([hasRun, locks.size()]).toEqual([false, 0]);
  });

  it("gives a result whatever the handler returns or throws", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.boolean(), fc.anything(), async (value, throws, parameters) => {
        const { run } = bench();
        const handler = async (): Promise<ActionResult> => {
          if (throws) throw value;
          return value as ActionResult;
        };
        const { result, attempts } = await run({ run: handler }, { parameters: parameters as JsonObject });
        expect([typeof result.success, attempts]).toEqual(["boolean", 1]);
        expect(result.success || typeof result.error === "string").toBe(true);
      }),
    );
  });
});
