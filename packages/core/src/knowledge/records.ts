import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import type { ReadKnowledge } from "./knowledge-access.ts";
import { type KnowledgeRecord, knowledgeRoomId, recordToJson, toRecord } from "./knowledge-record.ts";
import { changeFragments } from "./write-fragments.ts";

/** What records are kept with. */
export type RecordsParts = {
  readonly ownerId: string;
  readonly store: Pick<Store, "memories" | "keyValues" | "admin">;
  readonly now: () => number;
};

/** What a new record begins with. */
export type RecordPlace = Pick<KnowledgeRecord, "key" | "sourceKey" | "source" | "path">;

/** The records of one owner, read once and kept up to date: nobody else writes them while the agent runs. */
export type Records = {
  load(): Promise<ReadonlyMap<string, KnowledgeRecord>>;
  /** Those that are loaded; null before. */
  known(): ReadonlyMap<string, KnowledgeRecord> | null;
  /** The record of this key, made when there is none. */
  open(place: RecordPlace): Promise<KnowledgeRecord>;
  /** Replaces the record; one that was forgotten meanwhile stays so. */
  save(record: KnowledgeRecord): Promise<void>;
  /** Replaces the record together with its document's fragments. */
  saveRead(record: KnowledgeRecord, knowledge: ReadKnowledge): Promise<KnowledgeRecord>;
  /** Takes the fragments away and keeps the record. */
  saveWithout(record: KnowledgeRecord): Promise<void>;
  /** Forgets documents with all they said. */
  forget(records: readonly KnowledgeRecord[]): Promise<void>;
};

const mostDocuments = 1_000_000;
const mostFragments = 1_000_000;
/** Writes of one transaction: it stays so short that no message waits for it. */
const batchSize = 200;

/** The records of an owner. */
export function createRecords(parts: RecordsParts): Records {
  const { ownerId, store, now } = parts;
  let loading: Promise<Map<string, KnowledgeRecord>> | null = null;
  let loaded: Map<string, KnowledgeRecord> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<Map<string, KnowledgeRecord>> => {
    loading ??= readRecords(ownerId, store).then((records) => {
      loaded = records;
      return records;
    });
    try {
      return await loading;
    } catch (error) {
      loading = null;
      throw error;
    }
  };
  /** What changes records is done one after the other: nothing is written to what is being forgotten. */
  const alone = <Value>(work: (records: Map<string, KnowledgeRecord>) => Promise<Value>): Promise<Value> => {
    const done = last.then(load).then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const replace = async (
    records: Map<string, KnowledgeRecord>,
    record: KnowledgeRecord,
    writes: readonly Write[],
  ): Promise<void> => {
    if (records.get(record.key)?.id !== record.id) return;
    const batches = Array.from({ length: Math.ceil(writes.length / batchSize) }, (_, at) =>
      writes.slice(at * batchSize, (at + 1) * batchSize),
    );
    for (const batch of batches.slice(0, -1)) await store.admin.write(ownerId, batch);
    // What is known of the document changes with the last of its fragments: before that it still is to be read.
    const edit: Write = {
      type: "memory.edit",
      id: record.id,
      content: { text: titleOf(record) },
      metadata: recordToJson(record),
    };
    await store.admin.write(ownerId, [...(batches.at(-1) ?? []), edit]);
    records.set(record.key, record);
  };

  return {
    load,
    known: () => loaded,
    open: (place) =>
      alone(async (records) => {
        const known = records.get(place.key);
        if (known) return known;
        const number = await store.keyValues.increment(ownerId, "knowledge", "documents", { amount: 1 });
        const id = deriveId("memory", ownerId, place.key, String(number));
        const record: KnowledgeRecord = {
          ...{ id, ...place, state: "waiting", fragments: 0 },
          ...{ attempt: 0, begun: 0, checkedAt: now() },
        };
        await store.admin.write(ownerId, [{ type: "memory.put", memory: toMemory(ownerId, record, now()) }]);
        records.set(place.key, record);
        return record;
      }),
    save: (record) => alone((records) => replace(records, record, [])),
    saveRead: (record, knowledge) =>
      alone(async (records) => {
        const standing = await fragmentsOf(ownerId, record, store);
        const { writes, count } = changeFragments({ ownerId, now: now() }, record, { knowledge, standing });
        const saved = { ...record, fragments: count };
        await replace(records, saved, writes);
        return saved;
      }),
    saveWithout: (record) =>
      alone(async (records) => {
        const standing = await fragmentsOf(ownerId, record, store);
        await replace(
          records,
          { ...record, fragments: 0 },
          standing.map(({ id }) => ({ type: "memory.remove", id })),
        );
      }),
    forget: (forgotten) =>
      alone(async (records) => {
        for (const record of forgotten) {
          const standing = await fragmentsOf(ownerId, record, store);
          const ids = [...standing.map(({ id }) => id), record.id];
          await store.admin.write(
            ownerId,
            ids.map((id) => ({ type: "memory.remove", id })),
          );
          if (records.get(record.key)?.id === record.id) records.delete(record.key);
        }
      }),
  };
}

/** Every record of an owner by its key, straight from the store. */
export async function readRecords(
  ownerId: string,
  { memories }: Pick<Store, "memories">,
): Promise<Map<string, KnowledgeRecord>> {
  const scope = { roomIds: [knowledgeRoomId(ownerId)] };
  const documents = await memories.list(ownerId, { types: ["document"], scope, limit: mostDocuments });
  return new Map(documents.flatMap((memory) => toRecord(memory) ?? []).map((record) => [record.key, record]));
}

/** Forgets what a source said, where no agent runs that would. */
export async function forgetSource(
  ownerId: string,
  sourceKey: string,
  store: Pick<Store, "memories" | "keyValues" | "admin">,
): Promise<void> {
  const records = createRecords({ ownerId, store, now: () => 0 });
  const all = await records.load();
  await records.forget([...all.values()].filter((record) => record.sourceKey === sourceKey));
}

function fragmentsOf(
  ownerId: string,
  { id }: KnowledgeRecord,
  { memories }: Pick<Store, "memories">,
): Promise<readonly Memory[]> {
  return memories.list(ownerId, { types: ["fragment"], scope: { entityIds: [id] }, limit: mostFragments });
}

function toMemory(ownerId: string, record: KnowledgeRecord, now: number): Memory {
  return {
    id: record.id,
    agentId: ownerId,
    roomId: knowledgeRoomId(ownerId),
    entityId: record.id,
    type: "document",
    content: { text: titleOf(record) },
    createdAt: now,
    metadata: recordToJson(record),
  };
}

function titleOf({ title, path, source }: KnowledgeRecord): string {
  return title ?? path ?? source;
}
