import type { DatabaseSync } from "node:sqlite";
import { type MemoryRow, memoryColumns, memoryJson } from "./memories-sql.ts";
import { countTerms, indexWords, queryTerms, toMatch } from "./segment.ts";
import { prepare } from "./statement.ts";

/** What to search for; see the contract. */
type Search = {
  readonly text: string;
  readonly limit: number;
  readonly roomId: string | null;
  readonly types: readonly string[] | null;
};

/**
 * Full text over memories.
 *
 * A new memory is not indexed at once: `index` goes on from the last number it has seen when there is time. A search looks
 * into the index and at what came since, so nothing is ever missing from an answer, and the way of a message does not pay
 * for the index. A removed memory leaves the index in the transaction that removes it.
 */
export interface SearchSql {
  search(agentId: string, agent: number, search: Search): string;
  /** Takes up to `limit` new memories into the index; how many it took. */
  index(limit: number): number;
  /** How many memories are not in the index yet. */
  behind(): number;
}

type Found = readonly [...MemoryRow, score: number];
type New = readonly [no: number, roomId: string, text: string, words: string | null, removedAt: number | null];

/** The score of a hit that is not in the index yet, per occurrence: about that of an ordinary word. */
const unindexedScore = 1;

/** The search of one database. */
export function createSearchSql(database: DatabaseSync): SearchSql {
  // The plus keeps the agent's index out of it: these queries go by the rowid.
  const filter = `+m.agent = ? and m.removed_at is null and (?3 is null or m.room_id = ?3)
    and (?4 is null or m.type in (select value from json_each(?4)))`;
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
  const fresh = prepare<New>(
    database,
    `select no, room_id, text, words, removed_at from memory
     where no > (select last_no from searchable) order by no limit ?`,
  );
  const insert = prepare(database, "insert into memory_text(rowid, scope, text) values(?,?,?)");
  const setLast = prepare(database, "update searchable set last_no = ?");
  const behind = prepare<readonly [number]>(
    database,
    "select count(*) from memory where no > (select last_no from searchable)",
  );

  return {
    search: (agentId, agent, { text, limit, roomId, types }) => {
      const terms = queryTerms(text);
      const chosen = types === null ? null : JSON.stringify(types);
      if (terms.length === 0) {
        const rows = newest.all(null, agent, roomId, chosen, limit);
        return hitsJson(
          agentId,
          rows.map((row) => [row, 0] as const),
        );
      }
      const words = `text : (${toMatch(terms)})`;
      const match = roomId === null ? words : `${words} AND scope : "${roomWord(roomId)}"`;
      const hits = indexed
        .all(match, agent, roomId, chosen, limit)
        .map((row) => [row.slice(0, -1) as unknown as MemoryRow, Number(row.at(-1))] as const);
      const added = unseen.all(null, agent, roomId, chosen).flatMap((row) => {
        const count = countTerms(searchable(row[7], row[10]), terms);
        return count === 0 ? [] : [[row as unknown as MemoryRow, count * unindexedScore] as const];
      });
      const all = [...added, ...hits].toSorted((left, right) => right[1] - left[1]);
      return hitsJson(agentId, all.slice(0, limit));
    },
    index: (limit) => {
      const rows = fresh.all(limit);
      for (const [no, roomId, text, words, removedAt] of rows) {
        const said = searchable(text, words);
        if (removedAt !== null || said === "") continue;
        insert.run(no, roomWord(roomId), indexWords(said));
      }
      const last = rows.at(-1);
      if (last) setLast.run(last[0]);
      return rows.length;
    },
    behind: () => behind.get()?.[0] ?? 0,
  };
}

function hitsJson(agentId: string, hits: readonly (readonly [MemoryRow, number])[]): string {
  const json = hits.map(([row, score]) => `{"memory":${memoryJson(row, agentId)},"score":${score}}`);
  return `[${json.join(",")}]`;
}

/** What a memory is found by: what it says, and what its attachments show. */
function searchable(text: string, words: string | null): string {
  return words === null ? text : `${text}\n${words}`;
}

/** The word of the index that narrows a search to a room; the rows themselves decide. */
function roomWord(roomId: string): string {
  return `r${roomId.replace(/[^a-zA-Z0-9]/g, "")}`;
}
