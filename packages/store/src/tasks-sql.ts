import type { DatabaseSync } from "node:sqlite";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { TaskQueryTuple, TaskTuple } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Tasks in SQL. */
export interface TasksSql {
  /** The last one of an id wins. */
  put(agent: number, task: TaskTuple): void;
  remove(agent: number, id: string): void;
  get(agent: number, id: string): string | null;
  list(agent: number, query: TaskQueryTuple): string;
}

const columns = "id, name, kind, state, next_at, room_id, entity_id, created_at, data from task";

/** The tasks of one database. */
export function createTasksSql(database: DatabaseSync): TasksSql {
  const put = prepare(
    database,
    `insert into task(agent, id, name, kind, state, next_at, room_id, entity_id, created_at, data)
     values(?,?,?,?,?,?,?,?,?,?)
     on conflict(agent, id) do update set name = excluded.name, kind = excluded.kind, state = excluded.state,
       next_at = excluded.next_at, room_id = excluded.room_id, entity_id = excluded.entity_id,
       created_at = excluded.created_at, data = excluded.data`,
  );
  const remove = prepare(database, "delete from task where agent = ? and id = ?");
  const get = prepare<TaskTuple>(database, `select ${columns} where agent = ? and id = ?`);
  const list = prepare<TaskTuple>(
    database,
    `select ${columns} where agent = ?1 and state in (select value from json_each(?2))
       and (?3 is null or kind = ?3) and (?4 is null or room_id = ?4) and (?5 is null or entity_id = ?5)
     order by next_at nulls last, created_at, id limit ?6`,
  );
  return {
    put: (agent, task) => void put.run(agent, ...task),
    remove: (agent, id) => void remove.run(agent, id),
    get: (agent, id) => {
      const row = get.get(agent, id);
      return row ? taskJson(row) : null;
    },
    list: (agent, [states, kind, roomId, entityId, limit]) =>
      listJson(list.all(agent, JSON.stringify(states), kind, roomId, entityId, limit), taskJson),
  };
}

/** `data` is the JSON text of an object with everything else. */
function taskJson([id, name, kind, state, nextAt, roomId, entityId, createdAt, data]: TaskTuple): string {
  const named = objectJson(
    field("id", quote(id)),
    field("name", quote(name)),
    field("kind", quote(kind)),
    field("state", quote(state)),
    field("nextAt", quote(nextAt)),
    field("roomId", quote(roomId)),
    field("entityId", quote(entityId)),
    field("createdAt", quote(createdAt)),
  );
  return `${named.slice(0, -1)},${data.slice(1)}`;
}
