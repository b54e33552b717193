import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEvents } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { silentLog } from "../log.ts";
import { createTaskBook } from "../task/task-book.ts";
import type { TaskWorker } from "../task/task-worker.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { context } from "./context.ts";
import type { ContextDefinition } from "./context-definition.ts";
import type { SendInput } from "./context-input.ts";
import { createContexts } from "./contexts.ts";
import { event, schedule, webhook } from "./input.ts";
import { inputTaskKind } from "./input-work.ts";

const agentId = "agent";

function bench(definitions: readonly ContextDefinition[], given = createMemoryStore()) {
  const clock = createSetClock(Date.UTC(2026, 0, 1));
  const events = createEvents(silentLog);
  const accepted: Inbound[] = [];
  const workers = new Map<string, TaskWorker>();
  const tasks = createTaskBook({ agentId, store: given, clock, wakeJobs: () => undefined });
  let ids = 0;
  const contexts = createContexts({
    agentId,
    store: given,
    events,
    clock,
    log: silentLog,
    newId: () => `id-${(ids += 1)}`,
    accept: async (inbound) => void accepted.push(inbound),
    planning: {
      tasks,
      addTaskWorker(kind, worker) {
        workers.set(kind, worker);
        return () => void workers.delete(kind);
      },
    },
  });
  contexts.bring("test", { contexts: definitions });
  return { clock, events, accepted, workers, tasks, contexts, store: given };
}

describe("a subscription", () => {
  it("sends until it is ended, to the context its arguments name", async () => {
    let send: SendInput | undefined;
    let isOver = false;
    const sensor = context({ type: "sensor", schema: z.string() }).input({
      name: "reading",
      schema: z.number(),
      format: (value) => `${value} degrees`,
      subscribe(given, signal) {
        send = given;
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            isOver = true;
            resolve();
          });
        });
      },
    });
    const { contexts, accepted } = bench([sensor]);
    await contexts.start();
    await send?.({ args: "kitchen", value: 21, from: { id: "t1", name: "thermometer" } });
    await expect(send?.({ args: "kitchen", value: "hot" })).rejects.toThrow(/input reading of context sensor/);
    expect(accepted).toMatchObject([
      {
        room: { platformId: "sensor/kitchen" },
        entity: { name: "thermometer" },
        memory: { content: { text: "21 degrees" } },
      },
    ]);
    await contexts.stop();
    expect(isOver).toBe(true);
  });

  it("is begun again with growing waits when it fails, and no more after the end", async () => {
    let begun = 0;
    const shaky = context({ type: "shaky" }).input({
      name: "x",
      subscribe() {
        begun += 1;
        throw new Error("no connection");
      },
    });
    const { contexts, clock } = bench([shaky]);
    await contexts.start();
    await clock.advance(1_000);
    expect(begun).toBe(2);
    await clock.advance(1_000);
    expect(begun).toBe(2);
    await clock.advance(1_000);
    expect(begun).toBe(3);
    await contexts.stop();
    await clock.advance(100_000);
    expect(begun).toBe(3);
  });
});

describe("an event as an input", () => {
  it("is sent when it happens, unless it is passed over", async () => {
    const diary = context({ type: "diary" }).input({
      name: "joined",
      source: event("ROOM_JOINED", ({ roomId }) =>
        roomId === "" ? null : { args: undefined, value: roomId, eventId: roomId },
      ),
    });
    const { contexts, events, accepted } = bench([diary]);
    await contexts.start();
    events.emit({ type: "ROOM_JOINED", roomId: "lobby" });
    events.emit({ type: "ROOM_JOINED", roomId: "" });
    events.emit({ type: "ROOM_LEFT", roomId: "lobby" });
    await expect.poll(() => accepted.length).toBe(1);
    await contexts.stop();
    events.emit({ type: "ROOM_JOINED", roomId: "hall" });
    expect(accepted).toMatchObject([{ eventId: expect.stringMatching(/^context\/.*\/joined\/lobby$/) }]);
  });
});

describe("a schedule as an input", () => {
  const daily = (expression: string) =>
    context({ type: "daily" }).input({
      name: "morning",
      source: schedule({ type: "cron", expression, timeZone: "UTC" }, { value: "Good morning" }),
    });

  it("is one task over restarts, planned anew when it changes and taken away when nobody asks for it", async () => {
    const { contexts, tasks, store } = bench([daily("0 9 * * *")]);
    await contexts.start();
    await contexts.stop();
    const [first, ...others] = await tasks.list({ kind: inputTaskKind, limit: 9 });
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: "daily: morning", nextAt: Date.UTC(2026, 0, 1, 9) });
    const changed = bench([daily("0 10 * * *")], store);
    await changed.contexts.start();
    const [second, ...more] = await tasks.list({ kind: inputTaskKind, limit: 9 });
    expect(more).toEqual([]);
    expect(second).toMatchObject({ id: first?.id, nextAt: Date.UTC(2026, 0, 1, 10) });
    await bench([], store).contexts.start();
    expect(await tasks.list({ kind: inputTaskKind, limit: 9 })).toEqual([]);
  });

  it("sends once a turn, however often the turn is tried", async () => {
    const { contexts, tasks, workers, accepted } = bench([daily("0 9 * * *")]);
    await contexts.start();
    const [task] = await tasks.list({ kind: inputTaskKind, limit: 1 });
    const turn = { id: "turn-1", at: 0, isLate: false, missed: 0, signal: new AbortController().signal };
    if (!task) throw new Error("no task");
    await workers.get(inputTaskKind)?.run(task, turn);
    await workers.get(inputTaskKind)?.run(task, turn);
    const [one, two] = accepted;
    expect(one?.memory.content.text).toBe("Good morning");
    expect(two?.eventId).toBe(one?.eventId);
    contexts.takeBack("test");
    await expect(workers.get(inputTaskKind)?.run(task, turn)).rejects.toThrow(/no context daily has an input morning/);
  });
});

describe("a webhook as an input", () => {
  const orders = context({ type: "Orders", schema: z.string() }).input({
    name: "placed",
    schema: z.object({ id: z.string() }),
    source: webhook({
      path: "placed",
      verify({ headers }) {
        if (headers.get("x-key") === "boom") throw new Error("boom");
        return headers.get("x-key") === "right";
      },
      read: ({ body, query }) =>
        query.has("ignore") ? null : { args: "shop", value: body, eventId: query.get("event") ?? "e1" },
    }),
  });

  async function post(key: string, body: string, query = "") {
    const made = bench([orders]);
    const [route] = made.contexts.routes();
    const answer = route?.run({
      method: "POST",
      path: route.path,
      parameters: {},
      query: new URLSearchParams(query),
      headers: new Headers({ "x-key": key }),
      signal: new AbortController().signal,
      text: async () => body,
      json: async () => null,
      bytes: async () => new Uint8Array(),
    });
    return { ...made, route, answer };
  }

  it("is answered 202 once its input is durable", async () => {
    const { route, answer, accepted } = await post("right", '{"id":"7"}');
    expect(route?.name).toBe("POST /contexts/orders/placed");
    expect(await answer).toMatchObject({ status: 202 });
    expect(accepted[0]?.memory.metadata).toMatchObject({ given: { input: "placed", value: { id: "7" } } });
  });

  it.each(["wrong", "boom"])("is refused when it cannot be verified: %s", async (key) => {
    const { answer, accepted } = await post(key, '{"id":"7"}');
    expect(await answer).toMatchObject({ status: 401 });
    expect(accepted).toEqual([]);
  });

  it("is told what does not fit, and nothing is taken", async () => {
    const { answer, accepted } = await post("right", "no json");
    await expect(answer).rejects.toMatchObject({ code: "invalid" });
    expect(accepted).toEqual([]);
  });

  it("may pass a request over", async () => {
    const { answer, accepted } = await post("right", "{}", "ignore=1");
    expect(await answer).toBeUndefined();
    expect(accepted).toEqual([]);
  });
});
