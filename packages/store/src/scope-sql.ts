import type { DatabaseSync } from "node:sqlite";
import type { MovedRooms } from "./moved-rooms-sql.ts";
import type { ScopeArguments } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Where to look, with worlds as their rooms and moved rooms as what they are now. Null: everywhere. */
export type Places = {
  readonly rooms: ReadonlySet<string>;
  /** What the rooms were called before they were moved: the full-text index still does. */
  readonly formerRooms: readonly string[];
  readonly entities: ReadonlySet<string>;
} | null;

/** Finds out what a scope means. */
export type FindPlaces = (agent: number, scope: ScopeArguments | null) => Places;

/** Scopes of one database. */
export function createFindPlaces(database: DatabaseSync, moved: MovedRooms): FindPlaces {
  const ofWorlds = prepare<readonly [string]>(
    database,
    "select id from room where agent = ? and world_id in (select value from json_each(?))",
  );
  return (agent, scope) => {
    if (scope === null) return null;
    const { roomIds, worldIds, entityIds } = scope;
    const inWorlds = worldIds.length === 0 ? [] : ofWorlds.all(agent, JSON.stringify(worldIds));
    const rooms = new Set([...roomIds.map((id) => moved.now(agent, id)), ...inWorlds.map(([id]) => id)]);
    const formerRooms = [...rooms].flatMap((id) => moved.names(agent, id).slice(1));
    return { rooms, formerRooms, entities: new Set(entityIds) };
  };
}
