import { StoreError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { Memory } from "../memory/memory.ts";
import type { DeliveryRow } from "../outbox/delivery.ts";
import type { Room, RoomStance } from "../room/room.ts";
import type { Part } from "../run/entry.ts";
import type {
  Accepted,
  Append,
  Fence,
  Inbox,
  InboxRow,
  Journal,
  KeyValues,
  Lease,
  Memories,
  Outbox,
  RoomRow,
  Rooms,
  RunRow,
  Store,
  StoreAdmin,
} from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { forget } from "./memory-forget.ts";
import { createMemoryJobs, putJob } from "./memory-jobs.ts";
import { moveRoom } from "./memory-move.ts";
import {
  createMemoryRelationships,
  createMemoryTasks,
  putRelationship,
  putTask,
  relationshipKey,
} from "./memory-planned.ts";
import { createMemoryPluginTables } from "./memory-plugin-tables.ts";
import { createMemoryEmbeddings, createMemoryRecall, dropVectors, searchableOf } from "./memory-recall.ts";
import {
  emptyTables,
  type Lane,
  newestFirst,
  roomNow,
  type StoredEntry,
  type StoredInput,
  type StoredValue,
  type TableAccess,
  type Tables,
} from "./memory-tables.ts";

/** How to make a store in memory. */
export type MemoryStoreOptions = {
  /** Where it takes the time from; it stands at 0 if left out. */
  readonly clock?: { now(): number };
};

/** A store that keeps everything in this process's memory and forgets it with it: the double for tests, judged by `storeContract`. */
export function createMemoryStore({ clock = { now: () => 0 } }: MemoryStoreOptions = {}): Store {
  const agents = new Map<string, Tables>();
  let isClosed = false;
  let lastNo = 0;
  const tables = createMemoryPluginTables();

  const look = async <Result>(agentId: string, work: (tables: Tables) => Result): Promise<Result> => {
    if (isClosed) throw new StoreError("unavailable", "the store is closed; open it again to go on");
    return structuredClone(work(agents.get(agentId) ?? emptyTables()));
  };
  const change = <Result>(agentId: string, work: (tables: Tables) => Result): Promise<Result> =>
    look(agentId, (tables) => {
      const result = tables.undo.all(() => work(tables));
      agents.set(agentId, tables);
      return result;
    });
  const nextNo = (): number => {
    lastNo += 1;
    return lastNo;
  };
  const parts: Parts = { look, change, nextNo, now: () => clock.now() };

  const admin: StoreAdmin = {
    write: (agentId, writes) =>
      change(agentId, (tables) => applyWrites(parts, tables, structuredClone({ agentId, writes }))),
    forget: (agentId, forgetting) => change(agentId, (tables) => forget(tables, forgetting, clock.now())),
    health: () => look("", () => ({ engine: "memory", ok: true, problems: [], details: { agents: agents.size } })),
    backup: async () => {
      throw new StoreError("invalid", "a store in memory has no file to copy; use one with a file");
    },
    close: async () => {
      isClosed = true;
      await tables.close();
    },
  };
  return {
    inbox: createInbox(parts),
    journal: createJournal(parts),
    memories: createMemories(parts),
    rooms: createRooms(parts),
    outbox: createOutbox(parts),
    keyValues: createKeyValues(parts),
    jobs: createMemoryJobs({
      look: (agentId, work) => look(agentId, ({ jobs }) => work(jobs)),
      change: (agentId, work) => change(agentId, ({ jobs }) => work(jobs)),
      now: parts.now,
    }),
    embeddings: createMemoryEmbeddings({ look, change }),
    relationships: createMemoryRelationships({ look, change }),
    tasks: createMemoryTasks({ look, change }),
    admin,
    tables,
  };
}

type Parts = TableAccess & {
  nextNo(): number;
  now(): number;
};

function createInbox({ look, change, nextNo }: Parts): Inbox {
  return {
    accept: (agentId, given, { at, owner, contextId = given.room.id }) =>
      change(agentId, (tables): Accepted => {
        const inbound = structuredClone(given);
        const { room, memory } = inbound;
        checkAgent(agentId, memory.agentId, `memory ${memory.id}`);
        if (memory.roomId !== room.id) {
          throw new StoreError("invalid", `event ${inbound.eventId} is in room ${room.id} but its memory is not`);
        }
        const event = JSON.stringify([room.platform, room.account, inbound.eventId]);
        const isEcho =
          memory.platformId !== undefined &&
          [...tables.memories.values()].some(
            (other) =>
              other.memory.roomId === roomNow(tables, memory.roomId) &&
              other.memory.platformId === memory.platformId &&
              other.memory.runId !== undefined,
          );
        if (isEcho || [...tables.inputs.values()].some((input) => input.event === event)) return { type: "duplicate" };
        return acceptNew(tables, { inbound, event, at, owner, contextId, nextNo });
      }),
    claim: (agentId, owner, limit) =>
      change(agentId, (tables) => {
        const ready = [...tables.lanes]
          .filter(([, lane]) => lane.owner === null)
          .flatMap(([contextId]) => waitingOf(tables, contextId).slice(0, 1))
          .toSorted((left, right) => left.row.acceptedAt - right.row.acceptedAt || left.no - right.no);
        return ready.slice(0, limit).map(({ row: { contextId } }) => claimLane(tables, agentId, { contextId, owner }));
      }),
    waiting: (fence) =>
      look(fence.agentId, (tables) => {
        heldLane(tables, fence);
        return waitingOf(tables, fence.contextId).map(({ row }) => row);
      }),
    release: (fence) =>
      change(fence.agentId, (tables) => {
        tables.lanes.set(fence.contextId, { ...heldLane(tables, fence), owner: null });
      }),
    recover: (agentId) =>
      change(agentId, (tables) => {
        const held = [...tables.lanes].filter(([, lane]) => lane.owner !== null);
        for (const [contextId, lane] of held) {
          tables.lanes.set(contextId, { ...lane, owner: null });
          const oldest = waitingOf(tables, contextId)[0];
          if (oldest) putInput(tables, { ...oldest, row: { ...oldest.row, attempts: oldest.row.attempts + 1 } });
        }
        return { freed: held.length };
      }),
    find: (agentId, memoryId) =>
      look(
        agentId,
        (tables) => [...tables.inputs.values()].findLast(({ row }) => row.memoryId === memoryId)?.row ?? null,
      ),
    counts: (agentId) =>
      look(agentId, (tables) => {
        const waiting = [...tables.inputs.values()].filter(({ row }) => row.state === "waiting");
        const held = [...tables.lanes.values()].filter((lane) => lane.owner !== null).length;
        const oldest = [...tables.lanes.keys()].flatMap((id) => waitingOf(tables, id)[0]?.row.acceptedAt ?? []);
        return { waiting: waiting.length, held, oldestAt: oldest.length === 0 ? null : Math.min(...oldest) };
      }),
  };
}

function acceptNew(
  tables: Tables,
  parts: {
    readonly inbound: Inbound;
    readonly event: string;
    readonly at: number;
    readonly owner: string | undefined;
    readonly contextId: string;
    nextNo(): number;
  },
): Accepted {
  const { inbound, event, at, owner, nextNo } = parts;
  const contextId = roomNow(tables, parts.contextId);
  const { world, room, entity, memory } = inbound;
  const news = tables.rooms.has(roomNow(tables, room.id)) ? {} : { isNewRoom: true as const };
  if (world) tables.worlds.set(world.id, world);
  putRoom(tables, room);
  tables.entities.set(entity.id, entity);
  putMemory(tables, memory, nextNo);
  const lane = tables.lanes.get(contextId) ?? { epoch: 0, owner: null, lastSeq: 0, lastEntry: 0 };
  const seq = lane.lastSeq + 1;
  tables.lanes.set(contextId, { ...lane, lastSeq: seq });
  const row: InboxRow = {
    seq,
    contextId,
    eventId: inbound.eventId,
    kind: inbound.kind,
    memoryId: memory.id,
    entityId: entity.id,
    acceptedAt: at,
    attempts: 0,
    state: "waiting",
  };
  putInput(tables, { no: nextNo(), event, row });
  if (owner === undefined || lane.owner !== null) return { type: "accepted", seq, ...news };
  return { type: "accepted", seq, lease: claimLane(tables, memory.agentId, { contextId, owner }), ...news };
}

function claimLane(
  tables: Tables,
  agentId: string,
  { contextId, owner }: { readonly contextId: string; readonly owner: string },
): Lease {
  const lane = tables.lanes.get(contextId) ?? { epoch: 0, owner: null, lastSeq: 0, lastEntry: 0 };
  const epoch = lane.epoch + 1;
  tables.lanes.set(contextId, { ...lane, epoch, owner });
  return leaseOf(tables, { agentId, contextId, epoch });
}

function leaseOf(tables: Tables, fence: Fence): Lease {
  const { contextId } = fence;
  const open = [...tables.runs.values()].find(({ row }) => row.contextId === contextId && row.endedAt === undefined);
  return {
    fence,
    inputs: waitingOf(tables, contextId).map(({ row }) => row),
    lastEntry: tables.lanes.get(contextId)?.lastEntry ?? 0,
    ...(open && { openRunId: open.row.id }),
  };
}

function heldLane(tables: Tables, { contextId, epoch }: Fence): Lane {
  const lane = tables.lanes.get(contextId);
  if (lane && lane.owner !== null && lane.epoch === epoch) return lane;
  throw new StoreError("conflict", `the lease on context ${contextId} (epoch ${epoch}) is over; claim it again`);
}

function waitingOf(tables: Tables, contextId: string): StoredInput[] {
  return [...tables.inputs.values()]
    .filter(({ row }) => row.contextId === contextId && row.state === "waiting")
    .toSorted((left, right) => left.row.seq - right.row.seq);
}

function putInput(tables: Tables, input: StoredInput): void {
  tables.inputs.set(JSON.stringify([input.row.contextId, input.row.seq]), input);
}

function createJournal(parts: Parts): Journal {
  const { look, change } = parts;
  return {
    append: (fence, append) =>
      change(fence.agentId, (tables) => appendTo(parts, tables, structuredClone({ fence, append }))),
    entries: (agentId, runId) =>
      look(agentId, (tables) =>
        [...tables.entries.values()]
          .map(({ entry }) => entry)
          .filter((entry) => entry.runId === runId)
          .toSorted((left, right) => left.seq - right.seq),
      ),
    parts: (agentId, hashes) =>
      look(
        agentId,
        (tables) =>
          new Map<string, Part["text"]>(
            hashes.flatMap((hash) => {
              const text = tables.parts.get(hash);
              return text === undefined ? [] : [[hash, text] as const];
            }),
          ),
      ),
    run: (agentId, id) =>
      look(agentId, (tables) => {
        const exact = tables.runs.get(id);
        if (exact) return exact.row;
        const found = id.length < 8 ? [] : [...tables.runs.values()].filter(({ row }) => row.id.startsWith(id));
        if (found.length > 1) throw new StoreError("invalid", `several runs begin with ${id}; give more of the id`);
        return found[0]?.row ?? null;
      }),
    runs: (agentId, { limit, contextId }) =>
      look(agentId, (tables) =>
        [...tables.runs.values()]
          .map(({ row }) => row)
          .filter(
            (row) =>
              contextId === undefined || row.contextId === contextId || row.contextId === roomNow(tables, contextId),
          )
          .toReversed()
          .slice(0, limit),
      ),
  };
}

function appendTo(
  parts: Parts,
  tables: Tables,
  { fence, append }: { readonly fence: Fence; readonly append: Append },
): Lease | null {
  const { agentId, contextId } = fence;
  let { lastEntry } = heldLane(tables, fence);
  for (const entry of append.entries) {
    if (!(entry.seq > lastEntry)) {
      throw new StoreError("conflict", `entry ${entry.seq} does not follow entry ${lastEntry} of context ${contextId}`);
    }
    lastEntry = entry.seq;
    tables.entries.set(JSON.stringify([contextId, entry.seq]), { contextId, entry });
    tellRun(parts, tables, { contextId, entry });
  }
  const lane = { ...heldLane(tables, fence), lastEntry };
  tables.lanes.set(contextId, lane);
  applyWrites(parts, tables, { agentId, writes: append.writes });
  if (!append.done) return null;
  const { runId, seqs, outcome, reason } = append.done;
  for (const seq of seqs) {
    if (!(seq >= 1 && seq <= lane.lastSeq)) {
      throw new StoreError("invalid", `context ${contextId} has no input ${seq}; its last is ${lane.lastSeq}`);
    }
    const input = waitingOf(tables, contextId).find(({ row }) => row.seq === seq);
    if (!input) continue;
    const end = { state: "done", outcome, runId, ...(reason !== undefined && { reason }) } as const;
    putInput(tables, { ...input, row: { ...input.row, ...end } });
  }
  if (waitingOf(tables, contextId).length > 0) return leaseOf(tables, fence);
  tables.lanes.set(contextId, { ...lane, owner: null });
  return null;
}

function tellRun(parts: Parts, tables: Tables, { contextId, entry }: StoredEntry): void {
  const { runId, at, body } = entry;
  const amounts = { inputTokens: 0, outputTokens: 0, costMicrousd: 0 };
  const stored = tables.runs.get(runId) ?? {
    no: parts.nextNo(),
    row: { id: runId, contextId, startedAt: at, ...amounts },
  };
  let row: RunRow = stored.row;
  if (body.type === "model_answer" || body.type === "model_used") {
    row = {
      ...row,
      inputTokens: row.inputTokens + body.usage.inputTokens,
      outputTokens: row.outputTokens + body.usage.outputTokens,
      costMicrousd: row.costMicrousd + (body.costMicrousd ?? 0),
    };
  }
  if (body.type === "end") {
    const { outcome, reason } = body;
    row = { ...row, endedAt: at, outcome, ...(reason !== undefined && { reason }) };
  }
  tables.runs.set(runId, { ...stored, row });
}

function createMemories({ look, change }: Parts): Memories {
  return {
    ...createMemoryRecall({ look, change }),
    get: (agentId, ids) =>
      look(agentId, (tables) =>
        ids.flatMap((id) => {
          const stored = tables.memories.get(id);
          return stored && !stored.isRemoved ? [stored.memory] : [];
        }),
      ),
    recent: (agentId, { roomId, limit, before, withoutWaiting = false }) =>
      look(agentId, (tables) => {
        const place = before === undefined ? undefined : tables.memories.get(before);
        if (before !== undefined && !place) {
          throw new StoreError("not_found", `there is no memory ${before} to read before`);
        }
        return newestFirst(tables)
          .filter(({ memory }) => memory.roomId === roomNow(tables, roomId) && memory.type === "message")
          .filter((stored) => !place || stored.no < place.no)
          .filter(({ memory }) => !withoutWaiting || !isWaiting(tables, memory.id))
          .slice(0, limit)
          .map(({ memory }) => memory)
          .toReversed();
      }),
    byPlatformId: (agentId, platformId) =>
      look(agentId, (tables) => {
        const path = platformId.replace(/[?#].*$/s, "").replace(/\/+$/, "");
        const wanted = [platformId, path.slice(path.lastIndexOf("/") + 1)];
        return newestFirst(tables)
          .map(({ memory }) => memory)
          .filter((memory) => memory.platformId !== undefined && wanted.includes(memory.platformId));
      }),
    lastHeard: (agentId, roomId) =>
      look(agentId, (tables) => {
        const heard = newestFirst(tables).find(
          ({ memory }) =>
            memory.type === "message" &&
            memory.runId === undefined &&
            (roomId === undefined || memory.roomId === roomNow(tables, roomId)),
        );
        return heard?.memory ?? null;
      }),
  };
}

function isWaiting(tables: Tables, memoryId: string): boolean {
  return [...tables.inputs.values()].some(({ row }) => row.memoryId === memoryId && row.state === "waiting");
}

function createRooms({ look }: Parts): Rooms {
  const tell = (tables: Tables, { room, stance }: { readonly room: Room; readonly stance: RoomStance }): RoomRow => ({
    room,
    stance,
    world: (room.worldId === undefined ? undefined : tables.worlds.get(room.worldId)) ?? null,
  });
  return {
    room: (agentId, id) =>
      look(agentId, (tables) => {
        const stored = tables.rooms.get(roomNow(tables, id));
        return stored ? tell(tables, stored) : null;
      }),
    rooms: (agentId, { limit }) =>
      look(agentId, (tables) => {
        const latest = new Map<string, number>();
        for (const { memory, no } of newestFirst(tables).toReversed()) latest.set(memory.roomId, no);
        return [...tables.rooms.values()]
          .toSorted((left, right) => (latest.get(right.room.id) ?? -1) - (latest.get(left.room.id) ?? -1))
          .slice(0, limit)
          .map((stored) => tell(tables, stored));
      }),
    entities: (agentId, ids) => look(agentId, (tables) => ids.flatMap((id) => tables.entities.get(id) ?? [])),
    participants: (agentId, { roomId, limit }) =>
      look(agentId, (tables) => {
        const room = roomNow(tables, roomId);
        const spoken = newestFirst(tables).filter(({ memory }) => memory.roomId === room && memory.type === "message");
        const ids = new Set(spoken.map(({ memory }) => memory.entityId));
        return [...ids].flatMap((id) => tables.entities.get(id) ?? []).slice(0, limit);
      }),
  };
}

function createOutbox({ look }: Parts): Outbox {
  return {
    get: (agentId, key) => look(agentId, (tables) => tables.deliveries.get(key)?.row ?? null),
    list: (agentId, { states, limit, newestFirst: isReversed, runId }) =>
      look(agentId, (tables) => {
        const rows = [...tables.deliveries.values()]
          .toSorted((left, right) => left.no - right.no)
          .map(({ row }) => row)
          .filter((row) => states === undefined || states.includes(row.state))
          .filter((row) => runId === undefined || row.delivery.runId === runId);
        return (isReversed ? rows.toReversed() : rows).slice(0, limit);
      }),
  };
}

function createKeyValues({ look, change, now }: Parts): KeyValues {
  const place = (namespace: string, key: string): string => JSON.stringify([namespace, key]);
  const live = (tables: Tables, at: string): StoredValue | undefined => {
    const stored = tables.values.get(at);
    return stored && (stored.expiresAt === undefined || stored.expiresAt > now()) ? stored : undefined;
  };
  const put = (tables: Tables, at: string, value: Omit<StoredValue, "version">): void => {
    tables.values.set(at, { ...value, version: (tables.values.get(at)?.version ?? 0) + 1 });
  };
  return {
    get: (agentId, namespace, key) =>
      look(agentId, (tables) => {
        const stored = live(tables, place(namespace, key));
        return stored ? { value: stored.value, version: stored.version } : null;
      }),
    set: (agentId, namespace, key, { value, ifVersion, expiresAt }) =>
      change(agentId, (tables) => {
        const at = place(namespace, key);
        if (ifVersion !== undefined && ifVersion !== (live(tables, at)?.version ?? 0)) return false;
        put(tables, at, { value: value.toWellFormed(), expiresAt });
        return true;
      }),
    delete: (agentId, namespace, key) =>
      change(agentId, (tables) => {
        const at = place(namespace, key);
        return live(tables, at) !== undefined && tables.values.delete(at);
      }),
    list: (agentId, namespace, { limit, after }) =>
      look(agentId, (tables) => {
        const keys = [...tables.values.keys()]
          .map((at) => JSON.parse(at) as readonly [string, string])
          .filter(([space, key]) => space === namespace && (after === undefined || key > after))
          .map(([, key]) => key);
        return keys
          .sort()
          .flatMap((key) => {
            const stored = live(tables, place(namespace, key));
            return stored ? [{ key, value: stored.value, version: stored.version }] : [];
          })
          .slice(0, limit);
      }),
    increment: (agentId, namespace, key, { amount, expiresAt }) =>
      change(agentId, (tables) => {
        const at = place(namespace, key);
        const stored = live(tables, at);
        const sum = Number(stored?.value ?? "0") + amount;
        if (!Number.isSafeInteger(sum)) {
          throw new StoreError("invalid", `${namespace}/${key} cannot be counted: it is not a whole number`);
        }
        put(tables, at, { value: String(sum), expiresAt: expiresAt ?? stored?.expiresAt });
        return sum;
      }),
  };
}

function applyWrites(
  parts: Parts,
  tables: Tables,
  { agentId, writes }: { readonly agentId: string; readonly writes: readonly Write[] },
): void {
  for (const write of writes) applyWrite(parts, tables, { agentId, write });
}

function applyWrite(
  { nextNo, now }: Parts,
  tables: Tables,
  { agentId, write }: { readonly agentId: string; readonly write: Write },
): void {
  switch (write.type) {
    case "world.put":
      tables.worlds.set(write.world.id, write.world);
      return;
    case "room.put":
      putRoom(tables, write.room);
      return;
    case "room.stance": {
      const stored = tables.rooms.get(roomNow(tables, write.roomId));
      if (!stored) throw new StoreError("not_found", `there is no room ${write.roomId} to take a stance in`);
      tables.rooms.set(stored.room.id, { ...stored, stance: write.stance });
      return;
    }
    case "entity.put":
      tables.entities.set(write.entity.id, write.entity);
      return;
    case "memory.put":
      checkAgent(agentId, write.memory.agentId, `memory ${write.memory.id}`);
      putMemory(tables, write.memory, nextNo);
      return;
    case "memory.remove": {
      const stored = tables.memories.get(write.id);
      if (stored) tables.memories.set(write.id, { ...stored, isRemoved: true });
      dropVectors(tables, write.id);
      return;
    }
    case "memory.edit":
      editMemory(tables, write);
      return;
    case "room.move":
      moveRoom(tables, write.fromRoomId, write.room);
      return;
    case "relationship.put":
      putRelationship(tables, write.relationship);
      return;
    case "relationship.remove":
      tables.relationships.delete(relationshipKey(write.fromId, write.toId));
      return;
    case "task.put":
      putTask(tables, write.task);
      return;
    case "task.remove":
      tables.tasks.delete(write.id);
      return;
    case "part.put": {
      const { hash, text } = write.part;
      if (!tables.parts.has(hash)) tables.parts.set(hash, text.toWellFormed());
      return;
    }
    case "delivery.put":
      checkAgent(agentId, write.delivery.agentId, `delivery ${write.delivery.key}`);
      putDelivery(tables, write, { no: nextNo(), now: now() });
      return;
    case "delivery.set":
      setDelivery(tables, write, now());
      return;
    case "job.put":
      putJob(tables.jobs, write.job, { no: nextNo(), now: now() });
      return;
  }
}

function putRoom(tables: Tables, room: Room): void {
  if (tables.movedRooms.has(room.id)) return;
  tables.rooms.set(room.id, { room, stance: tables.rooms.get(room.id)?.stance ?? "default" });
}

function putMemory(tables: Tables, memory: Memory, nextNo: () => number): void {
  if (tables.memories.has(memory.id)) return;
  const content = { ...memory.content, text: memory.content.text.toWellFormed() };
  const kept = { ...memory, roomId: roomNow(tables, memory.roomId), content };
  tables.memories.set(memory.id, { no: nextNo(), memory: kept, isRemoved: false });
}

function editMemory(tables: Tables, { id, content, metadata }: Extract<Write, { type: "memory.edit" }>): void {
  const stored = tables.memories.get(id);
  if (!stored || stored.isRemoved) return;
  const memory: Memory = {
    ...stored.memory,
    ...(content && { content: { ...content, text: content.text.toWellFormed() } }),
    ...(metadata && { metadata }),
  };
  tables.memories.set(id, { ...stored, memory });
  if (searchableOf(memory) !== searchableOf(stored.memory)) dropVectors(tables, id);
}

function putDelivery(
  tables: Tables,
  { delivery, state, isOpen }: Extract<Write, { type: "delivery.put" }>,
  { no, now }: { readonly no: number; readonly now: number },
): void {
  if (tables.deliveries.has(delivery.key)) return;
  const { inReplyToText: _, ...kept } = delivery;
  const here = { ...kept, roomId: roomNow(tables, kept.roomId) };
  const row: DeliveryRow = { delivery: here, state, isOpen, attempts: 0, createdAt: now, updatedAt: now };
  tables.deliveries.set(delivery.key, { no, row });
}

function setDelivery(tables: Tables, write: Extract<Write, { type: "delivery.set" }>, now: number): void {
  const stored = tables.deliveries.get(write.key);
  if (!stored) throw new StoreError("not_found", `there is no delivery ${write.key} to change`);
  const { error: _, ...old } = stored.row;
  const text = write.text?.toWellFormed();
  const content = text === undefined ? old.delivery.content : { ...old.delivery.content, text };
  const row: DeliveryRow = {
    ...old,
    delivery: { ...old.delivery, content },
    state: write.state,
    isOpen: text === undefined ? old.isOpen : false,
    attempts: old.attempts + (write.isAttempt ? 1 : 0),
    updatedAt: now,
    ...(write.platformId !== undefined && { platformId: write.platformId }),
    ...(write.error !== undefined && { error: write.error }),
  };
  tables.deliveries.set(write.key, { ...stored, row });
}

function checkAgent(agentId: string, of: string, what: string): void {
  if (agentId !== of) throw new StoreError("invalid", `${what} belongs to agent ${of}, not to ${agentId}`);
}
