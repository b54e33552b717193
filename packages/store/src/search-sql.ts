import type { DatabaseSync } from "node:sqlite";
import { type MemoryRow, memoryColumns, memoryJson } from "./memories-sql.ts";
import type { Places } from "./scope-sql.ts";
import { createTelling } from "./search-words-sql.ts";
import { countTerms, indexWords, type Match, queryTerms, searchable, type Term, toMatch } from "./segment.ts";
import { prepare } from "./statement.ts";

/** What to search for; see the contract. */
type Search = {
  readonly text: string;
  readonly limit: number;
  readonly places: Places;
  readonly types: readonly string[] | null;
  readonly match: Match;
};

/**
 * Full text over memories.
 *
 * A new memory is not indexed at once: `index` goes on from the last number it has seen when there is time. A search looks
 * into the index and at what came since, so nothing is ever missing from an answer, and the way of a message does not pay
 * for the index. A removed or edited memory leaves the index in the transaction that does it.
 */
export interface SearchSql {
  search(agentId: string, agent: number, search: Search): string;
  /** Takes up to `limit` new memories into the index; how many it took. */
  index(limit: number): number;
  /** Reads a memory anew that is in the index already. */
  edited(no: number): void;
  /** Takes a memory out of the index. Its words stay in the file until `scrub` is done. */
  removed(no: number): void;
  /** Numbers may be given again: nothing above the last one counts as seen. The index is to be scrubbed. */
  forgot(): void;
  /** Writes some of the index anew, without what was taken out of it; whether there is more to do. */
  scrub(): boolean;
  /** Whether nothing of it is left to do. */
  isScrubbed(): boolean;
  /**
   * After that: takes the journal of the file in and empties it, so that it holds nothing old either. False when that has to
   * wait, for a transaction or for another process that reads.
   */
  settle(): boolean;
  /** How many memories are not in the index yet. */
  behind(): number;
}

type Found = readonly [...MemoryRow, score: number];
type New = readonly [
  no: number,
  roomId: string,
  entityId: string,
  text: string,
  words: string | null,
  removedAt: number | null,
];

/** The score of a hit that is not in the index yet, per occurrence: about that of an ordinary word. */
const unindexedScore = 1;
/** More places than this are not looked up in the index: the rows decide alone. */
const maxPlaces = 200;
/** Pages of the index that are written anew at a time. */
const scrubPages = 64;
/** How far scrubbing has come. */
const scrubStage = { done: 0, begin: 1, goOn: 2, settle: 3 } as const;

/** The search of one database. */
export function createSearchSql(database: DatabaseSync): SearchSql {
  const find = createFind(database);
  const upkeep = createUpkeep(database);
  return {
    ...upkeep,
    search: (agentId, agent, search) => hitsJson(agentId, find(agent, search)),
  };
}

type Hit = readonly [MemoryRow, score: number];

function createFind(database: DatabaseSync): (agent: number, search: Search) => readonly Hit[] {
  // The plus keeps the agent's index out of it: these queries go by the rowid.
  const filter = `+m.agent = ? and m.removed_at is null and (?3 is null or m.type in (select value from json_each(?3)))
    and (?4 is null or m.room_id in (select value from json_each(?4)) or m.entity_id in (select value from json_each(?5)))`;
  const indexed = prepare<Found>(
    database,
    `select ${memoryColumns}, -f.rank from memory_text f join memory m on m.no = f.rowid
     where f.memory_text match ? and ${filter}
     order by f.rank limit ?`,
  );
  const unseen = prepare<readonly [...MemoryRow, words: string | null]>(
    database,
    `select ${memoryColumns}, m.words from memory m
     where ?1 is null and m.no > (select last_no from searchable) and ${filter} order by m.no desc`,
  );
  const newest = prepare<MemoryRow>(
    database,
    `select ${memoryColumns} from memory m where ?1 is null and ${filter}
     order by m.no desc limit ?`,
  );
  const telling = createTelling(database);
  return (agent, { text, limit, places, types, match }) => {
    const terms = match === "any" ? telling(queryTerms(text)) : queryTerms(text);
    const chosen = types === null ? null : JSON.stringify(types);
    const rooms = places === null ? null : JSON.stringify([...places.rooms]);
    const entities = places === null ? null : JSON.stringify([...places.entities]);
    if (places !== null && places.rooms.size + places.entities.size === 0) return [];
    if (terms.length === 0) return newest.all(null, agent, chosen, rooms, entities, limit).map((row) => [row, 0]);
    const hits = indexed
      .all(matchIn(terms, match, places), agent, chosen, rooms, entities, limit)
      .map((row): Hit => [row.slice(0, -1) as unknown as MemoryRow, Number(row.at(-1))]);
    const added = unseen.all(null, agent, chosen, rooms, entities).flatMap((row): readonly Hit[] => {
      const count = countTerms(searchable(row[7], row[10]), terms, match);
      return count === 0 ? [] : [[row as unknown as MemoryRow, count * unindexedScore]];
    });
    return [...added, ...hits].toSorted((left, right) => right[1] - left[1]).slice(0, limit);
  };
}

function createUpkeep(database: DatabaseSync): Omit<SearchSql, "search"> {
  const columns = "no, room_id, entity_id, text, words, removed_at from memory";
  const fresh = prepare<New>(
    database,
    `select ${columns} where no > (select last_no from searchable) order by no limit ?`,
  );
  const known = prepare<New>(database, `select ${columns} where no = ? and no <= (select last_no from searchable)`);
  const insert = prepare(database, "insert into memory_text(rowid, scope, text) values(?,?,?)");
  const remove = prepare(
    database,
    "delete from memory_text where rowid = ? and rowid <= (select last_no from searchable)",
  );
  const setLast = prepare(database, "update searchable set last_no = ?");
  const setBack = prepare(
    database,
    `update searchable set last_no = min(last_no, (select coalesce(max(no), 0) from memory)), scrub = ${scrubStage.begin}`,
  );
  const behind = prepare<readonly [number]>(
    database,
    "select count(*) from memory where no > (select last_no from searchable)",
  );
  const scrubbing = prepare<readonly [number]>(database, "select scrub from searchable");
  const setScrub = prepare(database, "update searchable set scrub = ?");
  const merge = prepare(database, "insert into memory_text(memory_text, rank) values('merge', ?)");
  const changes = prepare<readonly [number]>(database, "select total_changes()");
  const add = ([no, roomId, entityId, text, words, removedAt]: New): void => {
    const said = searchable(text, words);
    if (removedAt === null && said !== "")
      insert.run(no, `${roomWord(roomId)} ${entityWord(entityId)}`, indexWords(said));
  };
  return {
    index: (limit) => {
      const rows = fresh.all(limit);
      for (const row of rows) add(row);
      const last = rows.at(-1);
      if (last) setLast.run(last[0]);
      return rows.length;
    },
    edited: (no) => {
      const row = known.get(no);
      if (!row) return;
      remove.run(no);
      add(row);
    },
    removed: (no) => void remove.run(no),
    forgot: () => void setBack.run(),
    isScrubbed: () => (scrubbing.get()?.[0] ?? scrubStage.done) === scrubStage.done,
    scrub: () => {
      const stage = scrubbing.get()?.[0] ?? scrubStage.done;
      if (stage === scrubStage.done || stage === scrubStage.settle) return false;
      // A negative number begins by making one of all parts of the index; the same with positive ones goes on. @see https://sqlite.org/fts5.html#the_merge_command
      const before = changes.get()?.[0] ?? 0;
      merge.run(stage === scrubStage.begin ? -scrubPages : scrubPages);
      const hasMore = (changes.get()?.[0] ?? 0) - before >= 2;
      setScrub.run(hasMore ? scrubStage.goOn : scrubStage.settle);
      return hasMore;
    },
    settle: () => {
      if (scrubbing.get()?.[0] !== scrubStage.settle) return true;
      if (database.isTransaction || !emptyJournal(database)) return false;
      setScrub.run(scrubStage.done);
      return true;
    },
    behind: () => behind.get()?.[0] ?? 0,
  };
}

/** Does not wait for whoever reads. */
function emptyJournal(database: DatabaseSync): boolean {
  const [waitMs] = Object.values(database.prepare("pragma busy_timeout").get() ?? {});
  database.exec("pragma busy_timeout = 0");
  try {
    return database.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"] === 0;
  } finally {
    database.exec(`pragma busy_timeout = ${waitMs}`);
  }
}

function hitsJson(agentId: string, hits: readonly Hit[]): string {
  const json = hits.map(([row, score]) => `{"memory":${memoryJson(row, agentId)},"score":${score}}`);
  return `[${json.join(",")}]`;
}

function matchIn(terms: readonly Term[], match: Match, places: Places): string {
  const words = `text : (${toMatch(terms, match)})`;
  if (places === null || places.rooms.size + places.entities.size > maxPlaces) return words;
  const rooms = [...places.rooms, ...places.formerRooms];
  const where = [...rooms.map(roomWord), ...[...places.entities].map(entityWord)];
  return `${words} AND scope : (${where.map((word) => `"${word}"`).join(" OR ")})`;
}

/** The word of the index that narrows a search to a room; the rows themselves decide. */
function roomWord(roomId: string): string {
  return `r${plainWord(roomId)}`;
}

function entityWord(entityId: string): string {
  return `e${plainWord(entityId)}`;
}

function plainWord(id: string): string {
  return id.replace(/[^a-zA-Z0-9]/g, "");
}
