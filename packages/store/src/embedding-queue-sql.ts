import type { DatabaseSync } from "node:sqlite";
import { keyOf, keysOf } from "./embedding-key.ts";
import { hasWords, searchable } from "./segment.ts";
import { prepare } from "./statement.ts";

/** Which memories are to be embedded; see the contract. */
type MissingQuery = { readonly model: string; readonly limit: number; readonly types: readonly string[] };

/**
 * What has no vector of a model yet.
 *
 * Writing a memory does nothing for it. For each model and type there is a number up to which everything was dealt with; what
 * comes after it is looked through when somebody asks, and what was edited before it waits in a table of its own.
 */
export interface EmbeddingQueue {
  missing(agent: number, query: MissingQuery): string;
  /** Of the types that were ever asked for; every type when none was. */
  count(agent: number, model: string): number;
  /** Writes down how far it has come. */
  keep(agent: number, model: string): void;
  forget(): void;
}

type Row = readonly [no: number, id: string, text: string, words: string | null, isDone: number];

const everyType = ["message", "reaction", "fact", "document", "fragment", "summary", "episode"];
const readAtOnce = 512;

/** The queues of one database. `modelNo` is 0 for a model that has nothing yet. */
export function createEmbeddingQueue(
  database: DatabaseSync,
  modelNo: (agent: number, model: string) => number,
): EmbeddingQueue {
  const sql = prepareQueue(database);
  /** By agent, model and type. */
  const cursors = new Map<string, number>();
  const typesOf = (agent: number, model: string): readonly string[] => {
    const kept = sql.cursors.all(modelNo(agent, model)).map(([type]) => type);
    const asked = everyType.filter((type) => cursors.has(`${agent} ${type} ${model}`));
    return [...new Set([...kept, ...asked])];
  };
  const cursorOf = (agent: number, model: string, type: string): number =>
    cursors.get(`${agent} ${type} ${model}`) ?? sql.cursor.get(modelNo(agent, model), type)?.[0] ?? 0;

  /** The next memories that have no vector, up to `limit`. Remembers up to where there is none before the first of them. */
  const after = (of: { agent: number; model: string; type: string }, limit: number): readonly Row[] => {
    const { agent, model, type } = of;
    const end = sql.last.get()?.[0] ?? 0;
    const rows = type === "message" ? sql.messages : sql.others;
    const key = keyOf(modelNo(agent, model), 0);
    const read = (from: number) => rows.all(agent, type, from, key, readAtOnce);
    const { found, doneTo } = seek(read, { from: cursorOf(agent, model, type), end, limit });
    // What an open transaction shows may never have been.
    if (!database.isTransaction) cursors.set(`${agent} ${type} ${model}`, doneTo);
    return found;
  };
  const again = (agent: number, model: string, types: readonly string[]): readonly Row[] =>
    sql.again
      .all(keyOf(modelNo(agent, model), 0), ...keysOf(modelNo(agent, model)), JSON.stringify(types))
      .filter((row) => hasWords(searchable(row[2], row[3])));

  return {
    missing: (agent, { model, limit, types }) => {
      const rows = new Map<number, Row>();
      for (const row of again(agent, model, types)) rows.set(row[0], row);
      for (const type of types) for (const row of after({ agent, model, type }, limit)) rows.set(row[0], row);
      const oldest = [...rows.values()].toSorted((left, right) => left[0] - right[0]).slice(0, limit);
      return JSON.stringify(oldest.map(([, memoryId, text, words]) => ({ memoryId, text: searchable(text, words) })));
    },
    count: (agent, model) => {
      const asked = typesOf(agent, model);
      const types = asked.length === 0 ? everyType : asked;
      const rows = new Set(again(agent, model, types).map(([no]) => no));
      for (const type of types) {
        for (const [no] of after({ agent, model, type }, Number.MAX_SAFE_INTEGER)) rows.add(no);
      }
      return rows.size;
    },
    keep: (agent, model) => {
      const no = modelNo(agent, model);
      for (const type of everyType) {
        const at = cursors.get(`${agent} ${type} ${model}`);
        if (at !== undefined) sql.setCursor.run(no, type, at);
      }
    },
    forget: () => cursors.clear(),
  };
}

function seek(
  read: (from: number) => readonly Row[],
  { from, end, limit }: { readonly from: number; readonly end: number; readonly limit: number },
): { readonly found: readonly Row[]; readonly doneTo: number } {
  const found: Row[] = [];
  let doneTo = from;
  for (let at = from; at < end && found.length < limit; ) {
    const rows = read(at);
    for (const row of rows) {
      if (isMissing(row)) found.push(row);
      if (found.length === 0) doneTo = row[0];
    }
    at = rows.length < readAtOnce ? end : (rows.at(-1)?.[0] ?? end);
  }
  return { found: found.slice(0, limit), doneTo: found.length === 0 ? Math.max(from, end) : doneTo };
}

function isMissing([, , text, words, isDone]: Row): boolean {
  return isDone === 0 && hasWords(searchable(text, words));
}

function prepareQueue(database: DatabaseSync) {
  const isDone = `exists (select 1 from embedding e where e.key = ?4 + m.no)
    or exists (select 1 from embedding_refused r where r.key = ?4 + m.no)`;
  const select = (condition: string): string =>
    `select m.no, m.id, m.text, m.words, ${isDone} from memory m
     where ${condition} and m.removed_at is null and m.no > ?3 order by m.no limit ?5`;
  return {
    // By the number alone: messages stand in the order of writing. The others have an index of their own.
    messages: prepare<Row>(database, select("+m.agent = ?1 and m.type = ?2")),
    others: prepare<Row>(database, select("m.agent = ?1 and m.type = ?2 and m.type <> 'message'")),
    again: prepare<Row>(
      database,
      `select m.no, m.id, m.text, m.words, 0 from embedding_again a cross join memory m on m.no = a.key - ?1
       where a.key between ?2 and ?3 and m.removed_at is null and m.type in (select value from json_each(?4))`,
    ),
    last: prepare<readonly [number]>(database, "select coalesce(max(no), 0) from memory"),
    cursor: prepare<readonly [number]>(database, "select last_no from embedding_cursor where model = ? and type = ?"),
    cursors: prepare<readonly [string, number]>(database, "select type, last_no from embedding_cursor where model = ?"),
    setCursor: prepare(
      database,
      `insert into embedding_cursor(model, type, last_no) values(?,?,?)
       on conflict(model, type) do update set last_no = excluded.last_no where last_no <> excluded.last_no`,
    ),
  };
}
