import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { EntityTuple, RoomTuple, WorldTuple } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Worlds, rooms and entities in SQL. Putting what is there already writes nothing. */
export interface RoomsSql {
  putWorld(agent: number, world: WorldTuple): void;
  putRoom(agent: number, room: RoomTuple): void;
  isKnown(agent: number, roomId: string): boolean;
  putEntity(agent: number, entity: EntityTuple): void;
  setStance(agent: number, roomId: string, stance: string): void;
  room(agent: number, id: string): string | null;
  /** Lately used first. */
  rooms(agent: number, limit: number): string;
  /** In the order of their ids' naming. */
  entities(agent: number, ids: readonly string[], limit: number): string;
}

type Named = readonly [string, string, string, string, string | null, string | null];
type RoomRow = readonly [...RoomTuple, stance: string, ...worlds: readonly (string | null)[]];

const roomColumns = `r.id, r.world_id, r.platform, r.account, r.platform_id, r.channel_type, r.name, r.data, r.stance,
  w.id, w.platform, w.account, w.platform_id, w.name, w.data
  from room r left join world w on w.agent = r.agent and w.id = r.world_id`;

/** Rooms of one database. */
export function createRoomsSql(database: DatabaseSync): RoomsSql {
  const putWorld = prepare(
    database,
    `insert into world(agent, id, platform, account, platform_id, name, data) values(?,?,?,?,?,?,?)
     on conflict(agent, id) do update set platform = excluded.platform, account = excluded.account,
       platform_id = excluded.platform_id, name = excluded.name, data = excluded.data
     where (platform, account, platform_id, name, data)
       is not (excluded.platform, excluded.account, excluded.platform_id, excluded.name, excluded.data)`,
  );
  const putRoom = prepare(
    database,
    `insert into room(agent, id, world_id, platform, account, platform_id, channel_type, name, data)
     values(?,?,?,?,?,?,?,?,?)
     on conflict(agent, id) do update set world_id = excluded.world_id, platform = excluded.platform,
       account = excluded.account, platform_id = excluded.platform_id, channel_type = excluded.channel_type,
       name = excluded.name, data = excluded.data
     where (world_id, platform, account, platform_id, channel_type, name, data)
       is not (excluded.world_id, excluded.platform, excluded.account, excluded.platform_id, excluded.channel_type,
               excluded.name, excluded.data)`,
  );
  const putEntity = prepare(
    database,
    `insert into entity(agent, id, platform, account, platform_id, name, is_bot, data) values(?,?,?,?,?,?,?,?)
     on conflict(agent, id) do update set platform = excluded.platform, account = excluded.account,
       platform_id = excluded.platform_id, name = excluded.name, is_bot = excluded.is_bot, data = excluded.data
     where (platform, account, platform_id, name, is_bot, data)
       is not (excluded.platform, excluded.account, excluded.platform_id, excluded.name, excluded.is_bot, excluded.data)`,
  );
  const known = prepare(database, "select 1 from room where agent = ? and id = ?");
  const setStance = prepare(database, "update room set stance = ? where agent = ? and id = ?");
  const room = prepare<RoomRow>(database, `select ${roomColumns} where r.agent = ? and r.id = ?`);
  const rooms = prepare<RoomRow>(
    database,
    `select ${roomColumns} where r.agent = ? order by (
       select max(m.no) from memory m
       where m.agent = r.agent and m.room_id = r.id and m.removed_at is null and m.type = 'message'
     ) desc nulls last, r.id limit ?`,
  );
  const entities = prepare<EntityTuple>(
    database,
    `select e.id, e.platform, e.account, e.platform_id, e.name, e.is_bot, e.data
     from json_each(?2) wanted cross join entity e on e.agent = ?1 and e.id = wanted.value order by wanted.key limit ?3`,
  );
  return {
    putWorld: (agent, world) => void putWorld.run(agent, ...world),
    putRoom: (agent, tuple) => void putRoom.run(agent, ...tuple),
    isKnown: (agent, roomId) => known.get(agent, roomId) !== undefined,
    putEntity: (agent, entity) => void putEntity.run(agent, ...entity),
    setStance: (agent, roomId, stance) => {
      if (setStance.run(stance, agent, roomId) === 1) return;
      throw new Refusal("not_found", `there is no room ${roomId} to take a stance in; put the room first`);
    },
    room: (agent, id) => {
      const row = room.get(agent, id);
      return row ? roomJson(row) : null;
    },
    rooms: (agent, limit) => listJson(rooms.all(agent, limit), roomJson),
    entities: (agent, ids, limit) => listJson(entities.all(agent, JSON.stringify(ids), limit), entityJson),
  };
}

function roomJson(row: RoomRow): string {
  const [id, worldId, platform, account, platformId, channelType, name, data, stance, ...world] = row;
  const room = objectJson(
    field("id", quote(id)),
    field("worldId", quote(worldId)),
    field("platform", quote(platform)),
    field("account", quote(account)),
    field("platformId", quote(platformId)),
    field("channelType", quote(channelType)),
    field("name", quote(name)),
    field("data", data),
  );
  return objectJson(
    field("room", room),
    field("stance", quote(stance)),
    // The six columns after the stance are the world's; all null when there is none.
    field("world", world[0] === null ? "null" : worldJson(world as unknown as Named)),
  );
}

function worldJson([id, platform, account, platformId, name, data]: Named): string {
  return objectJson(
    field("id", quote(id)),
    field("platform", quote(platform)),
    field("account", quote(account)),
    field("platformId", quote(platformId)),
    field("name", quote(name)),
    field("data", data),
  );
}

function entityJson([id, platform, account, platformId, name, isBot, data]: EntityTuple): string {
  return objectJson(
    field("id", quote(id)),
    field("platform", quote(platform)),
    field("account", quote(account)),
    field("platformId", quote(platformId)),
    field("name", quote(name)),
    field("isBot", isBot === null ? null : isBot === 1 ? "true" : "false"),
    field("data", data),
  );
}
