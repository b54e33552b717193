import { expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Memory, MemoryType } from "../memory/memory.ts";
import { entityIdOf, roomIdOf } from "../memory/message-id.ts";
import type { EntryBody } from "../run/entry.ts";
import type { Fence, Lease, Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { createInbound } from "./create-inbound.ts";
import type { JobTest } from "./store-contract-jobs.ts";

type Bench = Parameters<JobTest>[0];
type InStore = (test: JobTest) => Promise<void>;
/** Like {@link InStore}, with a look at everything that lies on the disk, where something does. */
type OnDisk = (test: (bench: Bench & { contents?(): Promise<string> }) => Promise<void>) => Promise<void>;

const platform = "test";
const account = "bot";
const model = "test:embed";
const lobby = roomIdOf(platform, account, "lobby");
/** Who is forgotten, and a word nobody else ever says. */
const name = "Quorvix the Unforgotten";
const word = "xylozorblaxian";
const secret = `my ${word} grandmother keeps "bees"\nin Rome`;
const person = entityIdOf(platform, account, name);
const other = entityIdOf(platform, account, "Bo");

const none = {
  memories: 0,
  facts: 0,
  embeddings: 0,
  runs: 0,
  parts: 0,
  deliveries: 0,
  relationships: 0,
  tasks: 0,
};

function hear(agentId: string, eventId: string, heard: { text: string; from: string; room?: string }) {
  const inbound = createInbound({ agentId, platform, account }, { eventId, ...heard });
  return { ...inbound, memory: { ...inbound.memory, metadata: { entityName: heard.from } } };
}

async function acceptAndClaim(store: Store, agentId: string, inbound: ReturnType<typeof hear>): Promise<Lease> {
  const accepted = await store.inbox.accept(agentId, inbound, { at: 1, owner: "process-1" });
  if (accepted.type !== "accepted" || !accepted.lease) throw new Error("the room is free");
  return accepted.lease;
}

function kept(agentId: string, id: string, type: MemoryType, more: Partial<Memory> & { text: string }): Write {
  const { text, ...rest } = more;
  const memory = { id, agentId, roomId: lobby, entityId: agentId, type, createdAt: 0, content: { text }, ...rest };
  return { type: "memory.put", memory };
}

function part(hash: string, text: string): Write {
  return { type: "part.put", part: { hash, text } };
}

function delivery(agentId: string, runId: string, text: string): Write {
  const aim = { platform, account, target: "lobby", kind: "message", nonce: "n" } as const;
  const one = { key: `${runId}/1/1`, agentId, runId, roomId: lobby, content: { text }, ...aim };
  return { type: "delivery.put", delivery: one, state: "sent", isOpen: false };
}

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };

function promptOf(parts: readonly string[]): EntryBody {
  const shown = parts.map((hash) => ({ role: "user", part: hash }) as const);
  return { type: "prompt", step: 1, purpose: "answer", model: "m", parts: shown };
}

function answerOf(hash: string): EntryBody {
  const answer = { purpose: "answer", finishReason: "stop", isUsable: true, model: "m", usage } as const;
  return { type: "model_answer", step: 1, part: hash, ...answer };
}

/** A run that answers the oldest waiting input of a lease. */
async function run(
  store: Store,
  lease: Lease,
  of: { runId: string; parts: readonly string[]; bodies?: readonly EntryBody[]; writes: readonly Write[] },
): Promise<void> {
  const [input] = lease.inputs;
  const bodies: readonly EntryBody[] = [
    { type: "input", inputs: [{ seq: input?.seq ?? 0, memoryId: input?.memoryId ?? "" }] },
    promptOf(of.parts),
    answerOf(`answer of ${of.runId}`),
    ...(of.bodies ?? []),
    { type: "end", outcome: "answered", reason: `answered ${of.runId}` },
  ];
  const entries = bodies.map((body, at) => ({ seq: lease.lastEntry + at + 1, runId: of.runId, at: 1, body }));
  const done = { runId: of.runId, seqs: [input?.seq ?? 0], outcome: "answered" } as const;
  await store.journal.append(lease.fence, { entries, writes: of.writes, done });
}

/** Everything a person's words can get to, beside what somebody else said. */
async function live(store: Store, agentId: string): Promise<{ readonly theirs: string; readonly others: string }> {
  const theirs = hear(agentId, "1", { text: secret, from: name });
  const others = hear(agentId, "2", { text: "how deep is the sea", from: "Bo" });
  const says = `Indeed, your ${word} grandmother is kind.`;
  await run(store, await acceptAndClaim(store, agentId, theirs), {
    runId: "run-of-theirs",
    parts: ["system", "said", "alone"],
    bodies: [
      { type: "action_call", callId: "1.1", name: "NOTE", parameters: { what: secret }, origin: "named" },
      { type: "action_result", callId: "1.1", success: true, text: secret, data: [secret], values: { last: secret } },
      { type: "error", where: "action", code: "internal", message: `failed at ${secret}` },
    ],
    writes: [
      part("system", "You are Ada, who keeps a lighthouse."),
      part("said", `<message from="${name}">${secret}</message>`),
      part("alone", "nobody else was shown this"),
      part("answer of run-of-theirs", JSON.stringify({ text: says })),
      kept(agentId, "reply", "message", { text: says, runId: "run-of-theirs", platformId: "77" }),
      delivery(agentId, "run-of-theirs", says),
    ],
  });
  await run(store, await acceptAndClaim(store, agentId, others), {
    runId: "run-of-others",
    parts: ["system", "said", "asked"],
    bodies: [{ type: "action_call", callId: "1.1", name: "NOTE", parameters: { what: "the sea" }, origin: "named" }],
    writes: [
      part("asked", '<message from="Bo">how deep is the sea</message>'),
      part("answer of run-of-others", "Very deep."),
      kept(agentId, "reply to others", "message", { text: "Very deep.", runId: "run-of-others" }),
      delivery(agentId, "run-of-others", "Very deep."),
    ],
  });
  await store.admin.write(agentId, made(agentId, { theirs: theirs.memory.id, others: others.memory.id }));
  await store.embeddings.put(
    agentId,
    model,
    [theirs.memory.id, others.memory.id, "fact of theirs", "summary"].map((memoryId, at) => {
      return { memoryId, vector: Float32Array.from([at + 1, 1, 1]) };
    }),
  );
  await store.keyValues.set(agentId, "settings", `zone of ${person}`, { value: "Europe/Rome" });
  await store.keyValues.set(agentId, "settings", "newest", { value: JSON.stringify({ by: person }) });
  await store.keyValues.set(agentId, "settings", "quote", { value: secret });
  await store.keyValues.set(agentId, "settings", `zone of ${other}`, { value: "UTC" });
  return { theirs: theirs.memory.id, others: others.memory.id };
}

/** What evaluators and people made of it. */
function made(agentId: string, { theirs, others }: { readonly theirs: string; readonly others: string }): Write[] {
  const task = (id: string, entityId: string, payload: JsonObject): Write => ({
    type: "task.put",
    task: {
      ...{ id, name: id, kind: "remind", payload, state: "active", failures: 0, createdAt: 1, entityId },
      schedule: { type: "once", at: 5 },
      catchUp: "once",
    },
  });
  const knows = (fromId: string, toId: string): Write => ({
    type: "relationship.put",
    relationship: { fromId, toId, tags: ["friend"], updatedAt: 1 },
  });
  const job = (id: string, payload: JsonObject): Write => ({
    type: "job.put",
    job: { id, kind: "note", payload, runAt: 0, queue: "notes" },
  });
  return [
    kept(agentId, "fact of theirs", "fact", { text: `has a ${word} grandmother`, metadata: { subjectId: person } }),
    kept(agentId, "fact from theirs", "fact", { text: "Rome has bees", metadata: { sourceMemoryId: theirs } }),
    kept(agentId, "fact of others", "fact", { text: "Bo likes the sea", metadata: { subjectId: other } }),
    kept(agentId, "summary", "summary", { text: `spoke of ${word} kin`, metadata: { sourceIds: [others, theirs] } }),
    kept(agentId, "episode", "episode", { text: "an old tale", metadata: { sourceIds: ["summary"] } }),
    kept(agentId, "summary of others", "summary", { text: "the sea", metadata: { sourceIds: [others] } }),
    kept(agentId, "knowledge", "fragment", { text: "bees are insects" }),
    task("task of theirs", person, { say: "call home" }),
    task("task about theirs", other, { say: secret }),
    task("task of others", other, { say: "swim" }),
    knows(person, other),
    knows(other, person),
    knows(other, agentId),
    job("job about theirs", { memoryId: theirs }),
    job("job of the run", { runId: "run-of-theirs" }),
    job("job of others", { memoryId: others }),
  ];
}

async function idsOf(store: Store, agentId: string): Promise<readonly string[]> {
  const types = ["message", "fact", "summary", "episode", "fragment"] as const;
  return (await store.memories.list(agentId, { types, limit: 99 })).map(({ id }) => id);
}

/** What every store must keep about forgetting; a part of `storeContract`. */
export function describeForgetting({ shared: inStore, own }: { readonly shared: InStore; readonly own: OnDisk }): void {
  describePerson(inStore);
  describeTraces({ shared: inStore, own });
  describeRoomsAndMemories(inStore);
  describeWaiting(inStore);
  describeAfterwards(inStore);
}

function describePerson(inStore: InStore): void {
  const forgetting = { type: "entity", entityId: person } as const;

  it("forgets what a person said, what was answered and what was made of it, and nothing else", () =>
    inStore(async ({ store, agentId }) => {
      const { others } = await live(store, agentId);
      expect(await store.admin.forget(agentId, forgetting)).toEqual({
        memories: 4,
        facts: 2,
        embeddings: 3,
        runs: 2,
        parts: 3,
        deliveries: 1,
        relationships: 2,
        tasks: 2,
      });
      const left = ["knowledge", "summary of others", "fact of others", "reply to others", others];
      expect(await idsOf(store, agentId)).toEqual(left);
      expect(await store.memories.search(agentId, { text: word, limit: 9 })).toEqual([]);
      const near = await store.embeddings.nearest(agentId, { model, vector: new Float32Array(3).fill(1), limit: 9 });
      expect(near.map(({ memory }) => memory.id)).toEqual([others]);
      expect(await store.rooms.entities(agentId, [person])).toEqual([]);
      expect(await store.relationships.of(agentId, other)).toHaveLength(1);
      expect((await store.tasks.list(agentId, { limit: 9 })).map(({ id }) => id)).toEqual(["task of others"]);
      expect((await store.jobs.list(agentId, { limit: 9 })).map(({ id }) => id)).toEqual(["job of others"]);
      expect(await store.jobs.claim(agentId, "p", { now: 9, limit: 9 })).toHaveLength(1);
      for (const key of [`zone of ${person}`, "newest", "quote"]) {
        expect(await store.keyValues.get(agentId, "settings", key)).toBeNull();
      }
      expect(await store.keyValues.get(agentId, "settings", `zone of ${other}`)).not.toBeNull();
      expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true });
    }));

  it("finds nothing a second time, and nothing of somebody unknown", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await live(store, agentId);
      expect(await store.admin.forget(agentId, { type: "entity", entityId: "unknown" })).toEqual(none);
      expect(await store.admin.forget(otherAgentId, forgetting)).toEqual(none);
      expect(await idsOf(store, agentId)).toHaveLength(11);
      await store.admin.forget(agentId, forgetting);
      expect(await store.admin.forget(agentId, forgetting)).toEqual(none);
    }));

  it("leaves another agent's memory of the same person alone", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await live(store, agentId);
      await live(store, otherAgentId);
      await store.admin.forget(agentId, forgetting);
      expect(await idsOf(store, otherAgentId)).toHaveLength(11);
      expect((await store.journal.parts(otherAgentId, ["system", "said"])).size).toBe(2);
      expect(await store.memories.search(otherAgentId, { text: word, limit: 9 })).toHaveLength(4);
    }));
}

function describeTraces({ shared: inStore, own }: { readonly shared: InStore; readonly own: OnDisk }): void {
  const forgetting = { type: "entity", entityId: person } as const;

  it("takes the texts out of journals and says which runs cannot be replayed", () =>
    inStore(async ({ store, agentId }) => {
      await live(store, agentId);
      await store.admin.forget(agentId, forgetting);
      const hashes = ["system", "said", "alone", "asked", "answer of run-of-theirs", "answer of run-of-others"];
      const parts = await store.journal.parts(agentId, hashes);
      expect([...parts.keys()].toSorted()).toEqual(["answer of run-of-others", "asked", "system"]);
      const entries = await store.journal.entries(agentId, "run-of-theirs");
      expect(entries.map(({ body }) => body.type)).toEqual([
        ...["input", "prompt", "model_answer", "action_call", "action_result", "error", "end"],
      ]);
      expect(entries[3]?.body).toEqual({ type: "action_call", callId: "1.1", name: "NOTE", origin: "named" });
      expect(entries[4]?.body).toEqual({ type: "action_result", callId: "1.1", success: true });
      expect(entries[5]?.body).toEqual({ type: "error", where: "action", code: "internal", message: "forgotten" });
      expect(await store.journal.run(agentId, "run-of-theirs")).toMatchObject({
        outcome: "answered",
        isForgotten: true,
      });
      expect(await store.journal.run(agentId, "run-of-others")).toMatchObject({ isForgotten: true });
      const kept = await store.journal.entries(agentId, "run-of-others");
      expect(kept[3]?.body).toMatchObject({ parameters: { what: "the sea" } });
      const [gone, sent] = await store.outbox.list(agentId, { limit: 9 });
      expect(gone).toMatchObject({ state: "sent", delivery: { content: { text: "" } }, error: "forgotten" });
      expect(sent?.delivery.content.text).toBe("Very deep.");
    }));

  it("leaves nothing of it on the disk", () =>
    own(async ({ store, agentId, contents }) => {
      await live(store, agentId);
      await store.admin.write(agentId, [
        { type: "memory.edit", id: "summary", content: { text: `more ${word} kin` } },
        { type: "delivery.set", key: "run-of-theirs/1/1", state: "sent", text: `the ${word} one`, error: word },
        { type: "memory.edit", id: "knowledge", content: { text: "bees are ants" } },
      ]);
      const before = (await contents?.()) ?? word;
      expect(before.toLowerCase()).toContain(word);
      await store.admin.forget(agentId, forgetting);
      const after = ((await contents?.()) ?? "").toLowerCase();
      for (const trace of [word.slice(4), "quorvix", "grandmother", person]) expect(after).not.toContain(trace);
    }));
}

function describeRoomsAndMemories(inStore: InStore): void {
  it("forgets single memories with what came of them", () =>
    inStore(async ({ store, agentId }) => {
      const { theirs, others } = await live(store, agentId);
      const forgotten = await store.admin.forget(agentId, { type: "memories", ids: [theirs, "unknown"] });
      expect(forgotten).toMatchObject({ memories: 4, facts: 1, runs: 2, parts: 3, deliveries: 1, relationships: 0 });
      const left = ["knowledge", "summary of others", "fact of others", "fact of theirs", "reply to others", others];
      expect(await idsOf(store, agentId)).toEqual(left);
      expect(await store.rooms.entities(agentId, [person])).toHaveLength(1);
      const own = await store.admin.forget(agentId, { type: "memories", ids: ["reply to others"] });
      expect(own).toMatchObject({ memories: 1, deliveries: 1 });
      expect((await store.memories.get(agentId, [others])).length).toBe(1);
    }));

  it("forgets a whole room, but not how it stands there", () =>
    inStore(async ({ store, agentId }) => {
      await live(store, agentId);
      const elsewhere = hear(agentId, "3", { text: "elsewhere", from: name, room: "hall" });
      await store.inbox.accept(agentId, elsewhere, { at: 0 });
      await store.admin.write(agentId, [{ type: "room.stance", roomId: lobby, stance: "muted" }]);
      const forgotten = await store.admin.forget(agentId, { type: "room", roomId: lobby });
      expect(forgotten).toMatchObject({ memories: 8, facts: 3, embeddings: 4, runs: 2, deliveries: 2 });
      expect(await idsOf(store, agentId)).toEqual([elsewhere.memory.id]);
      const row = await store.rooms.room(agentId, lobby);
      expect(row).toMatchObject({ stance: "muted" });
      expect(row?.room).not.toHaveProperty("name");
      expect(await store.journal.parts(agentId, ["system", "said", "asked"])).toEqual(new Map());
      expect(await store.admin.forget(agentId, { type: "room", roomId: lobby })).toEqual(none);
    }));
}

function describeWaiting(inStore: InStore): void {
  it("ends what still waits as ignored, and lets the rest go on", () =>
    inStore(async ({ store, agentId }) => {
      await store.inbox.accept(agentId, hear(agentId, "1", { text: secret, from: name }), { at: 1 });
      await store.inbox.accept(agentId, hear(agentId, "2", { text: "hello", from: "Bo" }), { at: 2 });
      await store.inbox.accept(agentId, hear(agentId, "3", { text: "alone", from: name, room: "hall" }), { at: 3 });
      await store.admin.forget(agentId, { type: "entity", entityId: person });
      expect(await store.inbox.counts(agentId)).toEqual({ waiting: 1, held: 0, oldestAt: 2 });
      const leases = await store.inbox.claim(agentId, "process-1", 9);
      expect(leases.flatMap(({ inputs }) => inputs.map(({ eventId }) => eventId))).toEqual(["2"]);
      const again = await store.inbox.accept(agentId, hear(agentId, "1", { text: secret, from: name }), { at: 4 });
      expect(again.type).toBe("duplicate");
    }));

  it("leaves a run that is at work its input, and forgets what it did so far", () =>
    inStore(async ({ store, agentId }) => {
      const inbound = hear(agentId, "1", { text: secret, from: name });
      const { fence, inputs } = await acceptAndClaim(store, agentId, inbound);
      const [{ seq, memoryId } = { seq: 0, memoryId: "" }] = inputs;
      const began: EntryBody = { type: "input", inputs: [{ seq, memoryId }] };
      await append(store, fence, [began, promptOf(["said"])], [part("said", secret)]);
      await store.inbox.accept(agentId, hear(agentId, "2", { text: "more", from: name }), { at: 1 });
      const forgotten = await store.admin.forget(agentId, { type: "entity", entityId: person });
      expect(forgotten).toMatchObject({ memories: 2, runs: 1, parts: 1 });
      expect((await store.inbox.waiting(fence)).map(({ eventId }) => eventId)).toEqual(["1"]);
      const done = { runId: "run-1", seqs: [seq], outcome: "answered" } as const;
      expect(await store.journal.append(fence, { entries: [], writes: [], done })).toBeNull();
      expect(await store.inbox.counts(agentId)).toMatchObject({ waiting: 0, held: 0 });
    }));
}

async function append(store: Store, fence: Fence, bodies: readonly EntryBody[], writes: readonly Write[]) {
  const entries = bodies.map((body, at) => ({ seq: at + 1, runId: "run-1", at: 1, body }));
  await store.journal.append(fence, { entries, writes });
}

function describeAfterwards(inStore: InStore): void {
  it("goes on with what is written afterwards: found, embedded, replayed", () =>
    inStore(async ({ store, agentId }) => {
      const { others } = await live(store, agentId);
      const missing = async () => (await store.embeddings.missing(agentId, { model, limit: 99 })).length;
      await store.memories.search(agentId, { text: "sea", limit: 9 });
      const before = await missing();
      const tail = ["t1", "t2", "t3"];
      await store.admin.write(
        agentId,
        tail.map((id) => kept(agentId, id, "message", { text: `walrus ${id}`, entityId: person })),
      );
      expect(await missing()).toBe(before + 3);
      await store.admin.forget(agentId, { type: "entity", entityId: person });
      const left = await missing();
      await store.admin.write(
        agentId,
        tail.map((id) => kept(agentId, `new ${id}`, "message", { text: `penguin ${id}`, entityId: other })),
      );
      expect(await missing()).toBe(left + 3);
      expect(await store.memories.search(agentId, { text: "penguin", limit: 9 })).toHaveLength(3);
      expect(await store.memories.search(agentId, { text: "walrus", limit: 9 })).toEqual([]);
      await store.embeddings.put(agentId, model, [{ memoryId: "new t1", vector: Float32Array.from([1, 1, 1]) }]);
      const near = await store.embeddings.nearest(agentId, { model, vector: Float32Array.from([1, 1, 1]), limit: 9 });
      expect(near.map(({ memory }) => memory.id).toSorted()).toEqual([others, "new t1"].toSorted());
      expect(await store.rooms.participants(agentId, { roomId: lobby, limit: 9 })).toMatchObject([{ id: other }]);
      await store.admin.write(agentId, [part("said", "said again")]);
      expect(await store.journal.parts(agentId, ["said"])).toEqual(new Map([["said", "said again"]]));
    }));
}
