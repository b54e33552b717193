import type { Memory } from "../memory/memory.ts";
import type { DeliveryRow } from "../outbox/delivery.ts";
import type { Entity, Room, RoomStance, World } from "../room/room.ts";
import type { Entry } from "../run/entry.ts";
import type { Relationship } from "../store/relationships.ts";
import type { InboxRow, RunRow } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { JobTable } from "./memory-jobs.ts";
import { createUndo, type Undo } from "./undo.ts";

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

/** Everything of one agent. Rows are never changed in place: what a map held before is what it holds after an undo. */
export type Tables = {
  readonly undo: Undo;
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
  const undo = createUndo();
  return {
    undo,
    worlds: undo.table(),
    rooms: undo.table(),
    entities: undo.table(),
    memories: undo.table(),
    lanes: undo.table(),
    inputs: undo.table(),
    entries: undo.table(),
    parts: undo.table(),
    runs: undo.table(),
    deliveries: undo.table(),
    values: undo.table(),
    jobs: undo.table(),
    relationships: undo.table(),
    tasks: undo.table(),
    vectors: undo.table(),
    movedRooms: undo.table(),
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
