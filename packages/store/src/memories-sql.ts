import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { contentJson, field, listJson, objectJson, quote } from "./json-text.ts";
import type { MemoryEditTuple, MemoryTuple, RecentArguments } from "./protocol.ts";
import type { Places } from "./scope-sql.ts";
import { prepare, type Statement } from "./statement.ts";

/** Memories in SQL: writing, and reading by id, room, time and platform id. Searching is search-sql.ts's. */
export interface MemoriesSql {
  /** The first one with an id wins. `inboxNo`: the number of the input it came with, if it came with one. */
  put(agent: number, memory: MemoryTuple, inboxNo: number | null): void;
  /** The row stays, so that the same event is not stored again; what it said is gone. Its number, if it was there. */
  remove(agent: number, id: string, now: number): number | undefined;
  /** Replaces what is given; its number, if it says something else now. */
  edit(agent: number, edit: MemoryEditTuple): number | undefined;
  /** Whether this is a message of our own that the platform shows us again. */
  isEcho(agent: number, roomId: string, platformId: string): boolean;
  get(agentId: string, agent: number, ids: readonly string[]): string;
  recent(agentId: string, agent: number, query: RecentArguments): string;
  byPlatformId(agentId: string, agent: number, platformId: string): string;
  lastHeard(agentId: string, agent: number, roomId: string | null): string | null;
  list(agentId: string, agent: number, query: MemoryListQuery): string;
}

/** Which memories to list; see the contract. */
type MemoryListQuery = {
  readonly types: readonly string[];
  readonly limit: number;
  readonly places: Places;
  readonly before: string | null;
};

/** The columns of {@link MemoryRow}, of the table `m`. */
export const memoryColumns =
  "m.id, m.room_id, m.entity_id, m.type, m.created_at, m.platform_id, m.run_id, m.text, m.content, m.metadata";

/** A memory as {@link memoryColumns} select it. */
export type MemoryRow = readonly [
  string,
  string,
  string,
  string,
  number,
  string | null,
  string | null,
  string,
  string,
  string | null,
];

type Listed = readonly [...MemoryRow, no: number];

/** Memories of one database. */
export function createMemoriesSql(database: DatabaseSync): MemoriesSql {
  const insert = prepare(
    database,
    `insert into memory(agent, id, room_id, entity_id, type, created_at, platform_id, run_id, text, content, metadata, words, inbox_no)
     values(?,?,?,?,?,?,?,?,?,?,?,?,?) on conflict(agent, id) do update set inbox_no = excluded.inbox_no
     where excluded.inbox_no is not null`,
  );
  const remove = prepare<readonly [number]>(
    database,
    `update memory set removed_at = ?, text = '', content = '{}', metadata = null, words = null
     where agent = ? and id = ? and removed_at is null returning no`,
  );
  const said = prepare<readonly [number, string, string | null]>(
    database,
    "select no, text, words from memory where agent = ? and id = ? and removed_at is null",
  );
  const edit = prepare(
    database,
    "update memory set text = ?, words = ?, content = coalesce(?, content), metadata = coalesce(?, metadata) where no = ?",
  );
  const echo = prepare(
    database,
    "select 1 from memory where agent = ? and platform_id = ? and room_id = ? and run_id is not null",
  );
  const read = createMemoryReads(database);

  return {
    put: (agent, memory, inboxNo) => void insert.run(agent, ...memory, inboxNo),
    remove: (agent, id, now) => remove.get(now, agent, id)?.[0],
    edit: (agent, [id, content, metadata]) => {
      const before = said.get(agent, id);
      if (!before) return undefined;
      const [no, oldText, oldWords] = before;
      const [text, rest, words] = content ?? [oldText, null, oldWords];
      edit.run(text, words, rest, metadata, no);
      return text === oldText && words === oldWords ? undefined : no;
    },
    isEcho: (agent, roomId, platformId) => echo.get(agent, platformId, roomId) !== undefined,
    ...read,
    list: createMemoryList(database),
  };
}

function createMemoryList(database: DatabaseSync): MemoriesSql["list"] {
  const before = prepare<readonly [number]>(database, "select no from memory where agent = ? and id = ?");
  const listed = (condition: string): Statement<Listed> =>
    prepare<Listed>(
      database,
      `select ${memoryColumns}, m.no from memory m
       where ${condition} and m.removed_at is null and m.no < ? order by m.no desc limit ?`,
    );
  // Messages stand by room, or else in the order of writing; everything else has indexes of its own.
  const messages = {
    room: listed("m.agent = ? and m.type = ? and m.room_id = ? and m.type = 'message'"),
    entity: listed("+m.agent = ? and m.type = ? and m.entity_id = ?"),
    all: listed("+m.agent = ? and m.type = ?"),
  };
  const others = {
    room: listed("m.agent = ? and m.type = ? and m.room_id = ? and m.type <> 'message'"),
    entity: listed("m.agent = ? and m.type = ? and m.entity_id = ? and m.type <> 'message'"),
    all: listed("m.agent = ? and m.type = ? and m.type <> 'message'"),
  };
  return (agentId, agent, query) => {
    const { types, limit, places } = query;
    const [no] = query.before === null ? [Number.MAX_SAFE_INTEGER] : (before.get(agent, query.before) ?? []);
    if (no === undefined) throw new Refusal("not_found", `there is no memory ${query.before} to read before`);
    const rows = new Map<number, Listed>();
    for (const type of new Set(types)) {
      const from = type === "message" ? messages : others;
      const found =
        places === null
          ? from.all.all(agent, type, no, limit)
          : [
              ...[...places.rooms].flatMap((id) => from.room.all(agent, type, id, no, limit)),
              ...[...places.entities].flatMap((id) => from.entity.all(agent, type, id, no, limit)),
            ];
      for (const row of found) rows.set(row[10], row);
    }
    const newest = [...rows.values()].toSorted((left, right) => right[10] - left[10]).slice(0, limit);
    return listJson(newest, (row) => memoryJson(row as unknown as MemoryRow, agentId));
  };
}

function createMemoryReads(database: DatabaseSync): Pick<MemoriesSql, "get" | "recent" | "byPlatformId" | "lastHeard"> {
  const get = prepare<MemoryRow>(
    database,
    `select ${memoryColumns} from json_each(?) wanted cross join memory m on m.agent = ? and m.id = wanted.value
     where m.removed_at is null order by wanted.key`,
  );
  const live = "m.removed_at is null and m.type = 'message'";
  const recentWhere = (condition: string): Statement<MemoryRow> =>
    prepare<MemoryRow>(
      database,
      `select ${memoryColumns} from memory m where m.agent = ? and m.room_id = ? and ${live} and m.no < ? ${condition}
       order by m.no desc limit ?`,
    );
  const recent = recentWhere("");
  const recentSettled = recentWhere(
    "and not exists (select 1 from inbox i where i.no = m.inbox_no and i.state = 'waiting')",
  );
  const place = prepare<readonly [number]>(database, "select no from memory where agent = ? and id = ?");
  const byPlatformId = prepare<MemoryRow>(
    database,
    `select ${memoryColumns} from memory m where m.agent = ? and m.platform_id in (?, ?) and m.removed_at is null
     order by m.no desc`,
  );
  const heardInRoom = prepare<MemoryRow>(
    database,
    `select ${memoryColumns} from memory m where m.agent = ? and m.room_id = ? and ${live} and m.run_id is null
     order by m.no desc limit 1`,
  );
  // Walks from room to room in the index, then takes each one's newest.
  const heardAnywhere = prepare<MemoryRow>(
    database,
    `with recursive r(id) as (
       select min(m.room_id) from memory m where m.agent = ?1 and ${live}
       union all
       select (select min(m.room_id) from memory m where m.agent = ?1 and ${live} and m.room_id > r.id)
       from r where r.id is not null
     )
     select ${memoryColumns} from r join memory m on m.no = (
       select m.no from memory m where m.agent = ?1 and m.room_id = r.id and ${live} and m.run_id is null
       order by m.no desc limit 1
     ) order by m.no desc limit 1`,
  );
  const list = (rows: readonly MemoryRow[], agentId: string): string =>
    listJson(rows, (row) => memoryJson(row, agentId));

  return {
    get: (agentId, agent, ids) => list(get.all(JSON.stringify(ids), agent), agentId),
    recent: (agentId, agent, { roomId, limit, before, withoutWaiting }) => {
      const [no] = before === null ? [Number.MAX_SAFE_INTEGER] : (place.get(agent, before) ?? []);
      if (no === undefined) throw new Refusal("not_found", `there is no memory ${before} to read before`);
      const statement = withoutWaiting ? recentSettled : recent;
      return list(statement.all(agent, roomId, no, limit).toReversed(), agentId);
    },
    byPlatformId: (agentId, agent, platformId) =>
      list(byPlatformId.all(agent, platformId, lastPart(platformId)), agentId),
    lastHeard: (agentId, agent, roomId) => {
      const row = roomId === null ? heardAnywhere.get(agent) : heardInRoom.get(agent, roomId);
      return row ? memoryJson(row, agentId) : null;
    },
  };
}

/** A memory as JSON text. */
export function memoryJson(row: MemoryRow, agentId: string): string {
  const [id, roomId, entityId, type, createdAt, platformId, runId, text, content, metadata] = row;
  return objectJson(
    field("id", quote(id)),
    field("agentId", quote(agentId)),
    field("roomId", quote(roomId)),
    field("entityId", quote(entityId)),
    field("type", quote(type)),
    field("content", contentJson(text, content)),
    field("createdAt", quote(createdAt)),
    field("platformId", quote(platformId)),
    field("runId", quote(runId)),
    field("metadata", metadata),
  );
}

/** The last part of a link's path: `https://x.com/a/status/12?s=20` → `12`. */
function lastPart(link: string): string {
  const path = link.replace(/[?#].*$/s, "").replace(/\/+$/, "");
  return path.slice(path.lastIndexOf("/") + 1);
}
