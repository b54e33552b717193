import { expect, it } from "vitest";
import type { Delivery } from "../outbox/delivery.ts";
import type { Room } from "../room/room.ts";
import type { Relationship } from "../store/relationships.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { Write } from "../store/writes.ts";
import { createInbound } from "./create-inbound.ts";
import type { JobTest } from "./store-contract-jobs.ts";

type InStore = (test: JobTest) => Promise<void>;

const platform = "test";
const account = "bot";

/** What every store must keep about who stands how to whom, what is planned, and rooms that move; a part of `storeContract`. */
export function describePlanned({ shared: inStore }: { readonly shared: InStore }): void {
  describeRelationships(inStore);
  describeTasks(inStore);
  describeMoves(inStore);
}

function describeRelationships(inStore: InStore): void {
  const between = (fromId: string, toId: string, more: Partial<Relationship> = {}): Write => ({
    type: "relationship.put",
    relationship: { fromId, toId, tags: ["friend"], updatedAt: 5, ...more },
  });

  it("keeps how entities stand to each other, either way, by tag", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await store.admin.write(agentId, [
        between("e1", "e2", { tags: ["old"] }),
        between("e1", "e2", { tags: ["friend", "Colleague", "friend"], data: { since: "May\ud83d" }, updatedAt: 7 }),
        between("e2", "e1", { tags: [] }),
        between("e3", "e2", { updatedAt: 9 }),
      ]);
      const first = {
        fromId: "e1",
        toId: "e2",
        tags: ["colleague", "friend"],
        data: { since: "May\ufffd" },
        updatedAt: 7,
      };
      const back = { fromId: "e2", toId: "e1", tags: [], updatedAt: 5 };
      expect(await store.relationships.of(agentId, "e1")).toEqual([first, back]);
      expect(await store.relationships.of(agentId, "e1", { tag: "Friend" })).toEqual([first]);
      expect(await store.relationships.of(agentId, "e2", { tag: "rien" })).toEqual([]);
      expect(await store.relationships.of(agentId, "e2")).toHaveLength(3);
      expect(await store.relationships.of(otherAgentId, "e1")).toEqual([]);
      await store.admin.write(agentId, [{ type: "relationship.remove", fromId: "e1", toId: "e2" }]);
      expect(await store.relationships.of(agentId, "e1")).toEqual([back]);
    }));
}

function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    name: `task ${id}`,
    kind: "remind",
    payload: { say: "water the plants" },
    schedule: { type: "cron", expression: "0 9 * * 1", timeZone: "Europe/Rome" },
    catchUp: "once",
    state: "active",
    failures: 0,
    createdAt: 1,
    ...more,
  };
}

function describeTasks(inStore: InStore): void {
  it("keeps the last task of an id with all it has", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      const full = task("t1", { nextAt: 50, lastAt: 40, failures: 2, lastError: "no", roomId: "r1", entityId: "e1" });
      await store.admin.write(agentId, [
        { type: "task.put", task: task("t1", { state: "paused" }) },
        { type: "task.put", task: full },
      ]);
      expect(await store.tasks.get(agentId, "t1")).toEqual(full);
      expect(await store.tasks.get(agentId, "unknown")).toBeNull();
      expect(await store.tasks.get(otherAgentId, "t1")).toBeNull();
      await store.admin.write(agentId, [{ type: "task.remove", id: "t1" }]);
      expect(await store.tasks.get(agentId, "t1")).toBeNull();
      const wrong: Write = { type: "task.put", task: task("t2", { nextAt: Number.NaN }) };
      await expect(store.admin.write(agentId, [wrong])).rejects.toMatchObject({ code: "invalid" });
    }));

  it("lists tasks by their next turn, those without one last", () =>
    inStore(async ({ store, agentId }) => {
      const tasks = [
        task("t1", { nextAt: 30, roomId: "r1" }),
        task("t2", { state: "done", createdAt: 9 }),
        task("t3", { nextAt: 10, entityId: "e1", kind: "post" }),
        task("t4", { state: "paused", nextAt: 20, roomId: "r1", entityId: "e1" }),
      ];
      await store.admin.write(
        agentId,
        tasks.map((one): Write => ({ type: "task.put", task: one })),
      );
      const list = async (query: Partial<Parameters<Store["tasks"]["list"]>[1]>) =>
        (await store.tasks.list(agentId, { limit: 9, ...query })).map(({ id }) => id);
      expect(await list({})).toEqual(["t3", "t4", "t1", "t2"]);
      expect(await list({ limit: 2 })).toEqual(["t3", "t4"]);
      expect(await list({ states: ["active"] })).toEqual(["t3", "t1"]);
      expect(await list({ states: ["paused", "done"] })).toEqual(["t4", "t2"]);
      expect(await list({ kind: "post" })).toEqual(["t3"]);
      expect(await list({ roomId: "r1" })).toEqual(["t4", "t1"]);
      expect(await list({ roomId: "r1", entityId: "e1" })).toEqual(["t4"]);
    }));
}

const oldId = createInbound({ agentId: "", platform, account }, { text: "", eventId: "", room: "old" }).room.id;
const supergroup: Room = { id: "new", platform, account, platformId: "-100", channelType: "group", name: "Bigger" };
const move: Write = { type: "room.move", fromRoomId: oldId, room: supergroup };

function delivery(agentId: string, key: string): Delivery {
  const content = { text: "hi", source: platform };
  const aim = { platform, account, target: "old", kind: "message", nonce: key } as const;
  return { key, agentId, runId: "run-1", roomId: oldId, content, ...aim };
}

/** The whole of what an agent has that names a room, to see whether anything changes. */
async function picture(store: Store, agentId: string): Promise<unknown> {
  return {
    rooms: await store.rooms.rooms(agentId, { limit: 9 }),
    memories: await store.memories.list(agentId, { types: ["message", "fact"], limit: 99 }),
    tasks: await store.tasks.list(agentId, { limit: 99 }),
    deliveries: await store.outbox.list(agentId, { limit: 99 }),
    inbox: await store.inbox.counts(agentId),
  };
}

function describeMoves(inStore: InStore): void {
  const hear = (agentId: string, eventId: string) =>
    createInbound({ agentId, platform, account }, { text: `heard ${eventId}`, eventId, room: "old" });

  it("lets everything that lay in a room lie in the one it has become", () =>
    inStore(async ({ store, agentId }) => {
      await store.inbox.accept(agentId, hear(agentId, "1"), { at: 0 });
      const fact = { agentId, roomId: oldId, entityId: "e1", type: "fact", createdAt: 0 } as const;
      await store.admin.write(agentId, [
        { type: "room.stance", roomId: oldId, stance: "followed" },
        { type: "memory.put", memory: { id: "f1", content: { text: "likes tea" }, ...fact } },
        { type: "task.put", task: task("t1", { roomId: oldId }) },
        { type: "delivery.put", delivery: delivery(agentId, "d1"), state: "pending", isOpen: false },
        { type: "delivery.put", delivery: delivery(agentId, "d2"), state: "sent", isOpen: false },
        move,
      ]);
      const moved = { room: supergroup, stance: "followed", world: null };
      expect(await store.rooms.rooms(agentId, { limit: 9 })).toEqual([moved]);
      for (const roomId of [oldId, "new"]) {
        expect(await store.rooms.room(agentId, roomId)).toEqual(moved);
        expect(await store.memories.recent(agentId, { roomId, limit: 9 })).toMatchObject([{ roomId: "new" }]);
        expect((await store.memories.lastHeard(agentId, roomId))?.content.text).toBe("heard 1");
        const scope = { roomIds: [roomId] };
        expect(await store.memories.list(agentId, { types: ["fact"], limit: 9, scope })).toHaveLength(1);
        expect(await store.memories.search(agentId, { text: "tea", limit: 9, scope })).toHaveLength(1);
        expect(await store.rooms.participants(agentId, { roomId, limit: 9 })).toHaveLength(1);
        expect(await store.tasks.list(agentId, { limit: 9, roomId })).toMatchObject([{ roomId: "new" }]);
      }
      const aims = (await store.outbox.list(agentId, { limit: 9 })).map((row) => row.delivery);
      expect(aims).toMatchObject([
        { roomId: "new", target: "-100" },
        { roomId: "new", target: "old" },
      ]);
    }));

  it("takes what waits in an idle room along, in its order, behind what waits there", () =>
    inStore(async ({ store, agentId }) => {
      const there = createInbound({ agentId, platform, account }, { text: "there", eventId: "0", room: "x" });
      const room = { ...supergroup, id: there.room.id };
      await store.inbox.accept(agentId, there, { at: 3 });
      await store.inbox.accept(agentId, hear(agentId, "1"), { at: 1 });
      await store.inbox.accept(agentId, hear(agentId, "2"), { at: 2 });
      await store.admin.write(agentId, [{ type: "room.move", fromRoomId: oldId, room }]);
      const late = await store.inbox.accept(agentId, hear(agentId, "3"), { at: 4 });
      expect(late).toEqual({ type: "accepted", seq: 4 });
      const leases = await store.inbox.claim(agentId, "process-1", 9);
      expect(leases.map(({ fence }) => fence.contextId)).toEqual([room.id]);
      expect(leases[0]?.inputs.map(({ eventId, seq }) => [eventId, seq])).toEqual([
        ["0", 1],
        ["1", 2],
        ["2", 3],
        ["3", 4],
      ]);
      expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true });
    }));

  it("leaves a room that is held to whoever holds it, until it is done", () =>
    inStore(async ({ store, agentId }) => {
      const accepted = await store.inbox.accept(agentId, hear(agentId, "1"), { at: 0, owner: "process-1" });
      if (accepted.type !== "accepted" || !accepted.lease) throw new Error("the room is free");
      const { fence } = accepted.lease;
      await store.admin.write(agentId, [move]);
      expect(await store.inbox.waiting(fence)).toHaveLength(1);
      const memory = { id: "own", agentId, roomId: oldId, entityId: "e", type: "message", createdAt: 0 } as const;
      const done = { runId: "run-1", seqs: [1], outcome: "answered" } as const;
      const writes: Write[] = [
        { type: "memory.put", memory: { ...memory, content: { text: "answer" } } },
        { type: "delivery.put", delivery: delivery(agentId, "d1"), state: "pending", isOpen: false },
      ];
      expect(await store.journal.append(fence, { entries: [], writes, done })).toBeNull();
      expect(await store.memories.get(agentId, ["own"])).toMatchObject([{ roomId: "new" }]);
      expect((await store.outbox.get(agentId, "d1"))?.delivery.roomId).toBe("new");
      const next = await store.inbox.accept(agentId, hear(agentId, "2"), { at: 0, owner: "process-1" });
      expect(next).toMatchObject({ lease: { fence: { contextId: "new" } } });
    }));

  it("changes nothing a second time", () =>
    inStore(async ({ store, agentId }) => {
      await store.inbox.accept(agentId, hear(agentId, "1"), { at: 0 });
      await store.admin.write(agentId, [move, { type: "room.stance", roomId: oldId, stance: "muted" }]);
      const once = await picture(store, agentId);
      await store.admin.write(agentId, [move]);
      expect(await picture(store, agentId)).toEqual(once);
      const { room } = hear(agentId, "2");
      await store.admin.write(agentId, [{ type: "room.put", room }]);
      expect(await picture(store, agentId)).toEqual(once);
    }));

  it("follows a room from move to move, and back", () =>
    inStore(async ({ store, agentId }) => {
      const third = { ...supergroup, id: "third", platformId: "-200" };
      const first = hear(agentId, "1");
      await store.inbox.accept(agentId, first, { at: 0 });
      const roomNow = async () => (await store.memories.get(agentId, [first.memory.id]))[0]?.roomId;
      await store.admin.write(agentId, [move, { type: "room.move", fromRoomId: "new", room: third }]);
      expect(await roomNow()).toBe("third");
      expect((await store.rooms.room(agentId, oldId))?.room.id).toBe("third");
      await store.admin.write(agentId, [{ type: "room.move", fromRoomId: "third", room: first.room }]);
      expect(await roomNow()).toBe(oldId);
      for (const id of [oldId, "new", "third"]) expect((await store.rooms.room(agentId, id))?.room.id).toBe(oldId);
      const scope = { roomIds: ["new"] };
      expect(await store.memories.search(agentId, { text: "heard", limit: 9, scope })).toHaveLength(1);
    }));
}
