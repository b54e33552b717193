import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";
import { roomIdOf } from "../memory/message-id.ts";
import type { Delivery } from "../outbox/delivery.ts";
import type { EntryBody } from "../run/entry.ts";
import type { Append, Fence, Lease, Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { createInbound, type HeardMessage } from "./create-inbound.ts";
import { describeForgetting } from "./store-contract-forget.ts";
import { describeJobs, type JobTest } from "./store-contract-jobs.ts";
import { describePlanned } from "./store-contract-planned.ts";
import { describeRecall } from "./store-contract-recall.ts";
import { describeTables } from "./store-contract-tables.ts";

/** A fresh store of its own for one test, and what closes it with everything around it. */
export type OpenedStore = {
  readonly store: Store;
  /** Closes the store and opens the same data again; absent where nothing is kept. */
  reopen?(): Promise<Store>;
  /** Everything that lies on the disk, as far as it is text; absent where nothing does. */
  contents?(): Promise<string>;
  close(): Promise<void>;
};

/** Opens an empty store that takes the time from `clock`. */
export type OpenStore = (clock: { now(): number }) => Promise<OpenedStore>;

type Bench = OpenedStore & { readonly clock: SettableClock };
type SettableClock = { now(): number; set(at: number): void };
type InStore = (test: (bench: Bench) => Promise<void>) => Promise<void>;
/** `shared`: one store for many tests, each with agents of its own. `own`: a store that may be closed and opened again. */
type Benches = { readonly shared: InStore; readonly own: InStore };

const platform = "test";
const account = "bot";
const owner = "process-1";
const lobby = roomIdOf(platform, account, "lobby");
const hall = roomIdOf(platform, account, "hall");

/** The two agents of the test that runs: new ones for each, so that tests that share a store do not meet. */
let agentId = "agent-0";
let otherAgentId = "other-0";
let tests = 0;

/** What every store must keep, whatever engine it stands on. Call it at the top of a test file. */
export function storeContract(name: string, open: OpenStore): void {
  let opened: Promise<OpenedStore> | undefined;
  let now = 0;
  const clock: SettableClock = {
    now: () => now,
    set: (at) => {
      now = at;
    },
  };
  const begin = (): void => {
    tests += 1;
    agentId = `agent-${tests}`;
    otherAgentId = `other-${tests}`;
    now = 1000;
  };
  const shared: InStore = async (test) => {
    begin();
    opened ??= open(clock);
    await test({ ...(await opened), clock });
  };
  const own: InStore = async (test) => {
    begin();
    const alone = await open(clock);
    try {
      await test({ ...alone, clock });
    } finally {
      await alone.close();
    }
  };
  describe(`the store contract, kept by ${name}`, () => {
    afterAll(async () => (await opened)?.close());
    describe("inbox", () => describeInbox(shared));
    describe("leases", () => describeLeases({ shared, own }));
    describe("journal", () => describeJournal(shared));
    describe("memories", () => describeMemories(shared));
    describe("search", () => describeSearch({ shared, own }));
    describe("rooms", () => describeRooms(shared));
    describe("outbox", () => describeOutbox(shared));
    describe("key values", () => describeKeyValues(shared));
    const each = (test: InStore) => (work: JobTest) => test((bench) => work({ ...bench, agentId, otherAgentId }));
    describe("jobs", () => describeJobs({ shared: each(shared), own: each(own) }));
    describe("recall", () => describeRecall({ shared: each(shared), own: each(own) }));
    describe("plans and moves", () => describePlanned({ shared: each(shared) }));
    describe("forgetting", () => describeForgetting({ shared: each(shared), own: each(own) }));
    describe("tables of plugins", () => describeTables((test) => own(({ store, reopen }) => test(store, reopen))));
    describe("admin", () => describeAdmin({ shared, own }));
  });
}

function inbound(heard: HeardMessage) {
  return createInbound({ agentId, platform, account }, heard);
}

async function accept(store: Store, heard: HeardMessage, options: { at?: number; owner?: string } = {}) {
  const accepted = await store.inbox.accept(agentId, inbound(heard), { at: options.at ?? 0, ...options });
  if (accepted.type !== "accepted") throw new Error(`event ${heard.eventId} was not accepted`);
  return accepted;
}

async function acceptAndClaim(store: Store, eventId = "1", room = "lobby"): Promise<Lease> {
  const { lease } = await accept(store, { text: `text ${eventId}`, eventId, room }, { owner });
  if (!lease) throw new Error(`room ${room} was not claimed`);
  return lease;
}

function end(seqs: readonly number[], runId = "run-1"): Append {
  return { entries: [], writes: [], done: { runId, seqs, outcome: "answered" } };
}

function entry(seq: number, body: EntryBody, runId = "run-1", at = seq) {
  return { seq, runId, at, body };
}

const began: EntryBody = { type: "input", inputs: [{ seq: 1, memoryId: "m" }] };
const ended: EntryBody = { type: "end", outcome: "answered", reason: "said hello" };

function message(id: string, text: string, more: Partial<Memory> = {}): Memory {
  return { id, agentId, roomId: lobby, entityId: "e1", type: "message", content: { text }, createdAt: 0, ...more };
}

function put(...memories: readonly Memory[]): Write[] {
  return memories.map((memory) => ({ type: "memory.put", memory }));
}

function delivery(key: string, more: Partial<Delivery> = {}): Delivery {
  return {
    key,
    agentId,
    runId: "run-1",
    roomId: lobby,
    platform,
    account,
    target: "lobby",
    kind: "message",
    content: { text: `text of ${key}`, source: platform },
    nonce: key.replace(/[^0-9a-z]/g, ""),
    ...more,
  };
}

function describeInbox(inStore: InStore): void {
  it("keeps world, room, entity and memory of an accepted event", () =>
    inStore(async ({ store }) => {
      const event = inbound({ text: "hello", eventId: "7", at: 5 });
      const world = { id: "w1", platform, account, platformId: "guild", name: "Guild", data: { size: 3 } };
      const room = { ...event.room, worldId: "w1", data: { topic: "sea" } };
      const accepted = await store.inbox.accept(agentId, { ...event, world, room }, { at: 9 });
      expect(accepted).toEqual({ type: "accepted", seq: 1, isNewRoom: true });
      expect(await store.rooms.room(agentId, lobby)).toEqual({ room, stance: "default", world });
      expect(await store.rooms.entities(agentId, [event.entity.id])).toEqual([event.entity]);
      expect(await store.memories.get(agentId, [event.memory.id])).toEqual([event.memory]);
      expect(await store.inbox.find(agentId, event.memory.id)).toEqual({
        seq: 1,
        contextId: lobby,
        eventId: "7",
        kind: "message",
        memoryId: event.memory.id,
        entityId: event.entity.id,
        acceptedAt: 9,
        attempts: 0,
        state: "waiting",
      });
    }));

  it("says of a room nothing was known of that it is new, once", () =>
    inStore(async ({ store }) => {
      expect(await accept(store, { text: "a", eventId: "1" })).toHaveProperty("isNewRoom", true);
      expect(await accept(store, { text: "b", eventId: "2" })).not.toHaveProperty("isNewRoom");
      const { room } = inbound({ text: "", eventId: "x", room: "den" });
      await store.admin.write(agentId, [{ type: "room.put", room }]);
      const later = await accept(store, { text: "c", eventId: "3", room: "den" });
      expect(later).not.toHaveProperty("isNewRoom");
    }));

  it("lets an input wait in another context than its room's, beside what the room is at", () =>
    inStore(async ({ store }) => {
      const held = await acceptAndClaim(store, "1");
      const event = inbound({ text: "meanwhile", eventId: "2" });
      const accepted = await store.inbox.accept(agentId, event, { at: 0, owner, contextId: "side" });
      if (accepted.type !== "accepted" || !accepted.lease) throw new Error("the context is free");
      expect(accepted.lease.fence).toMatchObject({ contextId: "side" });
      expect(await store.inbox.find(agentId, event.memory.id)).toMatchObject({ contextId: "side", seq: 1 });
      expect((await store.memories.get(agentId, [event.memory.id]))[0]?.roomId).toBe(lobby);
      expect((await store.inbox.waiting(held.fence)).map(({ eventId }) => eventId)).toEqual(["1"]);
      expect(await store.journal.append(accepted.lease.fence, end([1], "run-2"))).toBeNull();
      expect((await store.inbox.accept(agentId, event, { at: 0, contextId: "side" })).type).toBe("duplicate");
    }));

  it("takes the same event once, however often and however closely it is offered", () =>
    inStore(async ({ store }) => {
      const event = inbound({ text: "hello", eventId: "7" });
      const offers = await Promise.all(Array.from({ length: 5 }, () => store.inbox.accept(agentId, event, { at: 0 })));
      expect(offers.map(({ type }) => type)).toEqual(["accepted", ...Array(4).fill("duplicate")]);
      expect((await store.inbox.counts(agentId)).waiting).toBe(1);
      expect(await store.memories.recent(agentId, { roomId: lobby, limit: 9 })).toHaveLength(1);
    }));

  it("lets two agents, two accounts and two platforms hear the same event id", () =>
    inStore(async ({ store }) => {
      const hearers = [
        { agentId, platform, account },
        { agentId: otherAgentId, platform, account },
        { agentId, platform, account: "second" },
        { agentId, platform: "elsewhere", account },
      ];
      for (const hearer of hearers) {
        const event = createInbound(hearer, { text: "hello", eventId: "7" });
        expect((await store.inbox.accept(hearer.agentId, event, { at: 0 })).type).toBe("accepted");
      }
      expect((await store.inbox.counts(agentId)).waiting).toBe(3);
      expect((await store.inbox.counts(otherAgentId)).waiting).toBe(1);
    }));

  it("knows the agent's own message when a platform shows it again", () =>
    inStore(async ({ store }) => {
      const own = message("own", "my words", { platformId: "55", runId: "run-1" });
      await store.admin.write(agentId, put(own, message("heard", "theirs", { platformId: "66" })));
      const echo = inbound({ text: "my words", eventId: "55" });
      expect(await store.inbox.accept(agentId, echo, { at: 0 })).toEqual({ type: "duplicate" });
      const elsewhere = inbound({ text: "other room, same number", eventId: "55", room: "hall" });
      expect((await store.inbox.accept(agentId, elsewhere, { at: 0 })).type).toBe("accepted");
      const heardBefore = inbound({ text: "theirs", eventId: "66" });
      expect((await store.inbox.accept(agentId, heardBefore, { at: 0 })).type).toBe("accepted");
    }));

  it("numbers the inputs of a room in the order they were offered", () =>
    inStore(async ({ store }) => {
      const offers = Array.from({ length: 40 }, (_, index) =>
        accept(store, { text: "t", eventId: `${index}`, room: index % 2 === 0 ? "lobby" : "hall" }),
      );
      const seqs = (await Promise.all(offers)).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 40 }, (_, index) => Math.floor(index / 2) + 1));
    }));

  it("refuses an event whose memory stands in another room or belongs to another agent", () =>
    inStore(async ({ store }) => {
      const event = inbound({ text: "hello", eventId: "7" });
      const elsewhere = { ...event, memory: { ...event.memory, roomId: hall } };
      await expect(store.inbox.accept(agentId, elsewhere, { at: 0 })).rejects.toMatchObject({ code: "invalid" });
      await expect(store.inbox.accept(otherAgentId, event, { at: 0 })).rejects.toMatchObject({ code: "invalid" });
      expect((await store.inbox.counts(agentId)).waiting).toBe(0);
    }));

  it("counts what waits and what is held, and since when", () =>
    inStore(async ({ store }) => {
      expect(await store.inbox.counts(agentId)).toEqual({ waiting: 0, held: 0, oldestAt: null });
      await accept(store, { text: "a", eventId: "1" }, { at: 30 });
      await accept(store, { text: "b", eventId: "2" }, { at: 40 });
      await accept(store, { text: "c", eventId: "3", room: "hall" }, { at: 20, owner });
      expect(await store.inbox.counts(agentId)).toEqual({ waiting: 3, held: 1, oldestAt: 20 });
    }));

  it("keeps texts of every kind: empty, 1 MB, control characters; halves of characters are replaced", () =>
    inStore(async ({ store }) => {
      const texts = ["", "x".repeat(1 << 20), "a\u0000b\u0007\u001b[31m\u200f", '"\\\n\u2028', "東京🎉é"];
      for (const [index, text] of texts.entries()) await accept(store, { text, eventId: `${index}`, at: index });
      await accept(store, { text: "cut \ud83d here", eventId: "half", at: 99 });
      const kept = await store.memories.recent(agentId, { roomId: lobby, limit: 10 });
      expect(kept.map(({ content }) => content.text)).toEqual([...texts, "cut \ufffd here"]);
    }));
}

function describeLeases({ shared: inStore, own }: Benches): void {
  it("claims an idle room with the input that was accepted", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store);
      expect(lease.fence).toMatchObject({ agentId, contextId: lobby });
      expect(lease.inputs.map(({ eventId, seq }) => [eventId, seq])).toEqual([["1", 1]]);
      expect(lease.lastEntry).toBe(0);
      expect(lease).not.toHaveProperty("openRunId");
    }));

  it("hands out a room once: what comes while it is held waits", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      const second = await accept(store, { text: "b", eventId: "2" }, { owner: "process-2" });
      expect(second).toEqual({ type: "accepted", seq: 2 });
      expect(await store.inbox.claim(agentId, "process-2", 10)).toEqual([]);
      expect((await store.inbox.waiting(lease.fence)).map(({ eventId }) => eventId)).toEqual(["1", "2"]);
    }));

  it("gives whoever claims a room by accepting everything that waited before, oldest first", () =>
    inStore(async ({ store }) => {
      await accept(store, { text: "a", eventId: "1" });
      await accept(store, { text: "b", eventId: "2" });
      const { lease } = await accept(store, { text: "c", eventId: "3" }, { owner });
      expect(lease?.inputs.map(({ eventId }) => eventId)).toEqual(["1", "2", "3"]);
    }));

  it("claims the rooms that waited longest first, each under a new epoch", () =>
    inStore(async ({ store }) => {
      const rooms = ["a", "b", "c", "d"];
      for (const [at, room] of rooms.entries()) await accept(store, { text: room, eventId: room, room }, { at });
      const [first, ...others] = await store.inbox.claim(agentId, owner, 3);
      expect([first, ...others].map((lease) => lease?.inputs[0]?.eventId)).toEqual(["a", "b", "c"]);
      if (!first) throw new Error("nothing was claimed");
      await store.inbox.release(first.fence);
      const again = await store.inbox.claim(agentId, owner, 9);
      expect(again.map((lease) => lease.inputs[0]?.eventId)).toEqual(["a", "d"]);
      expect(again[0]?.fence.epoch).toBeGreaterThan(first.fence.epoch);
    }));

  it("refuses every write of a holder whose lease is over", () =>
    inStore(async ({ store }) => {
      const { fence, inputs } = await acceptAndClaim(store);
      await store.inbox.release(fence);
      const attempts = (): Promise<unknown>[] => [
        store.journal.append(fence, { entries: [entry(1, began)], writes: put(message("zombie", "boo")) }),
        store.journal.append(fence, end([1])),
        store.inbox.release(fence),
        store.inbox.waiting(fence),
      ];
      for (const attempt of attempts()) await expect(attempt).rejects.toMatchObject({ code: "conflict" });
      const [next] = await store.inbox.claim(agentId, "process-2", 1);
      for (const attempt of attempts()) await expect(attempt).rejects.toMatchObject({ code: "conflict" });
      expect(next?.inputs).toEqual(inputs);
      expect(next?.lastEntry).toBe(0);
      expect(await store.memories.get(agentId, ["zombie"])).toEqual([]);
    }));

  it("refuses a fence nobody was ever given", () =>
    inStore(async ({ store }) => {
      const fence: Fence = { agentId: "nobody", contextId: lobby, epoch: 1 };
      await expect(store.journal.append(fence, { entries: [], writes: [] })).rejects.toMatchObject({
        code: "conflict",
      });
      await expect(store.inbox.waiting(fence)).rejects.toMatchObject({ code: "conflict" });
    }));

  it("gives a room back when its last input is done, and the next input claims it anew", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      expect(await store.journal.append(lease.fence, end([1]))).toBeNull();
      expect(await store.inbox.counts(agentId)).toEqual({ waiting: 0, held: 0, oldestAt: null });
      const next = await acceptAndClaim(store, "2");
      expect(next.fence.epoch).toBeGreaterThan(lease.fence.epoch);
      expect(next.inputs.map(({ seq }) => seq)).toEqual([2]);
    }));

  it("goes on under the same lease with what came meanwhile", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      await accept(store, { text: "b", eventId: "2" });
      await accept(store, { text: "c", eventId: "3" });
      const next = await store.journal.append(lease.fence, end([1, 2]));
      expect(next?.fence).toEqual(lease.fence);
      expect(next?.inputs.map(({ eventId }) => eventId)).toEqual(["3"]);
      expect(await store.journal.append(lease.fence, end([3]))).toBeNull();
    }));

  it("gives an input its outcome once", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      await accept(store, { text: "b", eventId: "2" });
      const done = { runId: "run-1", seqs: [1], outcome: "ignored", reason: "not meant" } as const;
      await store.journal.append(lease.fence, { entries: [], writes: [], done });
      await store.journal.append(lease.fence, end([1], "run-2"));
      const { memoryId = "" } = lease.inputs[0] ?? {};
      expect(await store.inbox.find(agentId, memoryId)).toMatchObject({
        state: "done",
        outcome: "ignored",
        reason: "not meant",
        runId: "run-1",
      });
      expect((await store.inbox.counts(agentId)).waiting).toBe(1);
    }));

  it("refuses to finish an input that does not exist", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store);
      await expect(store.journal.append(lease.fence, end([1, 9]))).rejects.toMatchObject({ code: "invalid" });
      expect((await store.inbox.waiting(lease.fence)).map(({ seq }) => seq)).toEqual([1]);
    }));

  it("frees what a dead process held and counts the attempt on the oldest input alone", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      await accept(store, { text: "b", eventId: "2" });
      await accept(store, { text: "c", eventId: "3", room: "hall" });
      expect(await store.inbox.recover(agentId)).toEqual({ freed: 1 });
      expect(await store.inbox.recover(agentId)).toEqual({ freed: 0 });
      await expect(store.inbox.waiting(lease.fence)).rejects.toMatchObject({ code: "conflict" });
      const [first, second] = await store.inbox.claim(agentId, owner, 9);
      expect(first?.inputs.map(({ attempts }) => attempts)).toEqual([1, 0]);
      expect(second?.inputs.map(({ attempts }) => attempts)).toEqual([0]);
    }));

  it("loses no input and hands none out twice while many come and go", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }),
        fc.infiniteStream(fc.nat(2)),
        (rooms, chance) =>
          inStore(async ({ store }) => {
            const handled = new Map<string, string[]>();
            const busy = new Set<string>();
            const work = async (lease: Lease | null | undefined): Promise<void> => {
              for (let current = lease; current; ) {
                const { contextId } = current.fence;
                expect(busy.has(contextId)).toBe(false);
                busy.add(contextId);
                const taken = current.inputs.slice(0, 1 + (chance.next().value ?? 0));
                handled.set(contextId, [...(handled.get(contextId) ?? []), ...taken.map(({ eventId }) => eventId)]);
                await store.inbox.waiting(current.fence);
                busy.delete(contextId);
                current = await store.journal.append(current.fence, end(taken.map(({ seq }) => seq)));
              }
            };
            const offers = rooms.map(async (room, index) => {
              const heard = { text: "t", eventId: `${index}`, room: `${room}` };
              await work((await accept(store, heard, { owner })).lease);
            });
            await Promise.all(offers);
            const expected = new Map<string, string[]>();
            for (const [index, room] of rooms.entries()) {
              const id = roomIdOf(platform, account, `${room}`);
              expected.set(id, [...(expected.get(id) ?? []), `${index}`]);
            }
            expect(handled).toEqual(expected);
            expect(await store.inbox.counts(agentId)).toEqual({ waiting: 0, held: 0, oldestAt: null });
          }),
      ),
      { numRuns: 8 },
    ),
  );

  it("goes on after opening again where it was", () =>
    own(async ({ store, reopen }) => {
      const lease = await acceptAndClaim(store);
      await store.journal.append(lease.fence, { entries: [entry(1, began)], writes: put(message("m1", "kept words")) });
      const again = (await reopen?.()) ?? store;
      await again.inbox.recover(agentId);
      const [next] = await again.inbox.claim(agentId, owner, 1);
      expect(next).toMatchObject({ lastEntry: 1, openRunId: "run-1", inputs: [{ seq: 1, attempts: 1 }] });
      expect(await again.journal.entries(agentId, "run-1")).toEqual([entry(1, began)]);
      expect((await again.memories.search(agentId, { text: "kept", limit: 3 })).map(({ memory }) => memory.id)).toEqual(
        ["m1"],
      );
    }));
}

function describeJournal(inStore: InStore): void {
  const answer: EntryBody = {
    type: "model_answer",
    step: 1,
    purpose: "answer",
    part: "p",
    finishReason: "stop",
    isUsable: true,
    model: "test:model",
    usage: { inputTokens: 100, cachedInputTokens: 10, outputTokens: 20 },
    costMicrousd: 7,
    notes: [{ retries: 2 }, "späť \u0000"],
  };

  it("keeps the entries of a run in order, exactly as they were", () =>
    inStore(async ({ store }) => {
      const { fence } = await acceptAndClaim(store);
      const first = [entry(1, began), entry(2, answer)];
      await store.journal.append(fence, { entries: first, writes: [] });
      await store.journal.append(fence, { entries: [entry(3, ended)], writes: [] });
      expect(await store.journal.entries(agentId, "run-1")).toEqual([...first, entry(3, ended)]);
      expect(await store.journal.entries(otherAgentId, "run-1")).toEqual([]);
    }));

  it("refuses entries that do not follow the last one", () =>
    inStore(async ({ store }) => {
      const { fence } = await acceptAndClaim(store);
      await store.journal.append(fence, { entries: [entry(1, began), entry(2, answer)], writes: [] });
      for (const seqs of [[2], [1], [3, 3], [4, 3]]) {
        const entries = seqs.map((seq) => entry(seq, ended));
        await expect(store.journal.append(fence, { entries, writes: [] })).rejects.toMatchObject({ code: "conflict" });
      }
      expect(await store.journal.entries(agentId, "run-1")).toHaveLength(2);
    }));

  it("commits entries, writes and outcome together or not at all", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store);
      const bad: Write = { type: "delivery.set", key: "never put", state: "sent" };
      const append: Append = {
        ...end([1]),
        entries: [entry(1, began)],
        writes: [...put(message("m1", "lost")), { type: "part.put", part: { hash: "h1", text: "t" } }, bad],
      };
      await expect(store.journal.append(lease.fence, append)).rejects.toMatchObject({ code: "not_found" });
      expect(await store.journal.entries(agentId, "run-1")).toEqual([]);
      expect(await store.journal.run(agentId, "run-1")).toBeNull();
      expect(await store.memories.get(agentId, ["m1"])).toEqual([]);
      expect(await store.memories.search(agentId, { text: "lost", limit: 1 })).toEqual([]);
      expect((await store.journal.parts(agentId, ["h1"])).size).toBe(0);
      expect((await store.inbox.waiting(lease.fence)).map(({ state }) => state)).toEqual(["waiting"]);
      await store.journal.append(lease.fence, { ...append, writes: append.writes.slice(0, 2) });
      expect(await store.memories.get(agentId, ["m1"])).toHaveLength(1);
    }));

  it("harms nobody else when one caller's write fails at the same moment", () =>
    inStore(async ({ store }) => {
      const calls = Array.from({ length: 20 }, (_, index) =>
        index % 3 === 0
          ? store.admin.write(agentId, [{ type: "room.stance", roomId: "unknown", stance: "muted" }])
          : store.admin.write(agentId, put(message(`m${index}`, "fine"))),
      );
      const results = await Promise.allSettled(calls);
      expect(results.map(({ status }) => status)).toEqual(
        results.map((_, index) => (index % 3 === 0 ? "rejected" : "fulfilled")),
      );
      expect(await store.memories.recent(agentId, { roomId: lobby, limit: 50 })).toHaveLength(13);
    }));

  it("tells a run from its entries: amounts are sums, the end is its outcome", () =>
    inStore(async ({ store }) => {
      const { fence } = await acceptAndClaim(store);
      await store.journal.append(fence, { entries: [entry(1, began, "run-1", 50), entry(2, answer)], writes: [] });
      const open = {
        id: "run-1",
        contextId: lobby,
        startedAt: 50,
        inputTokens: 100,
        outputTokens: 20,
        costMicrousd: 7,
      };
      expect(await store.journal.run(agentId, "run-1")).toEqual(open);
      await store.journal.append(fence, { entries: [entry(3, answer), entry(4, ended, "run-1", 90)], writes: [] });
      expect(await store.journal.run(agentId, "run-1")).toEqual({
        ...open,
        endedAt: 90,
        outcome: "answered",
        reason: "said hello",
        inputTokens: 200,
        outputTokens: 40,
        costMicrousd: 14,
      });
    }));

  it("names the run that was begun and not ended", () =>
    inStore(async ({ store }) => {
      const lease = await acceptAndClaim(store, "1");
      await accept(store, { text: "b", eventId: "2" });
      const first = [entry(1, began, "run-1"), entry(2, ended, "run-1")];
      const next = await store.journal.append(lease.fence, { ...end([1]), entries: first });
      expect(next).not.toHaveProperty("openRunId");
      expect(next?.lastEntry).toBe(2);
      await store.journal.append(lease.fence, { entries: [entry(3, began, "run-2")], writes: [] });
      await store.inbox.release(lease.fence);
      const [again] = await store.inbox.claim(agentId, owner, 1);
      expect(again).toMatchObject({ openRunId: "run-2", lastEntry: 3 });
    }));

  it("finds runs newest first, of one room or all, and one by the beginning of its id", () =>
    inStore(async ({ store }) => {
      const ids = ["aaaaaaaa-1", "aaaaaaaa-2", "bbbbbbbb-1"];
      for (const [index, id] of ids.entries()) {
        const { fence } = await acceptAndClaim(store, id, index === 1 ? "hall" : "lobby");
        await store.journal.append(fence, { entries: [entry(index + 1, began, id)], writes: [] });
        await store.inbox.release(fence);
      }
      const idsOf = async (query: { limit: number; contextId?: string }) =>
        (await store.journal.runs(agentId, query)).map(({ id }) => id);
      expect(await idsOf({ limit: 2 })).toEqual(["bbbbbbbb-1", "aaaaaaaa-2"]);
      expect(await idsOf({ limit: 9, contextId: lobby })).toEqual(["bbbbbbbb-1", "aaaaaaaa-1"]);
      expect((await store.journal.run(agentId, "bbbbbbbb"))?.id).toBe("bbbbbbbb-1");
      expect(await store.journal.run(agentId, "bbbb")).toBeNull();
      expect(await store.journal.run(agentId, "cccccccc")).toBeNull();
      await expect(store.journal.run(agentId, "aaaaaaaa")).rejects.toMatchObject({ code: "invalid" });
    }));

  it("keeps a part once", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, [
        { type: "part.put", part: { hash: "h1", text: "first \u0000 text" } },
        { type: "part.put", part: { hash: "h1", text: "second" } },
      ]);
      expect(await store.journal.parts(agentId, ["h1", "h2"])).toEqual(new Map([["h1", "first \u0000 text"]]));
      expect((await store.journal.parts(otherAgentId, ["h1"])).size).toBe(0);
    }));
}

function describeMemories(inStore: InStore): void {
  const ids = (memories: readonly Memory[]): string[] => memories.map(({ id }) => id);

  it("keeps the first memory of an id with all it has", () =>
    inStore(async ({ store }) => {
      const full = message("m1", "hi", {
        content: {
          text: "hi",
          thought: "greet",
          actions: ["REPLY"],
          attachments: [{ id: "a", url: "u", title: "t" }],
          mentionContext: { mentionsAgent: true, repliesToAgent: false },
        },
        platformId: "9",
        runId: "run-1",
        metadata: { deep: { list: [1, null, "x"] } },
      });
      await store.admin.write(agentId, put(full, message("m1", "second")));
      expect(await store.memories.get(agentId, ["m1"])).toEqual([full]);
    }));

  it("reads the newest messages of a room, oldest first, in the order of writing, whatever their clocks say", () =>
    inStore(async ({ store }) => {
      const at = [5, 1, 5, 3, 5];
      await store.admin.write(agentId, [
        ...put(...at.map((createdAt, index) => message(`m${index}`, "t", { createdAt }))),
        ...put(
          message("fact", "f", { type: "fact", createdAt: 9 }),
          message("else", "t", { roomId: hall, createdAt: 9 }),
        ),
      ]);
      const recent = (limit: number, before?: string) =>
        store.memories.recent(agentId, { roomId: lobby, limit, ...(before !== undefined && { before }) });
      expect(ids(await recent(9))).toEqual(["m0", "m1", "m2", "m3", "m4"]);
      expect(ids(await recent(2))).toEqual(["m3", "m4"]);
      expect(ids(await recent(2, "m3"))).toEqual(["m1", "m2"]);
      expect(ids(await recent(9, "m0"))).toEqual([]);
      await expect(recent(9, "unknown")).rejects.toMatchObject({ code: "not_found" });
    }));

  it("leaves out what still waits for its outcome, when asked", () =>
    inStore(async ({ store }) => {
      const { fence } = await acceptAndClaim(store, "1");
      await accept(store, { text: "next", eventId: "2" });
      const recent = () => store.memories.recent(agentId, { roomId: lobby, limit: 9, withoutWaiting: true });
      expect(await recent()).toEqual([]);
      await store.journal.append(fence, end([1]));
      expect((await recent()).map(({ content }) => content.text)).toEqual(["text 1"]);
    }));

  it("forgets what a removed memory said, and does not take it again", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, put(message("m1", "secret", { platformId: "9" }), message("m2", "stays")));
      await store.admin.write(agentId, [
        { type: "memory.remove", id: "m1" },
        { type: "memory.remove", id: "unknown" },
      ]);
      await store.admin.write(agentId, put(message("m1", "secret")));
      expect(ids(await store.memories.recent(agentId, { roomId: lobby, limit: 9 }))).toEqual(["m2"]);
      expect(await store.memories.get(agentId, ["m1"])).toEqual([]);
      expect(await store.memories.search(agentId, { text: "secret", limit: 9 })).toEqual([]);
      expect(await store.memories.byPlatformId(agentId, "9")).toEqual([]);
      expect(ids(await store.memories.recent(agentId, { roomId: lobby, limit: 9, before: "m1" }))).toEqual([]);
    }));

  it("finds messages by the platform's id or a link to them", () =>
    inStore(async ({ store }) => {
      await store.admin.write(
        agentId,
        put(
          message("m1", "a", { platformId: "123", createdAt: 1 }),
          message("m2", "b", { platformId: "123", roomId: hall, createdAt: 2 }),
          message("m3", "c", { platformId: "a/b", createdAt: 3 }),
        ),
      );
      expect(ids(await store.memories.byPlatformId(agentId, "123"))).toEqual(["m2", "m1"]);
      expect(ids(await store.memories.byPlatformId(agentId, "https://example.org/who/status/123?s=20#x"))).toEqual([
        "m2",
        "m1",
      ]);
      expect(ids(await store.memories.byPlatformId(agentId, "a/b"))).toEqual(["m3"]);
      expect(await store.memories.byPlatformId(agentId, "999")).toEqual([]);
    }));

  it("knows the newest message that was heard, in a room or anywhere", () =>
    inStore(async ({ store }) => {
      expect(await store.memories.lastHeard(agentId)).toBeNull();
      await store.admin.write(
        agentId,
        put(
          message("m1", "a", { createdAt: 1 }),
          message("m2", "b", { roomId: hall, createdAt: 4 }),
          message("own", "c", { createdAt: 8, runId: "run-1" }),
          message("fact", "d", { createdAt: 9, type: "fact" }),
        ),
      );
      expect((await store.memories.lastHeard(agentId))?.id).toBe("m2");
      expect((await store.memories.lastHeard(agentId, lobby))?.id).toBe("m1");
      expect(await store.memories.lastHeard(agentId, "unknown")).toBeNull();
    }));

  it("keeps two agents apart", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, put(message("m1", "mine")));
      await store.admin.write(otherAgentId, put(message("m1", "yours", { agentId: otherAgentId })));
      expect((await store.memories.get(agentId, ["m1"]))[0]?.content.text).toBe("mine");
      expect((await store.memories.get(otherAgentId, ["m1"]))[0]?.content.text).toBe("yours");
      expect(await store.memories.search(otherAgentId, { text: "mine", limit: 9 })).toEqual([]);
      expect(await store.memories.recent("nobody", { roomId: lobby, limit: 9 })).toEqual([]);
      await expect(store.admin.write(otherAgentId, put(message("m2", "x")))).rejects.toMatchObject({ code: "invalid" });
    }));
}

/** Text, a query that finds it, a query of the same script that does not. */
const scripts: readonly (readonly [script: string, text: string, found: string, notFound: string])[] = [
  ["English", "The lighthouse keeper counts the waves", "KEEPER waves", "keeper storms"],
  ["accented Latin", "Zoë déjà vu à Kraków, Ångström", "zoe deja krakow angstrom", "zoa"],
  ["German", "Die Straße nach Köln ist gesperrt", "strasse koln", "gasse"],
  ["Vietnamese", "Đường đến trường rất xa", "duong truong", "nha"],
  ["Turkish", "Işık İstanbul'da güzel", "isik istanbul guzel", "ankara"],
  ["Greek", "Καλημέρα, φίλος μου", "καλημερα φιλοσ", "καληνυχτα"],
  ["Russian", "Ёлка стоит в моей комнате", "елка комнате", "кухне"],
  ["Chinese", "明天北京的天气怎么样？", "北京 天气", "上海"],
  ["one Chinese character", "我喜欢猫", "猫", "狗"],
  ["Chinese without spaces", "东京的天气很好", "东京天气", "大阪天气"],
  ["Japanese", "東京タワーに行きました", "東京タワー", "京都タワー"],
  ["Japanese kana", "ありがとうございます", "ありがとう", "さようなら"],
  ["voiced kana", "かぎを失くした", "かぎ", "がき"],
  ["half-width kana", "ﾄｳｷｮｳに住む", "トウキョウ", "オオサカ"],
  ["Korean", "서울에서 만나요", "서울", "부산"],
  ["Thai", "วันนี้อากาศดีมากที่เชียงใหม่", "อากาศ เชียงใหม่", "กรุงเทพ"],
  ["Thai with sara am", "น้ำตกสวยมาก", "น้ำตก", "ทะเล"],
  ["Lao", "ສະບາຍດີຕອນເຊົ້າ", "ສະບາຍດີ", "ຂອບໃຈ"],
  ["Khmer", "សួស្តីពិភពលោក", "ពិភពលោក", "អរគុណ"],
  ["Arabic", "قرأتُ كِتَابًا جديدًا في المدرسة", "كتابا المدرسة", "بيت"],
  ["Arabic alef forms", "أحمد إلى آخر", "احمد", "محمود"],
  ["Hebrew", "שָׁלוֹם עוֹלָם", "שלום", "תודה"],
  ["Hindi", "नमस्ते दुनिया कैसे हो", "दुनिया", "पानी"],
  ["Tamil", "வணக்கம் உலகம்", "உலகம்", "நன்றி"],
  ["emoji", "party tonight 🎉❤️", "🎉 ❤", "🎂"],
  ["composed emoji", "lift-off 👩‍🚀👍🏽", "👩‍🚀 👍", "🐸"],
  ["mixed scripts", "Meet me in 東京 at 9pm, café Zoë", "東京 cafe 9pm", "大阪 cafe"],
  ["full-width letters", "ＨＥＬＬＯ　ｗｏｒｌｄ", "hello world", "bye"],
  ["mathematics", "𝓗𝓮𝓵𝓵𝓸 𝔀𝓸𝓻𝓵𝓭", "hello", "bye"],
];

function describeSearch({ shared: inStore, own }: Benches): void {
  const find = async (store: Store, text: string, more: Partial<Parameters<Store["memories"]["search"]>[1]> = {}) =>
    (await store.memories.search(agentId, { text, limit: 20, ...more })).map(({ memory }) => memory.id);

  it.each(scripts)("finds words in %s", (_, text, found, notFound) =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, put(message("m1", text), message("m2", "something else 其他 อื่น")));
      expect(await find(store, found)).toEqual(["m1"]);
      expect(await find(store, notFound)).toEqual([]);
    }),
  );

  it("still finds every script after opening again", () =>
    own(async ({ store, reopen }) => {
      const memories = scripts.map(([script, text]) => message(script, text, { roomId: `room of ${script}` }));
      await store.admin.write(agentId, put(...memories));
      const again = (await reopen?.()) ?? store;
      for (const [script, , found, notFound] of scripts) {
        expect(await find(again, found, { scope: { roomIds: [`room of ${script}`] } })).toEqual([script]);
        expect(await find(again, notFound, { scope: { roomIds: [`room of ${script}`] } })).toEqual([]);
      }
    }));

  it("demands every word and narrows by room, type and number", () =>
    inStore(async ({ store }) => {
      await store.admin.write(
        agentId,
        put(
          message("m1", "red apple"),
          message("m2", "green apple", { roomId: hall }),
          message("m3", "red apple pie recipe", { type: "fact", roomId: hall }),
        ),
      );
      expect((await find(store, "apple")).toSorted()).toEqual(["m1", "m2", "m3"]);
      expect((await find(store, "red apple")).toSorted()).toEqual(["m1", "m3"]);
      expect(await find(store, "red apple", { scope: { roomIds: [hall] } })).toEqual(["m3"]);
      expect((await find(store, "apple", { types: ["message"] })).toSorted()).toEqual(["m1", "m2"]);
      expect(await find(store, "apple", { limit: 1 })).toHaveLength(1);
      expect(await find(store, "apple", { types: [] })).toEqual([]);
    }));

  it("ranks better matches higher and says so in the score", () =>
    inStore(async ({ store }) => {
      await store.admin.write(
        agentId,
        put(message("m1", "sea and much else besides that"), message("m2", "sea sea sea")),
      );
      const hits = await store.memories.search(agentId, { text: "sea", limit: 9 });
      expect(hits.map(({ memory }) => memory.id)).toEqual(["m2", "m1"]);
      expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? Number.POSITIVE_INFINITY);
    }));

  it("answers a query without words with the newest", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, put(message("m1", "a", { createdAt: 1 }), message("m2", "b", { createdAt: 2 })));
      for (const text of ["", "  ", "?!…", "\u0000", "\ud83d"]) expect(await find(store, text)).toEqual(["m2", "m1"]);
    }));

  it("finds what attachments show", () =>
    inStore(async ({ store }) => {
      const attachments = [{ id: "a", url: "u", description: "a lighthouse at dusk" }];
      await store.admin.write(agentId, put(message("m1", "", { content: { text: "", attachments } })));
      expect(await find(store, "lighthouse")).toEqual(["m1"]);
    }));

  it("takes any text as a query, never as syntax", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, put(message("m1", "rose OR NEAR( tulip")));
      const nasty = [
        '"',
        'rose"',
        "rose AND",
        "NOT rose*",
        "text:rose",
        "(rose",
        "rose NEAR/2 tulip",
        "^rose",
        "-rose",
      ];
      for (const text of nasty) await expect(find(store, text)).resolves.toBeDefined();
      expect(await find(store, 'rose" OR "')).toEqual(["m1"]);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 40 }), async (text) => {
          await store.memories.search(agentId, { text, limit: 3 });
        }),
        { numRuns: 60 },
      );
    }));

  it("finds a word in the middle of a very long text", () =>
    inStore(async ({ store }) => {
      const filler = "the quick brown fox 北京的天气 ".repeat(8000);
      await store.admin.write(agentId, put(message("m1", `${filler} needle 针 ${filler}`)));
      expect(await find(store, "needle 针")).toEqual(["m1"]);
    }));
}

function describeRooms(inStore: InStore): void {
  const room = (id: string, name?: string) => ({
    id,
    platform,
    account,
    platformId: id,
    channelType: "group" as const,
    ...(name !== undefined && { name }),
  });

  it("keeps the last seen state of worlds, rooms and entities", () =>
    inStore(async ({ store }) => {
      const world = { id: "w1", platform, account, platformId: "w" };
      const entity = { id: "e1", platform, account, platformId: "e", name: "Ann", isBot: true };
      await store.admin.write(agentId, [
        { type: "world.put", world: { ...world, name: "old", data: { a: 1 } } },
        { type: "world.put", world },
        { type: "room.put", room: room("r1", "old") },
        { type: "room.put", room: { ...room("r1", "new"), worldId: "w1" } },
        { type: "entity.put", entity: { ...entity, name: "old" } },
        { type: "entity.put", entity },
      ]);
      expect(await store.rooms.room(agentId, "r1")).toEqual({
        room: { ...room("r1", "new"), worldId: "w1" },
        stance: "default",
        world,
      });
      expect(await store.rooms.entities(agentId, ["e1", "unknown"])).toEqual([entity]);
      expect(await store.rooms.room(agentId, "unknown")).toBeNull();
      expect(await store.rooms.room(otherAgentId, "r1")).toBeNull();
    }));

  it("remembers the stance when the room is seen again", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, [
        { type: "room.put", room: room("r1") },
        { type: "room.stance", roomId: "r1", stance: "muted" },
        { type: "room.put", room: room("r1", "renamed") },
      ]);
      expect(await store.rooms.room(agentId, "r1")).toMatchObject({ stance: "muted", room: { name: "renamed" } });
      const unknown: Write = { type: "room.stance", roomId: "r2", stance: "muted" };
      await expect(store.admin.write(agentId, [unknown])).rejects.toMatchObject({ code: "not_found" });
    }));

  it("lists the rooms that were lately spoken in first", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, [
        ...["r1", "r2", "r3"].map((id): Write => ({ type: "room.put", room: room(id) })),
        ...put(message("m1", "t", { roomId: "r1", createdAt: 5 }), message("m2", "t", { roomId: "r3", createdAt: 9 })),
      ]);
      const rows = await store.rooms.rooms(agentId, { limit: 9 });
      expect(rows.map(({ room: { id } }) => id)).toEqual(["r3", "r1", "r2"]);
      expect(await store.rooms.rooms(agentId, { limit: 1 })).toHaveLength(1);
    }));
}

function describeOutbox(inStore: InStore): void {
  const pending = (key: string, more: Partial<Delivery> = {}): Write => ({
    type: "delivery.put",
    delivery: delivery(key, more),
    state: "pending",
    isOpen: false,
  });

  it("keeps the first delivery of a key, without the question it answers", () =>
    inStore(async ({ store, clock }) => {
      clock.set(70);
      const first = delivery("run-1/c/1", { replyToPlatformId: "9", inReplyToText: "what?" });
      await store.admin.write(agentId, [
        { type: "delivery.put", delivery: first, state: "pending", isOpen: true },
        pending("run-1/c/1", { target: "elsewhere" }),
      ]);
      const { inReplyToText: _, ...kept } = first;
      const row = { delivery: kept, state: "pending", isOpen: true, attempts: 0, createdAt: 70, updatedAt: 70 };
      expect(await store.outbox.get(agentId, "run-1/c/1")).toEqual(row);
      expect(await store.outbox.get(otherAgentId, "run-1/c/1")).toBeNull();
    }));

  it("tells the states of a delivery from the first attempt to the receipt", () =>
    inStore(async ({ store, clock }) => {
      const key = "run-1/c/1";
      const set = async (change: Omit<Extract<Write, { type: "delivery.set" }>, "type" | "key">) => {
        await store.admin.write(agentId, [{ type: "delivery.set", key, ...change }]);
        return store.outbox.get(agentId, key);
      };
      await store.admin.write(agentId, [
        { type: "delivery.put", delivery: delivery(key), state: "pending", isOpen: true },
      ]);
      clock.set(2000);
      expect(await set({ state: "sending", isAttempt: true })).toMatchObject({ state: "sending", attempts: 1 });
      expect(await set({ state: "pending", error: "429" })).toMatchObject({ state: "pending", error: "429" });
      const shown = await set({ state: "sending", isAttempt: true, platformId: "p9" });
      expect(shown).toMatchObject({ attempts: 2, platformId: "p9", isOpen: true });
      expect(shown).not.toHaveProperty("error");
      const sent = await set({ state: "sent", text: "final" });
      expect(sent).toMatchObject({ state: "sent", isOpen: false, platformId: "p9", attempts: 2, updatedAt: 2000 });
      expect(sent?.delivery.content).toEqual({ text: "final", source: platform });
      await expect(
        store.admin.write(agentId, [{ type: "delivery.set", key: "unknown", state: "sent" }]),
      ).rejects.toMatchObject({ code: "not_found" });
    }));

  it("lists deliveries in the order of their writing, by state and run", () =>
    inStore(async ({ store }) => {
      await store.admin.write(agentId, [pending("a"), pending("b", { runId: "run-2" }), pending("c"), pending("d")]);
      await store.admin.write(agentId, [
        { type: "delivery.set", key: "a", state: "sent" },
        { type: "delivery.set", key: "c", state: "sending" },
      ]);
      const keys = async (query: Parameters<Store["outbox"]["list"]>[1]) =>
        (await store.outbox.list(agentId, query)).map((row) => row.delivery.key);
      expect(await keys({ limit: 9 })).toEqual(["a", "b", "c", "d"]);
      expect(await keys({ limit: 2, newestFirst: true })).toEqual(["d", "c"]);
      expect(await keys({ limit: 9, states: ["sending", "pending"] })).toEqual(["b", "c", "d"]);
      expect(await keys({ limit: 2, states: ["sending", "pending"], newestFirst: true })).toEqual(["d", "c"]);
      expect(await keys({ limit: 9, runId: "run-1", states: ["sent", "pending"] })).toEqual(["a", "d"]);
      expect(await keys({ limit: 9, runId: "run-1", newestFirst: true })).toEqual(["d", "c", "a"]);
      expect(await store.outbox.list(otherAgentId, { limit: 9 })).toEqual([]);
    }));
}

function describeKeyValues(inStore: InStore): void {
  it("counts the versions of a value", () =>
    inStore(async ({ store: { keyValues } }) => {
      expect(await keyValues.get(agentId, "n", "k")).toBeNull();
      expect(await keyValues.set(agentId, "n", "k", { value: "a\u0000é" })).toBe(true);
      expect(await keyValues.get(agentId, "n", "k")).toEqual({ value: "a\u0000é", version: 1 });
      await keyValues.set(agentId, "n", "k", { value: "b" });
      expect(await keyValues.get(agentId, "n", "k")).toEqual({ value: "b", version: 2 });
      expect(await keyValues.get(agentId, "other", "k")).toBeNull();
      expect(await keyValues.get(otherAgentId, "n", "k")).toBeNull();
      expect(await keyValues.delete(agentId, "n", "k")).toBe(true);
      expect(await keyValues.delete(agentId, "n", "k")).toBe(false);
    }));

  it("sets a value only over the version that was read, one of many rivals", () =>
    inStore(async ({ store: { keyValues } }) => {
      const tries = (ifVersion: number) =>
        Promise.all(
          Array.from({ length: 6 }, (_, index) => keyValues.set(agentId, "n", "k", { value: `${index}`, ifVersion })),
        );
      expect((await tries(0)).filter(Boolean)).toHaveLength(1);
      expect((await tries(0)).filter(Boolean)).toHaveLength(0);
      expect((await tries(1)).filter(Boolean)).toHaveLength(1);
      expect((await keyValues.get(agentId, "n", "k"))?.version).toBe(2);
    }));

  it("lists the values of a namespace page by page, without what expired", () =>
    inStore(async ({ store: { keyValues }, clock }) => {
      expect(await keyValues.list(agentId, "n", { limit: 9 })).toEqual([]);
      for (const key of ["c", "a", "d", "b"]) await keyValues.set(agentId, "n", key, { value: `v${key}` });
      await keyValues.set(agentId, "n", "b2", { value: "gone", expiresAt: 1500 });
      await keyValues.set(agentId, "other", "e", { value: "elsewhere" });
      await keyValues.set(otherAgentId, "n", "e", { value: "another's" });
      await keyValues.set(agentId, "n", "a", { value: "new" });
      clock.set(1500);
      const first = await keyValues.list(agentId, "n", { limit: 2 });
      expect(first).toEqual([
        { key: "a", value: "new", version: 2 },
        { key: "b", value: "vb", version: 1 },
      ]);
      const rest = await keyValues.list(agentId, "n", { limit: 9, after: "b" });
      expect(rest.map(({ key }) => key)).toEqual(["c", "d"]);
    }));

  it("lets a value expire and gives whoever comes next a version of its own", () =>
    inStore(async ({ store: { keyValues }, clock }) => {
      await keyValues.set(agentId, "n", "lock", { value: "mine", ifVersion: 0, expiresAt: 1500 });
      clock.set(1499);
      expect(await keyValues.set(agentId, "n", "lock", { value: "yours", ifVersion: 0 })).toBe(false);
      clock.set(1500);
      expect(await keyValues.get(agentId, "n", "lock")).toBeNull();
      expect(await keyValues.delete(agentId, "n", "lock")).toBe(false);
      expect(await keyValues.set(agentId, "n", "lock", { value: "yours", ifVersion: 0 })).toBe(true);
      expect(await keyValues.set(agentId, "n", "lock", { value: "mine", ifVersion: 1 })).toBe(false);
    }));

  it("counts without losing any, from 0 when there is nothing or it expired", () =>
    inStore(async ({ store: { keyValues }, clock }) => {
      const by = { amount: 2, expiresAt: 1500 };
      const sums = await Promise.all(Array.from({ length: 5 }, () => keyValues.increment(agentId, "n", "c", by)));
      expect(sums).toEqual([2, 4, 6, 8, 10]);
      expect(await keyValues.increment(agentId, "n", "c", { amount: -3 })).toBe(7);
      clock.set(1500);
      expect(await keyValues.increment(agentId, "n", "c", { amount: 1 })).toBe(1);
      await keyValues.set(agentId, "n", "word", { value: "abc" });
      await expect(keyValues.increment(agentId, "n", "word", { amount: 1 })).rejects.toMatchObject({ code: "invalid" });
    }));
}

function describeAdmin({ shared: inStore, own }: Benches): void {
  it("is well, at a glance and looked at deeply", () =>
    inStore(async ({ store }) => {
      await acceptAndClaim(store);
      expect(await store.admin.health()).toMatchObject({ ok: true, problems: [] });
      expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true, problems: [] });
    }));

  it("finishes what was begun before it closes, and refuses what comes later", () =>
    own(async ({ store }) => {
      const begun = Promise.all(
        Array.from({ length: 10 }, (_, index) => acceptAndClaim(store, `${index}`, `${index}`)),
      );
      await Promise.all([store.admin.close(), store.admin.close()]);
      expect(await begun).toHaveLength(10);
      await store.admin.close();
      for (const late of [
        store.inbox.counts(agentId),
        store.admin.write(agentId, []),
        store.admin.health(),
        store.keyValues.get(agentId, "n", "k"),
      ]) {
        await expect(late).rejects.toMatchObject({ code: "unavailable", name: "StoreError" });
      }
    }));
}
