import type { PlatformChange } from "../inbox/change.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { moveMarks } from "./extract-facts.ts";
import { moveTags } from "./merge-relations.ts";

const mostPeople = 200;

/** What is noted under a room's id is found under the new one: which messages were looked at, and who stands how to whom there. */
export async function movedWrites(
  { fromRoomId, room }: Extract<PlatformChange, { kind: "moved" }>,
  { agentId, store }: { readonly agentId: string; readonly store: Store },
): Promise<readonly Write[]> {
  if (fromRoomId === room.id) return [];
  await moveMarks(fromRoomId, room.id, { agentId, store });
  const people = await store.rooms.participants(agentId, { roomId: fromRoomId, limit: mostPeople });
  const stands = await Promise.all(people.map(({ id }) => store.relationships.of(agentId, id)));
  const rows = new Map(stands.flat().map((row) => [`${row.fromId} ${row.toId}`, row]));
  return [...rows.values()].flatMap((row): Write[] => {
    const moved = moveTags(row, fromRoomId, room.id);
    return moved ? [{ type: "relationship.put", relationship: moved }] : [];
  });
}
