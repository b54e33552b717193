import type { EmbeddingsSql } from "./embeddings-sql.ts";
import type { JobsSql } from "./jobs-sql.ts";
import type { JournalSql } from "./journal-sql.ts";
import type { MemoriesSql } from "./memories-sql.ts";
import type { MovedRooms } from "./moved-rooms-sql.ts";
import type { OutboxSql } from "./outbox-sql.ts";
import type { Participants } from "./participants-sql.ts";
import type { DeliveryTuple, EncodedWrite, MemoryEditTuple, MemoryTuple, RoomTuple, TaskTuple } from "./protocol.ts";
import type { RelationshipsSql } from "./relationships-sql.ts";
import type { RoomsSql } from "./rooms-sql.ts";
import type { SearchSql } from "./search-sql.ts";
import type { TasksSql } from "./tasks-sql.ts";

/** What a change may reach. */
export type WriteTables = {
  readonly rooms: RoomsSql;
  readonly moved: MovedRooms;
  readonly memories: MemoriesSql;
  readonly search: SearchSql;
  readonly embeddings: EmbeddingsSql;
  readonly participants: Participants;
  readonly relationships: RelationshipsSql;
  readonly tasks: TasksSql;
  readonly journal: JournalSql;
  readonly outbox: OutboxSql;
  readonly jobs: JobsSql;
};

/** Makes all the changes of a list, in their order, within the caller's transaction. */
export function applyWrites(
  tables: WriteTables,
  agent: number,
  list: { readonly writes: readonly EncodedWrite[]; readonly now: number },
): void {
  for (const one of list.writes) applyWrite(tables, agent, { one, now: list.now });
}

/** A memory that is put into another room than it names. */
export function inRoom(memory: MemoryTuple, roomId: string): MemoryTuple {
  const [id, , ...rest] = memory;
  return [id, roomId, ...rest];
}

function applyWrite(
  tables: WriteTables,
  agent: number,
  { one, now }: { readonly one: EncodedWrite; readonly now: number },
): void {
  const { rooms, moved, relationships, tasks, journal, outbox, jobs } = tables;
  switch (one[0]) {
    case "world.put":
      return rooms.putWorld(agent, one[1]);
    case "room.put":
      return moved.now(agent, one[1][0]) === one[1][0] ? rooms.putRoom(agent, one[1]) : undefined;
    case "room.stance":
      return rooms.setStance(agent, moved.now(agent, one[1]), one[2]);
    case "room.move":
      return moveRoom(tables, agent, { fromRoomId: one[1], room: one[2] });
    case "entity.put":
      return rooms.putEntity(agent, one[1]);
    case "memory.put":
      return putMemory(tables, agent, one[1]);
    case "memory.remove":
      return removeMemory(tables, agent, { id: one[1], now });
    case "memory.edit":
      return editMemory(tables, agent, one[1]);
    case "relationship.put":
      return relationships.put(agent, one[1]);
    case "relationship.remove":
      return relationships.remove(agent, one[1], one[2]);
    case "task.put":
      return tasks.put(agent, taskHere(moved, agent, one[1]));
    case "task.remove":
      return tasks.remove(agent, one[1]);
    case "part.put":
      return journal.putPart(agent, one[1], one[2]);
    case "delivery.put":
      return outbox.put(agent, deliveryHere(moved, agent, one[1]), now);
    case "delivery.set":
      return outbox.set(agent, one[1], now);
    case "job.put":
      return jobs.put(agent, one[1], now);
  }
}

function putMemory({ memories, moved }: WriteTables, agent: number, memory: MemoryTuple): void {
  const roomId = moved.now(agent, memory[1]);
  memories.put(agent, roomId === memory[1] ? memory : inRoom(memory, roomId), null);
}

function removeMemory(
  { memories, search, embeddings, participants }: WriteTables,
  agent: number,
  { id, now }: { readonly id: string; readonly now: number },
): void {
  const no = memories.remove(agent, id, now);
  if (no === undefined) return;
  search.removed(no);
  embeddings.removed(agent, no);
  participants.forget();
}

function editMemory({ memories, search, embeddings }: WriteTables, agent: number, edit: MemoryEditTuple): void {
  const no = memories.edit(agent, edit);
  if (no === undefined) return;
  search.edited(no);
  embeddings.edited(agent, no);
}

function moveRoom(
  { moved, embeddings, participants }: WriteTables,
  agent: number,
  { fromRoomId, room }: { readonly fromRoomId: string; readonly room: RoomTuple },
): void {
  moved.move(agent, fromRoomId, room);
  embeddings.forget();
  participants.forget();
}

function taskHere(moved: MovedRooms, agent: number, task: TaskTuple): TaskTuple {
  const [id, name, kind, state, nextAt, roomId, ...rest] = task;
  return roomId === null ? task : [id, name, kind, state, nextAt, moved.now(agent, roomId), ...rest];
}

function deliveryHere(moved: MovedRooms, agent: number, delivery: DeliveryTuple): DeliveryTuple {
  const [key, runId, roomId, ...rest] = delivery;
  const here = moved.now(agent, roomId);
  return here === roomId ? delivery : [key, runId, here, ...rest];
}
