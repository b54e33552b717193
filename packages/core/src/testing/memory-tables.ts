import type { Memory } from "../memory/memory.ts";
import type { DeliveryRow } from "../outbox/delivery.ts";
import type { Entity, Room, RoomStance, World } from "../room/room.ts";
import type { Entry } from "../run/entry.ts";
import type { Relationship } from "../store/relationships.ts";
import type { InboxRow, RunRow } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { JobTable } from "./memory-jobs.ts";

/** A memory with the order of its writing; a removed one keeps its place. */
export type StoredMemory = { readonly no: number; readonly memory: Memory; readonly isRemoved: boolean };
/** An input with the event it came with. */
export type StoredInput = { readonly no: number; readonly event: string; readonly row: InboxRow };
/** A serial queue and who holds it. */
export type Lane = {
  readonly epoch: number;
  readonly owner: string | null;
  readonly lastSeq: number;
  readonly lastEntry: number;
};
/** An entry and whose it is. */
export type StoredEntry = { readonly contextId: string; readonly entry: Entry };
/** A run with the order of its beginning. */
type StoredRun = { readonly no: number; readonly row: RunRow };
/** A delivery with the order of its writing. */
type StoredDelivery = { readonly no: number; readonly row: DeliveryRow };
/** A value, maybe expired. */
export type StoredValue = { readonly value: string; readonly version: number; readonly expiresAt: number | undefined };

/** Everything of one agent. Rows are never changed in place, so that a copy of the maps is a picture of the whole. */
export type Tables = {
  readonly worlds: Map<string, World>;
  readonly rooms: Map<string, { readonly room: Room; readonly stance: RoomStance }>;
  readonly entities: Map<string, Entity>;
  readonly memories: Map<string, StoredMemory>;
  readonly lanes: Map<string, Lane>;
  readonly inputs: Map<string, StoredInput>;
  readonly entries: Map<string, StoredEntry>;
  readonly parts: Map<string, string>;
  readonly runs: Map<string, StoredRun>;
  readonly deliveries: Map<string, StoredDelivery>;
  readonly values: Map<string, StoredValue>;
  readonly jobs: JobTable;
  readonly relationships: Map<string, Relationship>;
  readonly tasks: Map<string, Task>;
  /** Vectors and refusals by model and memory. */
  readonly vectors: Map<string, StoredVector>;
  /** Which room a room that was moved has become. */
  readonly movedRooms: Map<string, string>;
};

/** A vector of length one, or why there is none. */
type StoredVector = {
  readonly model: string;
  readonly memoryId: string;
  readonly vector: Float32Array | null;
};

/** Nothing yet. */
export function emptyTables(): Tables {
  return {
    worlds: new Map(),
    rooms: new Map(),
    entities: new Map(),
    memories: new Map(),
    lanes: new Map(),
    inputs: new Map(),
    entries: new Map(),
    parts: new Map(),
    runs: new Map(),
    deliveries: new Map(),
    values: new Map(),
    jobs: new Map(),
    relationships: new Map(),
    tasks: new Map(),
    vectors: new Map(),
    movedRooms: new Map(),
  };
}

/** A picture of the whole: the maps are new, the rows, which never change, are shared. */
export function copyTables(tables: Tables): Tables {
  return {
    worlds: new Map(tables.worlds),
    rooms: new Map(tables.rooms),
    entities: new Map(tables.entities),
    memories: new Map(tables.memories),
    lanes: new Map(tables.lanes),
    inputs: new Map(tables.inputs),
    entries: new Map(tables.entries),
    parts: new Map(tables.parts),
    runs: new Map(tables.runs),
    deliveries: new Map(tables.deliveries),
    values: new Map(tables.values),
    jobs: new Map(tables.jobs),
    relationships: new Map(tables.relationships),
    tasks: new Map(tables.tasks),
    vectors: new Map(tables.vectors),
    movedRooms: new Map(tables.movedRooms),
  };
}

/** What is remembered, newest first by writing. */
export function newestFirst(tables: Tables): StoredMemory[] {
  return [...tables.memories.values()].filter(({ isRemoved }) => !isRemoved).toSorted((a, b) => b.no - a.no);
}

/** The room a room has become; itself when it was not moved. */
export function roomNow(tables: Tables, roomId: string): string {
  return tables.movedRooms.get(roomId) ?? roomId;
}

/** How an agent's tables are reached: `change` is all or nothing. */
export type TableAccess = {
  look<Result>(agentId: string, work: (tables: Tables) => Result): Promise<Result>;
  change<Result>(agentId: string, work: (tables: Tables) => Result): Promise<Result>;
};
