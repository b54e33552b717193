import type { Room } from "../room/room.ts";
import { roomNow, type Tables } from "./memory-tables.ts";

const open: readonly string[] = ["pending", "sending", "uncertain"];

/** Lets everything that lies in one room lie in another from now on; where there is nothing, nothing changes. */
export function moveRoom(tables: Tables, fromRoomId: string, room: Room): void {
  const from = tables.rooms.get(roomNow(tables, fromRoomId));
  tables.movedRooms.delete(room.id);
  const froms = new Set([fromRoomId, roomNow(tables, fromRoomId)].filter((id) => id !== room.id));
  const stance = tables.rooms.get(room.id)?.stance ?? "default";
  const moved = froms.size > 0 && from && from.stance !== "default" ? from.stance : stance;
  tables.rooms.set(room.id, { room, stance: moved });
  for (const id of froms) {
    tables.rooms.delete(id);
    for (const [old, now] of tables.movedRooms) if (now === id) tables.movedRooms.set(old, room.id);
    tables.movedRooms.set(id, room.id);
    moveRows(tables, id, room);
    moveLane(tables, id, room.id);
  }
}

function moveRows(tables: Tables, from: string, { id: to, platformId }: Room): void {
  for (const [id, stored] of tables.memories) {
    if (stored.memory.roomId === from) {
      tables.memories.set(id, { ...stored, memory: { ...stored.memory, roomId: to } });
    }
  }
  for (const [id, task] of tables.tasks) if (task.roomId === from) tables.tasks.set(id, { ...task, roomId: to });
  for (const [key, { no, row }] of tables.deliveries) {
    if (row.delivery.roomId !== from) continue;
    const target = open.includes(row.state) ? platformId : row.delivery.target;
    tables.deliveries.set(key, { no, row: { ...row, delivery: { ...row.delivery, roomId: to, target } } });
  }
  for (const [id, { no, row }] of tables.runs) {
    if (row.contextId === from && row.endedAt !== undefined) {
      tables.runs.set(id, { no, row: { ...row, contextId: to } });
    }
  }
}

/** A lane that is held, or whose run is not over, stays: its inputs are numbered in its journal. */
function moveLane(tables: Tables, from: string, to: string): void {
  const lane = tables.lanes.get(from);
  const isOpen = [...tables.runs.values()].some(({ row }) => row.contextId === from && row.endedAt === undefined);
  if (!lane || lane.owner !== null || isOpen) return;
  const waiting = [...tables.inputs]
    .filter(([, { row }]) => row.contextId === from && row.state === "waiting")
    .toSorted(([, left], [, right]) => left.row.seq - right.row.seq);
  const target = tables.lanes.get(to) ?? { epoch: 0, owner: null, lastSeq: 0, lastEntry: 0 };
  for (const [index, [key, input]] of waiting.entries()) {
    tables.inputs.delete(key);
    const seq = target.lastSeq + index + 1;
    tables.inputs.set(JSON.stringify([to, seq]), { ...input, row: { ...input.row, contextId: to, seq } });
  }
  tables.lanes.set(to, { ...target, lastSeq: target.lastSeq + waiting.length });
}
