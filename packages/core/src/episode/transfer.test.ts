import { describe, expect, it } from "vitest";
import { z } from "zod";
import { context } from "../context/context.ts";
import { createContexts } from "../context/contexts.ts";
import { createEvents } from "../event/event.ts";
import { silentLog } from "../log.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { toMemory } from "./episode.ts";
import { exportLines } from "./export-lines.ts";
import { importLines } from "./import-lines.ts";

const clock = createSetClock(1_000);
const counter = context({
  type: "counter",
  schema: z.string(),
  state: z.number(),
  create: () => 0,
});

function contextsOf(agentId: string, store: Store) {
  return createContexts({
    agentId,
    store,
    events: createEvents(silentLog),
    clock,
    log: silentLog,
    newId: () => "id",
    accept: async (inbound) => {
      await store.inbox.accept(agentId, inbound, { at: 0 });
    },
  });
}

/** An agent with two contexts, and an episode in each of them and in a room. */
async function filled(agentId = "one") {
  const store = createMemoryStore({ clock });
  const contexts = contextsOf(agentId, store);
  const rooms: string[] = [];
  for (const key of ["a", "b"]) {
    const { contextId } = await contexts.send(counter.ref(key), { text: "hello", from: { id: "u", name: "Ada" } });
    rooms.push(contextId);
  }
  await store.admin.write(agentId, [
    {
      type: "world.put",
      world: { id: "guild", platform: "discord", account: "bot", platformId: "g" },
    },
    {
      type: "room.put",
      room: {
        id: "lobby",
        platform: "discord",
        account: "bot",
        platformId: "l",
        channelType: "group",
        worldId: "guild",
      },
    },
  ]);
  for (const roomId of [...rooms, "lobby"]) {
    const episode = {
      runId: `run in ${roomId}`,
      contextId: roomId,
      seqs: [1, 4],
      sourceIds: [],
      actions: [],
      outcome: "answered",
      startedAt: 0,
      endedAt: 5,
      isSummed: false,
    } as const;
    const memory = toMemory({ text: `what happened in ${roomId}`, episode }, { agentId, roomId, entityId: agentId });
    await store.admin.write(agentId, [{ type: "memory.put", memory }]);
  }
  return { store, contexts };
}

async function linesOf(agentId: string, store: Store, choice = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines({ agentId, store, clock }, choice)) lines.push(line);
  return lines;
}

describe("an export of contexts and episodes", () => {
  it("is lines of JSON that come back into an empty home as they were", async () => {
    const { store } = await filled();
    const lines = await linesOf("one", store);
    expect(lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n"))).toBe(true);
    const other = createMemoryStore({ clock });
    expect(await importLines(lines, { agentId: "one", store: other })).toEqual({
      contexts: 2,
      episodes: 3,
      known: 0,
      failed: 0,
      problems: [],
    });
    const parsed = (all: readonly string[]) => all.map((line): unknown => JSON.parse(line));
    expect(parsed(await linesOf("one", other))).toEqual(expect.arrayContaining(parsed(lines)));
  });

  it("comes into another agent under that agent's own ids", async () => {
    const { store } = await filled();
    const other = createMemoryStore({ clock });
    await importLines(await linesOf("one", store), { agentId: "two", store: other });
    const view = await contextsOf("two", other).get(counter.ref("a"));
    expect(view).toMatchObject({ type: "counter", key: "a", state: 0 });
    const episodes = await other.memories.list("two", { types: ["episode"], limit: 9 });
    const inContext = episodes.find(({ roomId }) => roomId === view?.contextId);
    expect(inContext).toMatchObject({ agentId: "two", entityId: "two", metadata: { contextId: view?.contextId } });
    expect(await other.rooms.room("two", view?.contextId ?? "")).toMatchObject({ room: { platform: "context" } });
  });

  it("changes nothing when it is imported again, and replaces states when it is told to", async () => {
    const { store } = await filled();
    const lines = await linesOf("one", store);
    const contexts = contextsOf("one", store);
    const write = async (isReplacing: boolean) => importLines(lines, { agentId: "one", store, isReplacing });
    await store.keyValues.set("one", "context", (await contexts.get(counter.ref("a")))?.contextId ?? "", {
      value: JSON.stringify({ type: "counter", key: "a", args: "a", state: 7 }),
    });
    expect(await write(false)).toMatchObject({ contexts: 0, episodes: 0, known: 5 });
    expect((await contexts.get(counter.ref("a")))?.state).toBe(7);
    expect(await write(true)).toMatchObject({ contexts: 2, known: 3 });
    expect((await contexts.get(counter.ref("a")))?.state).toBe(0);
  });

  it("may be of one type, or of states alone", async () => {
    const { store } = await filled();
    const types = async (choice: object) => (await linesOf("one", store, choice)).map((line) => JSON.parse(line).type);
    expect(await types({ withEpisodes: false })).toEqual(["troupe-contexts", "context", "context"]);
    expect((await types({ contextType: "counter" })).filter((type) => type === "episode")).toHaveLength(2);
    expect(await types({ contextType: "other" })).toEqual(["troupe-contexts"]);
  });

  it("names the lines that cannot be taken, and takes the others", async () => {
    const { store } = await filled();
    const [head = "", ...rest] = await linesOf("one", store);
    const lines = [head, "{", '{"type":"context"}', "", ...rest];
    const result = await importLines(lines, { agentId: "one", store: createMemoryStore() });
    expect(result).toMatchObject({ contexts: 2, episodes: 3, failed: 2 });
    expect(result.problems).toMatchObject([
      { line: 2, problem: "it is no JSON" },
      { line: 3, problem: expect.stringContaining("contextId") },
    ]);
  });

  it.each([
    [[], /nothing to import/],
    [["hello"], /no export of contexts: it is no JSON/],
    [['{"type":"entity","entity":{}}'], /no export of contexts/],
    [['{"type":"troupe-contexts","version":9,"agentId":"a","exportedAt":0}'], /another version/],
  ])("is refused when it is none: %#", async (lines, problem) => {
    await expect(importLines(lines, { agentId: "one", store: createMemoryStore() })).rejects.toThrow(problem);
  });
});
