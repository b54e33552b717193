import { expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";
import type { Room } from "../room/room.ts";
import type { Scope, Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import type { JobTest } from "./store-contract-jobs.ts";

/** One test of a part of the store, with a store and two agents nobody else uses. The clock starts at 1000. */
type InStore = (test: JobTest) => Promise<void>;

const model = "test:embed";

function memory(agentId: string, id: string, text: string, more: Partial<Memory> = {}): Memory {
  return { id, agentId, roomId: "r1", entityId: "e1", type: "message", content: { text }, createdAt: 0, ...more };
}

function put(...memories: readonly Memory[]): Write[] {
  return memories.map((one) => ({ type: "memory.put", memory: one }));
}

function room(id: string, worldId?: string): Room {
  const place = { platform: "test", account: "bot", platformId: id, channelType: "group" } as const;
  return { id, ...place, ...(worldId !== undefined && { worldId }) };
}

function ids(memories: readonly { readonly id: string }[]): readonly string[] {
  return memories.map(({ id }) => id);
}

/** What every store must keep about finding memories again; a part of `storeContract`. */
export function describeRecall({ shared: inStore, own }: { readonly shared: InStore; readonly own: InStore }): void {
  describeEdits(inStore);
  describeLists(inStore);
  describeScopes(inStore);
  describeParticipants(inStore);
  describeVectors({ shared: inStore, own });
  describeMissing({ shared: inStore, own });
}

function describeEdits(inStore: InStore): void {
  it("edits what a memory says, what is kept with it, or both", () =>
    inStore(async ({ store, agentId }) => {
      const old = memory(agentId, "m1", "an old saying", { metadata: { a: 1 }, platformId: "9" });
      await store.admin.write(agentId, put(old));
      await store.admin.write(agentId, [
        { type: "memory.edit", id: "m1", content: { text: "a new \ud83d word", thought: "why" } },
        { type: "memory.edit", id: "unknown", content: { text: "nothing" } },
      ]);
      const said = { ...old, content: { text: "a new \ufffd word", thought: "why" } };
      expect(await store.memories.get(agentId, ["m1", "unknown"])).toEqual([said]);
      await store.admin.write(agentId, [{ type: "memory.edit", id: "m1", metadata: { b: [2] } }]);
      expect(await store.memories.get(agentId, ["m1"])).toEqual([{ ...said, metadata: { b: [2] } }]);
    }));

  it("finds an edited memory by what it says now, also by what its attachments show", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(memory(agentId, "m1", "apples"), memory(agentId, "m2", "apples too")));
      const find = async (text: string) => {
        const hits = await store.memories.search(agentId, { text, limit: 9 });
        return ids(hits.map((hit) => hit.memory)).toSorted();
      };
      const attachments = [{ id: "a", url: "u", description: "a lighthouse" }];
      await store.admin.write(agentId, [{ type: "memory.edit", id: "m1", content: { text: "pears", attachments } }]);
      expect(await find("apples")).toEqual(["m2"]);
      expect(await find("pears lighthouse")).toEqual(["m1"]);
    }));

  it("leaves a removed memory gone", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, [
        ...put(memory(agentId, "m1", "apples")),
        { type: "memory.remove", id: "m1" },
        { type: "memory.edit", id: "m1", content: { text: "pears" } },
      ]);
      expect(await store.memories.get(agentId, ["m1"])).toEqual([]);
      expect(await store.memories.search(agentId, { text: "pears", limit: 9 })).toEqual([]);
    }));
}

/** m1..m4 in rooms r1 (world w1), r2 (world w1), r3 and r1, by e1, e2, e1 and e3. */
async function furnish(store: Store, agentId: string): Promise<void> {
  const world = { id: "w1", platform: "test", account: "bot", platformId: "guild" };
  await store.admin.write(agentId, [
    { type: "world.put", world },
    { type: "room.put", room: room("r1", "w1") },
    { type: "room.put", room: room("r2", "w1") },
    { type: "room.put", room: room("r3") },
    ...put(
      memory(agentId, "m1", "red apple", { createdAt: 4 }),
      memory(agentId, "m2", "green apple", { roomId: "r2", entityId: "e2", type: "fact" }),
      memory(agentId, "m3", "yellow apple", { roomId: "r3", type: "fact" }),
      memory(agentId, "m4", "apple pie and cake and cream", { entityId: "e3", type: "summary" }),
    ),
  ]);
}

const scopes: readonly (readonly [string, Scope, readonly string[]])[] = [
  ["a room", { roomIds: ["r1"] }, ["m4", "m1"]],
  ["several rooms", { roomIds: ["r2", "r3", "unknown"] }, ["m3", "m2"]],
  ["a world", { worldIds: ["w1"] }, ["m4", "m2", "m1"]],
  ["an entity", { entityIds: ["e1"] }, ["m3", "m1"]],
  ["a room or an entity", { roomIds: ["r2"], entityIds: ["e3"] }, ["m4", "m2"]],
  ["a world or an entity", { worldIds: ["w1"], entityIds: ["e1"] }, ["m4", "m3", "m2", "m1"]],
  ["nowhere", { roomIds: [] }, []],
];

function describeLists(inStore: InStore): void {
  const types = ["message", "fact", "summary"] as const;

  it("lists memories newest first by writing, of some types", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await furnish(store, agentId);
      const list = async (query: Parameters<Store["memories"]["list"]>[1]) =>
        ids(await store.memories.list(agentId, query));
      expect(await list({ types, limit: 9 })).toEqual(["m4", "m3", "m2", "m1"]);
      expect(await list({ types: ["fact"], limit: 9 })).toEqual(["m3", "m2"]);
      expect(await list({ types, limit: 2 })).toEqual(["m4", "m3"]);
      expect(await list({ types, limit: 2, before: "m3" })).toEqual(["m2", "m1"]);
      expect(await list({ types: [], limit: 9 })).toEqual([]);
      await expect(list({ types, limit: 1, before: "unknown" })).rejects.toMatchObject({ code: "not_found" });
      await store.admin.write(agentId, [{ type: "memory.remove", id: "m3" }]);
      expect(await list({ types: ["fact"], limit: 9 })).toEqual(["m2"]);
      expect(await store.memories.list(otherAgentId, { types, limit: 9 })).toEqual([]);
    }));

  it.each(scopes)("lists the memories of %s", (_, scope, expected) =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      expect(ids(await store.memories.list(agentId, { types, limit: 9, scope }))).toEqual(expected);
    }),
  );
}

function describeScopes(inStore: InStore): void {
  it.each(scopes)("searches the memories of %s", (_, scope, expected) =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      for (const text of ["apple", "", "zucchini apple"]) {
        const hits = await store.memories.search(agentId, { text, limit: 9, scope, match: "any" });
        expect(ids(hits.map((hit) => hit.memory)).toSorted()).toEqual(expected.toSorted());
      }
    }),
  );

  it("finds what holds any of the words when asked, the more and the rarer the better", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(
        agentId,
        put(
          ...Array.from({ length: 12 }, (_, at) => memory(agentId, `common${at}`, `the sea ${at}`)),
          memory(agentId, "rare", "a narwhal at rest"),
          memory(agentId, "both", "the sea holds a narwhal"),
          memory(agentId, "none", "mountains"),
        ),
      );
      const search = async (match: "all" | "any", limit: number) => {
        const hits = await store.memories.search(agentId, { text: "sea narwhal zebra", limit, match });
        return ids(hits.map((hit) => hit.memory));
      };
      expect(await search("all", 20)).toEqual([]);
      expect(await search("any", 20)).toHaveLength(14);
      expect((await search("any", 1))[0]).toBe("both");
    }));

  it("finds any of the words in scripts without spaces", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(
        agentId,
        put(memory(agentId, "m1", "北京的天气"), memory(agentId, "m2", "東京タワー"), memory(agentId, "m3", "อากาศดี")),
      );
      const hits = await store.memories.search(agentId, { text: "天气 タワー 上海", limit: 9, match: "any" });
      expect(ids(hits.map((hit) => hit.memory)).toSorted()).toEqual(["m1", "m2"]);
    }));
}

function describeParticipants(inStore: InStore): void {
  it("tells who spoke in a room, last spoken first", () =>
    inStore(async ({ store, agentId }) => {
      const entity = (id: string): Write => {
        const who = { platform: "test", account: "bot", platformId: id, name: `Name of ${id}` };
        return { type: "entity.put", entity: { id, ...who } };
      };
      const says = (id: string, entityId: string, more: Partial<Memory> = {}) =>
        store.admin.write(agentId, put(memory(agentId, id, "t", { entityId, ...more })));
      const present = async (limit = 9) => ids(await store.rooms.participants(agentId, { roomId: "r1", limit }));
      expect(await present()).toEqual([]);
      await store.admin.write(agentId, ["e1", "e2", "e3"].map(entity));
      await says("m1", "e1");
      await says("m2", "e2");
      await says("m3", "e3", { roomId: "r2" });
      await says("m4", "unknown");
      await says("m5", "e3", { type: "fact" });
      expect(await present()).toEqual(["e2", "e1"]);
      await says("m6", "e1");
      expect(await present()).toEqual(["e1", "e2"]);
      expect(await present(1)).toEqual(["e1"]);
      await store.admin.write(agentId, [{ type: "memory.remove", id: "m2" }]);
      expect(await present()).toEqual(["e1"]);
    }));
}

/** A direction in eight dimensions; `tilt` turns it a little. */
function vector(axis: number, tilt = 0): Float32Array {
  const values = new Float32Array(8);
  values[axis] = 3;
  values[(axis + 1) % 8] = tilt;
  return values;
}

function describeVectors({ shared: inStore, own }: { readonly shared: InStore; readonly own: InStore }): void {
  const embed = (store: Store, agentId: string, vectors: Readonly<Record<string, Float32Array>>) =>
    store.embeddings.put(
      agentId,
      model,
      Object.entries(vectors).map(([memoryId, one]) => ({ memoryId, vector: one })),
    );
  const near = async (
    store: Store,
    agentId: string,
    more: Partial<Parameters<Store["embeddings"]["nearest"]>[1]> = {},
  ) =>
    ids(
      (await store.embeddings.nearest(agentId, { model, vector: vector(0), limit: 9, ...more })).map(
        (hit) => hit.memory,
      ),
    );

  it("finds the nearest by cosine and says how near", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0, 1), m2: vector(0), m3: vector(1), m4: vector(0, -2) });
      const query = { model, vector: vector(0), limit: 3 };
      const hits = await store.embeddings.nearest(agentId, query);
      expect(ids(hits.map((hit) => hit.memory))).toEqual(["m2", "m1", "m4"]);
      expect(hits[0]?.memory).toEqual((await store.memories.get(agentId, ["m2"]))[0]);
      expect(hits.map(({ score }) => score)).toEqual([
        expect.closeTo(1, 5),
        expect.closeTo(3 / Math.sqrt(10), 5),
        expect.closeTo(3 / Math.sqrt(13), 5),
      ]);
      expect(await store.embeddings.nearest(otherAgentId, query)).toEqual([]);
      expect(await near(store, agentId, { model: "test:other" })).toEqual([]);
      expect(await near(store, agentId, { types: ["fact"] })).toEqual(["m2", "m3"]);
    }));

  it.each(scopes)("looks among the vectors of %s", (_, scope, expected) =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0), m2: vector(1), m3: vector(2), m4: vector(3) });
      expect((await near(store, agentId, { scope })).toSorted()).toEqual(expected.toSorted());
    }),
  );

  it("finds the nearest among many", () =>
    inStore(async ({ store, agentId }) => {
      const many = Array.from({ length: 600 }, (_, at) => `m${at}`);
      await store.admin.write(agentId, put(...many.map((id) => memory(agentId, id, id))));
      const wave = (at: number) => Float32Array.from({ length: 32 }, (_, axis) => Math.sin((at + 1) * (axis + 2.7)));
      await store.embeddings.put(
        agentId,
        model,
        many.map((memoryId, at) => ({ memoryId, vector: wave(at) })),
      );
      for (const at of [0, 7, 255, 256, 599]) {
        expect((await near(store, agentId, { vector: wave(at), limit: 5 }))[0]).toBe(`m${at}`);
      }
      expect(await near(store, agentId, { vector: wave(3), limit: 600 })).toHaveLength(600);
    }));

  it("follows what is put again, edited, removed and written after a search", () =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0), m2: vector(1), m3: vector(2) });
      expect(await near(store, agentId)).toHaveLength(3);
      await embed(store, agentId, { m2: vector(0, 0.1), m4: vector(0, 0.2), unknown: vector(0) });
      expect(await near(store, agentId, { limit: 3 })).toEqual(["m1", "m2", "m4"]);
      await store.admin.write(agentId, [
        { type: "memory.edit", id: "m1", content: { text: "another thing" } },
        { type: "memory.edit", id: "m2", metadata: { confidence: 0.5 } },
        { type: "memory.remove", id: "m4" },
      ]);
      expect(await near(store, agentId)).toEqual(["m2", "m3"]);
      await embed(store, agentId, { m1: vector(0), m4: vector(0) });
      expect(await near(store, agentId)).toEqual(["m1", "m2", "m3"]);
    }));

  it("forgets a vector that was put in a write that failed", () =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0) });
      expect(await near(store, agentId)).toEqual(["m1"]);
      const bad = { memoryId: "m3", vector: new Float32Array(8) };
      const both = store.embeddings.put(agentId, model, [{ memoryId: "m2", vector: vector(1) }, bad]);
      const meanwhile = near(store, agentId);
      await expect(both).rejects.toMatchObject({ code: "invalid" });
      await meanwhile;
      expect(await near(store, agentId)).toEqual(["m1"]);
    }));

  it("refuses vectors that cannot be compared", () =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0) });
      const wrong = [
        new Float32Array(0),
        new Float32Array(8),
        vector(0).fill(Number.NaN, 3, 4),
        vector(0).fill(Number.POSITIVE_INFINITY, 3, 4),
        new Float32Array(7).fill(1),
      ];
      for (const one of wrong) {
        await expect(embed(store, agentId, { m2: one })).rejects.toMatchObject({ code: "invalid" });
        await expect(near(store, agentId, { vector: one })).rejects.toMatchObject({ code: "invalid" });
      }
      expect(await store.embeddings.counts(agentId)).toMatchObject([{ count: 1, dimensions: 8 }]);
    }));

  it("keeps the vectors of two models and two agents apart, and drops those of one", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await furnish(store, agentId);
      await furnish(store, otherAgentId);
      await embed(store, agentId, { m1: vector(0), m2: vector(1) });
      await embed(store, otherAgentId, { m1: vector(0) });
      await store.embeddings.put(agentId, "test:wide", [{ memoryId: "m3", vector: new Float32Array(16).fill(1) }]);
      const counts = await store.embeddings.counts(agentId);
      expect(counts).toEqual([
        { model, dimensions: 8, count: 2, refused: 0, missing: 2 },
        { model: "test:wide", dimensions: 16, count: 1, refused: 0, missing: 3 },
      ]);
      await store.embeddings.drop(agentId, model);
      await store.embeddings.drop(agentId, "test:unknown");
      expect((await store.embeddings.counts(agentId)).map((count) => count.model)).toEqual(["test:wide"]);
      expect(await near(store, agentId)).toEqual([]);
      expect(await near(store, otherAgentId)).toEqual(["m1"]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m1", vector: new Float32Array(4).fill(1) }]);
      expect(await near(store, agentId, { vector: new Float32Array(4).fill(2) })).toEqual(["m1"]);
    }));

  it("still finds the nearest after opening again", () =>
    own(async ({ store, agentId, reopen }) => {
      await furnish(store, agentId);
      await embed(store, agentId, { m1: vector(0), m2: vector(1) });
      await store.embeddings.put(agentId, model, [{ memoryId: "m3", refused: "too long" }]);
      const again = (await reopen?.()) ?? store;
      expect(await near(again, agentId)).toEqual(["m1", "m2"]);
      expect(await again.embeddings.counts(agentId)).toMatchObject([{ count: 2, refused: 1 }]);
    }));
}

function describeMissing({ shared: inStore, own }: { readonly shared: InStore; readonly own: InStore }): void {
  const missing = async (
    store: Store,
    agentId: string,
    more: Partial<Parameters<Store["embeddings"]["missing"]>[1]> = {},
  ) => (await store.embeddings.missing(agentId, { model, limit: 9, ...more })).map(({ memoryId }) => memoryId);

  it("names what has no vector yet, oldest first, with what is to be embedded", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      const attachments = [{ id: "a", url: "u", title: "dusk.png", description: "a lighthouse" }];
      await furnish(store, agentId);
      await store.admin.write(
        agentId,
        put(
          memory(agentId, "shown", "", { content: { text: "", attachments } }),
          memory(agentId, "empty", ""),
          memory(agentId, "wordless", "?! …"),
          memory(agentId, "emoji", "🎉"),
        ),
      );
      expect(await missing(store, agentId)).toEqual(["m1", "m2", "m3", "m4", "shown", "emoji"]);
      expect(await missing(store, agentId, { limit: 2 })).toEqual(["m1", "m2"]);
      expect(await missing(store, agentId, { types: ["fact", "summary"] })).toEqual(["m2", "m3", "m4"]);
      expect(await missing(store, agentId, { types: [] })).toEqual([]);
      expect(await missing(store, otherAgentId)).toEqual([]);
      const [, , , , shown] = await store.embeddings.missing(agentId, { model, limit: 9 });
      expect(shown?.text).toBe("\ndusk.png\na lighthouse");
    }));

  it("goes on with what is left: what has a vector or was refused is not named again", () =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      await store.embeddings.put(agentId, model, [
        { memoryId: "m2", vector: vector(0) },
        { memoryId: "m3", refused: "too long" },
      ]);
      expect(await missing(store, agentId)).toEqual(["m1", "m4"]);
      expect(await missing(store, agentId, { model: "test:other" })).toEqual(["m1", "m2", "m3", "m4"]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m1", vector: vector(0) }]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m4", vector: vector(0) }]);
      expect(await missing(store, agentId)).toEqual([]);
      await store.admin.write(agentId, put(memory(agentId, "m5", "new")));
      expect(await missing(store, agentId)).toEqual(["m5"]);
      expect(await store.embeddings.counts(agentId)).toMatchObject([{ count: 3, refused: 1, missing: 1 }]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m3", vector: vector(0) }]);
      expect(await store.embeddings.counts(agentId)).toMatchObject([{ count: 4, refused: 0, missing: 1 }]);
    }));

  it("names what was edited again, in its place", () =>
    inStore(async ({ store, agentId }) => {
      await furnish(store, agentId);
      const all = ["m1", "m2", "m3", "m4"];
      await store.embeddings.put(
        agentId,
        model,
        all.map((memoryId) => ({ memoryId, vector: vector(0) })),
      );
      expect(await missing(store, agentId)).toEqual([]);
      await store.admin.write(agentId, [
        ...put(memory(agentId, "m5", "new")),
        { type: "memory.edit", id: "m3", content: { text: "blue apple" } },
        { type: "memory.edit", id: "m1", content: { text: "?" } },
        { type: "memory.edit", id: "m2", content: { text: "gone soon" } },
        { type: "memory.remove", id: "m2" },
      ]);
      expect(await missing(store, agentId)).toEqual(["m3", "m5"]);
      expect(await store.embeddings.counts(agentId)).toMatchObject([{ count: 1, missing: 2 }]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m3", vector: vector(0) }]);
      expect(await missing(store, agentId)).toEqual(["m5"]);
    }));

  it("goes on after opening again", () =>
    own(async ({ store, agentId, reopen }) => {
      await furnish(store, agentId);
      expect(await missing(store, agentId, { limit: 1 })).toEqual(["m1"]);
      await store.embeddings.put(agentId, model, [{ memoryId: "m1", vector: vector(0) }]);
      await store.admin.write(agentId, [{ type: "memory.edit", id: "m1", content: { text: "changed" } }]);
      const again = (await reopen?.()) ?? store;
      expect(await missing(again, agentId)).toEqual(["m1", "m2", "m3", "m4"]);
    }));
}
