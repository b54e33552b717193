import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Append, Inbound, Memory, Write } from "@troupe/core";

/** What a bot without an engine does for a message: SQLite on the main thread, prepared statements, WAL, every commit synchronous. */
export type BareFloor = {
  /** Rows made ready beforehand, so that only SQLite's own work is timed. */
  prepare(inserts: readonly Insert[]): PreparedCommit;
  /** Writes them in one commit. */
  commit(rows: PreparedCommit): void;
  /** Reads the last 32 messages of a room. */
  recent(roomId: string): number;
  close(): void;
};

/** One row: a statement's name and what is bound. */
export type Insert = readonly [statement: keyof typeof statements, values: readonly SQLInputValue[]];

type PreparedCommit = readonly { readonly statement: StatementSync; readonly values: readonly SQLInputValue[] }[];

const tables = `
create table room(id text primary key, platform text, account text, platform_id text, channel_type text, name text) strict;
create table entity(id text primary key, platform text, account text, platform_id text, name text) strict;
create table message(no integer primary key, id text not null unique, room_id text, entity_id text, created_at integer,
  platform_id text, run_id text, text text, content text, metadata text) strict;
create index message_room on message(room_id, created_at desc);
create table inbox(event_id text primary key, room_id text, memory_id text, kind text, at integer) strict;
create table journal(room_id text, seq integer, run_id text, at integer, body text, primary key(room_id, seq)) strict, without rowid;
create table part(hash text primary key, text text) strict;
create table run(id text primary key, room_id text, started_at integer, outcome text) strict;
create table delivery(key text primary key, run_id text, room_id text, state text, text text, content text, platform_id text) strict;
`;

const statements = {
  room: "insert into room values(?,?,?,?,?,?) on conflict do nothing",
  entity: "insert into entity values(?,?,?,?,?) on conflict do nothing",
  message: "insert into message values(null,?,?,?,?,?,?,?,?,?) on conflict do nothing",
  inbox: "insert into inbox values(?,?,?,?,?)",
  journal: "insert into journal values(?,?,?,?,?)",
  part: "insert into part values(?,?) on conflict do nothing",
  run: "insert into run values(?,?,?,?) on conflict(id) do update set outcome = excluded.outcome",
  delivery: "insert into delivery values(?,?,?,?,?,?,?) on conflict do nothing",
  receipt: "update delivery set state = ?, platform_id = ? where key = ?",
} as const;

/** Opens the floor on a file. */
export function openBareFloor(path: string): BareFloor {
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8192");
  database.exec(tables);
  const begin = database.prepare("begin immediate");
  const end = database.prepare("commit");
  const recent = database.prepare("select * from message where room_id = ? order by created_at desc limit 32");
  const compiled = new Map(Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]));
  return {
    prepare: (inserts) =>
      inserts.flatMap(([name, values]) => {
        const statement = compiled.get(name);
        return statement ? [{ statement, values }] : [];
      }),
    commit(rows) {
      begin.run();
      for (const { statement, values } of rows) statement.run(...values);
      end.run();
    },
    recent: (roomId) => recent.all(roomId).length,
    close: () => database.close(),
  };
}

/** The rows of an accepted event. */
export function insertsOfInbound({ eventId, kind, room, entity, memory }: Inbound): readonly Insert[] {
  return [
    ["room", [room.id, room.platform, room.account, room.platformId, room.channelType, room.name ?? null]],
    ["entity", [entity.id, entity.platform, entity.account, entity.platformId, entity.name]],
    messageRow(memory),
    ["inbox", [eventId, room.id, memory.id, kind, memory.createdAt]],
  ];
}

/** The rows of an append to the journal. */
export function insertsOfAppend({ entries, writes, done }: Append, roomId: string): readonly Insert[] {
  const [first] = entries;
  return [
    ...entries.map(({ seq, runId, at, body }): Insert => ["journal", [roomId, seq, runId, at, JSON.stringify(body)]]),
    ...(first ? [["run", [first.runId, roomId, first.at, done?.outcome ?? null]] as const] : []),
    ...insertsOfWrites(writes),
  ];
}

/** The rows of single changes. */
export function insertsOfWrites(writes: readonly Write[]): readonly Insert[] {
  return writes.flatMap((write): readonly Insert[] => {
    switch (write.type) {
      case "memory.put":
        return [messageRow(write.memory)];
      case "part.put":
        return [["part", [write.part.hash, write.part.text]]];
      case "delivery.put": {
        const { key, runId, roomId, content, ...rest } = write.delivery;
        const { text, ...data } = content;
        return [["delivery", [key, runId, roomId, write.state, text, JSON.stringify({ ...data, ...rest }), null]]];
      }
      case "delivery.set":
        return [["receipt", [write.state, write.platformId ?? null, write.key]]];
      default:
        return [];
    }
  });
}

function messageRow({ id, roomId, entityId, createdAt, platformId, runId, content, metadata }: Memory): Insert {
  const { text, ...rest } = content;
  const data = metadata ? JSON.stringify(metadata) : null;
  return [
    "message",
    [id, roomId, entityId, createdAt, platformId ?? null, runId ?? null, text, JSON.stringify(rest), data],
  ];
}
