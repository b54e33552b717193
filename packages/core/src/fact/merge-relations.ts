import type { Clock } from "../clock.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Relationship, Relationships } from "../store/relationships.ts";
import type { Write } from "../store/writes.ts";
import type { FoundRelation } from "./extract-prompt.ts";
import { samePersonTag } from "./person.ts";

const mostTags = 12;

/** In which room which tags were said: what was confided in one is no business of another. */
export function tagsIn({ data }: Pick<Relationship, "data">, roomId: string): readonly string[] {
  const rooms = data?.["rooms"];
  const noted = isObject(rooms) ? rooms[roomId] : undefined;
  return Array.isArray(noted) ? noted.filter((tag) => typeof tag === "string") : [];
}

/** The rows that keep what was found beside what is kept already. That two are one person is never taken from what is said. */
export async function relationWrites(
  found: readonly FoundRelation[],
  parts: { readonly agentId: string; readonly relationships: Relationships; readonly clock: Pick<Clock, "now"> },
): Promise<readonly Write[]> {
  const rows = new Map<string, Relationship>();
  for (const { fromId, toId, tags, source } of found) {
    const honest = tags.filter((tag) => tag !== samePersonTag);
    if (honest.length === 0) continue;
    const place = `${fromId} ${toId}`;
    const kept = rows.get(place) ?? (await rowOf(fromId, toId, parts));
    rows.set(place, withTags(kept, { tags: honest, roomId: source.roomId, at: parts.clock.now() }));
  }
  return [...rows.values()].map((relationship) => ({ type: "relationship.put", relationship }));
}

async function rowOf(
  fromId: string,
  toId: string,
  { agentId, relationships }: { readonly agentId: string; readonly relationships: Relationships },
): Promise<Relationship> {
  const rows = await relationships.of(agentId, fromId);
  const kept = rows.find((row) => row.fromId === fromId && row.toId === toId);
  return kept ?? { fromId, toId, tags: [], updatedAt: 0 };
}

function withTags(
  row: Relationship,
  { tags, roomId, at }: { readonly tags: readonly string[]; readonly roomId: string; readonly at: number },
): Relationship {
  const here = sorted([...tagsIn(row, roomId), ...tags]);
  const rooms = isObject(row.data?.["rooms"]) ? row.data["rooms"] : {};
  return {
    ...row,
    tags: [...new Set([...row.tags, ...here])].toSorted(),
    data: { ...row.data, rooms: { ...rooms, [roomId]: [...here] } },
    updatedAt: at,
  };
}

function sorted(tags: readonly string[]): readonly string[] {
  return [...new Set(tags)].toSorted().slice(0, mostTags);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A row whose room has another id now; null when nothing in it was said there. */
export function moveTags(row: Relationship, fromRoomId: string, toRoomId: string): Relationship | null {
  const rooms = row.data?.["rooms"];
  if (!isObject(rooms) || !Object.hasOwn(rooms, fromRoomId)) return null;
  const { [fromRoomId]: _from, ...others } = rooms;
  const here = sorted([...tagsIn(row, fromRoomId), ...tagsIn(row, toRoomId)]);
  return { ...row, data: { ...row.data, rooms: { ...others, [toRoomId]: [...here] } } };
}
