import type { DatabaseSync } from "node:sqlite";
import type { RoomTuple } from "./protocol.ts";
import type { IsStale } from "./staleness.ts";
import { prepare } from "./statement.ts";

/**
 * Rooms whose platform gave them another id. Whatever names the old one means the new one; hardly any room ever moves, so
 * all of them are remembered, and `forget` is called when a transaction was undone.
 */
export interface MovedRooms {
  /** What a room is called now; its own id when it was not moved. */
  now(agent: number, roomId: string): string;
  /** Everything a room was ever called, its own id first. */
  names(agent: number, roomId: string): readonly string[];
  /** Lets everything that lies in one room lie in another. A second time there is nothing left to do. */
  move(agent: number, fromRoomId: string, room: RoomTuple): void;
  forget(): void;
}

type Put = (agent: number, room: RoomTuple) => void;
type Lane = readonly [owner: string | null, waiting: number, oldestAt: number | null, oldestNo: number | null];

/** The moved rooms of one database. */
export function createMovedRooms(database: DatabaseSync, isStale: IsStale, putRoom: Put): MovedRooms {
  const all = prepare<readonly [number, string, string]>(database, "select agent, from_id, to_id from moved_room");
  let known: Map<string, string> | undefined;
  const load = (): Map<string, string> => {
    if (isStale()) known = undefined;
    known ??= new Map(all.all().map(([agent, from, to]) => [`${agent} ${from}`, to]));
    return known;
  };
  const now = (agent: number, roomId: string): string => {
    const moved = load();
    return moved.size === 0 ? roomId : (moved.get(`${agent} ${roomId}`) ?? roomId);
  };
  const sql = prepareMove(database);
  const stay = (agent: number, roomId: string): void => {
    if (now(agent, roomId) === roomId) return;
    sql.stay.run(agent, roomId);
    known = undefined;
  };

  return {
    now,
    names: (agent, roomId) => [
      roomId,
      ...[...load()]
        .filter(([, to]) => to === roomId)
        .flatMap(([from]) => {
          const [owner, id] = splitOnce(from);
          return owner === String(agent) ? [id] : [];
        }),
    ],
    move: (agent, fromRoomId, room) => {
      const [to] = room;
      const from = now(agent, fromRoomId);
      stay(agent, to);
      putRoom(agent, room);
      for (const id of new Set([from, fromRoomId])) {
        if (id !== to) moveAll(sql, agent, { from: id, to, platformId: room[4] });
      }
      known = undefined;
    },
    forget: () => {
      known = undefined;
    },
  };
}

type MoveStatements = ReturnType<typeof prepareMove>;
type Move = { readonly from: string; readonly to: string; readonly platformId: string };

function moveAll(sql: MoveStatements, agent: number, { from, to, platformId }: Move): void {
  const stance = sql.stance.get(agent, from)?.[0] ?? "default";
  if (stance !== "default") sql.setStance.run(stance, agent, to);
  sql.deleteRoom.run(agent, from);
  sql.follow.run(to, agent, from);
  sql.add.run(agent, from, to);
  sql.memories.run(to, agent, from);
  sql.tasks.run(to, agent, from);
  sql.aim.run(platformId, agent, from);
  sql.deliveries.run(to, agent, from);
  moveLane(sql, agent, { from, to });
  sql.runs.run(to, agent, from);
}

/** A lane that is held, or whose run is not over, stays: its inputs are numbered in its journal. */
function moveLane(sql: MoveStatements, agent: number, { from, to }: Pick<Move, "from" | "to">): void {
  const lane = sql.lane.get(agent, from);
  if (!lane || lane[0] !== null || lane[1] === 0 || sql.openRun.get(agent, from)) return;
  const [, waiting] = lane;
  sql.openLane.run(agent, to);
  sql.inputs.run(to, agent, to, agent, from);
  sql.emptyLane.run(agent, from);
  sql.fillLane.run(waiting, agent, to);
  sql.setOldest.run(agent, to);
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf(" ");
  return [text.slice(0, at), text.slice(at + 1)];
}

function prepareMove(database: DatabaseSync) {
  const oldest = (column: string): string =>
    `(select ${column} from inbox i where i.agent = lane.agent and i.context_id = lane.context_id and i.state = 'waiting'
      order by i.seq limit 1)`;
  return {
    stay: prepare(database, "delete from moved_room where agent = ? and from_id = ?"),
    follow: prepare(database, "update moved_room set to_id = ? where agent = ? and to_id = ?"),
    add: prepare(
      database,
      `insert into moved_room(agent, from_id, to_id) values(?,?,?)
       on conflict(agent, from_id) do update set to_id = excluded.to_id where to_id <> excluded.to_id`,
    ),
    stance: prepare<readonly [string]>(database, "select stance from room where agent = ? and id = ?"),
    setStance: prepare(database, "update room set stance = ? where agent = ? and id = ?"),
    deleteRoom: prepare(database, "delete from room where agent = ? and id = ?"),
    memories: prepare(database, "update memory set room_id = ? where agent = ? and room_id = ?"),
    tasks: prepare(database, "update task set room_id = ? where agent = ? and room_id = ?"),
    aim: prepare(
      database,
      `update delivery set data = json_set(data, '$.target', ?)
       where agent = ? and room_id = ? and state in ('pending', 'sending', 'uncertain')`,
    ),
    deliveries: prepare(database, "update delivery set room_id = ? where agent = ? and room_id = ?"),
    runs: prepare(
      database,
      "update run set context_id = ? where agent = ? and context_id = ? and ended_at is not null",
    ),
    openRun: prepare(database, "select 1 from run where agent = ? and context_id = ? and ended_at is null"),
    lane: prepare<Lane>(
      database,
      "select owner, waiting, oldest_at, oldest_no from lane where agent = ? and context_id = ?",
    ),
    openLane: prepare(
      database,
      `insert into lane(agent, context_id, epoch, owner, last_seq, last_entry, waiting) values(?,?,0,null,0,0,0)
       on conflict(agent, context_id) do nothing`,
    ),
    inputs: prepare(
      database,
      `update inbox set context_id = ?, seq = place.seq
       from (select no, row_number() over (order by seq)
               + (select last_seq from lane where agent = ? and context_id = ?) as seq
             from inbox where agent = ? and context_id = ? and state = 'waiting') place
       where inbox.no = place.no`,
    ),
    emptyLane: prepare(
      database,
      "update lane set waiting = 0, oldest_at = null, oldest_no = null where agent = ? and context_id = ?",
    ),
    fillLane: prepare(
      database,
      "update lane set waiting = waiting + ?1, last_seq = last_seq + ?1 where agent = ?2 and context_id = ?3",
    ),
    setOldest: prepare(
      database,
      `update lane set oldest_at = ${oldest("i.accepted_at")}, oldest_no = ${oldest("i.no")}
       where agent = ? and context_id = ?`,
    ),
  };
}
