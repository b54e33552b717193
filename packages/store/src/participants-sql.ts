import type { DatabaseSync } from "node:sqlite";
import type { IsStale } from "./staleness.ts";
import { prepare } from "./statement.ts";

/**
 * Who spoke in which room, without an index that every message would pay for: a room is read through once, and after that
 * only what was written to it since.
 */
export interface Participants {
  /** Last spoken first, all of them. */
  of(agent: number, roomId: string): readonly string[];
  /** Called when something already written was taken away or put elsewhere. */
  forget(): void;
}

type Seen = { readonly lastNo: number; readonly entities: ReadonlySet<string> };

/** So many rooms are remembered at most; then it begins anew. */
const maxRooms = 512;

/** The participants of the rooms of one database. */
export function createParticipants(database: DatabaseSync, isStale: IsStale): Participants {
  const since = prepare<readonly [entityId: string, no: number]>(
    database,
    `select entity_id, no from memory
     where agent = ? and room_id = ? and removed_at is null and type = 'message' and no > ? order by no desc`,
  );
  const rooms = new Map<string, Seen>();
  return {
    of: (agent, roomId) => {
      if (isStale()) rooms.clear();
      const key = `${agent} ${roomId}`;
      const seen = rooms.get(key) ?? { lastNo: 0, entities: new Set() };
      const rows = since.all(agent, roomId, seen.lastNo);
      const entities = new Set([...rows.map(([entityId]) => entityId), ...seen.entities]);
      // What an open transaction shows may never have been.
      if (!database.isTransaction) {
        if (rooms.size >= maxRooms) rooms.clear();
        rooms.set(key, { lastNo: rows[0]?.[1] ?? seen.lastNo, entities });
      }
      return [...entities];
    },
    forget: () => rooms.clear(),
  };
}
