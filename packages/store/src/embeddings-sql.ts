import type { DatabaseSync } from "node:sqlite";
import { keyOf, keysOf, type ModelRow, noOf } from "./embedding-key.ts";
import { createEmbeddingQueue, type EmbeddingQueue } from "./embedding-queue-sql.ts";
import { type MemoryRow, memoryColumns, memoryJson } from "./memories-sql.ts";
import type { EmbeddedTuple } from "./protocol.ts";
import type { Places } from "./scope-sql.ts";
import type { IsStale } from "./staleness.ts";
import { prepare } from "./statement.ts";
import { addMean, checkVector, dot, readVector, toUnit } from "./vector.ts";
import { encodeVector } from "./vector-index.ts";
import { createVectorLoader, type VectorLoader } from "./vector-loader-sql.ts";

/** What to look for; see the contract. */
type Nearest = {
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
  readonly places: Places;
  readonly types: readonly string[] | null;
};

/** Vectors in SQL: unit vectors for exact comparison, and their codes, which are kept in memory once they were looked for. */
export interface EmbeddingsSql extends Pick<EmbeddingQueue, "missing"> {
  put(agent: number, model: string, embedded: readonly EmbeddedTuple[]): void;
  /** Null while the codes are still being read in: ask again, others may have their turn between. */
  nearest(agentId: string, agent: number, query: Nearest): string | null;
  counts(agent: number): string;
  /** Takes some of a model's vectors away; whether there are more. */
  dropSome(agent: number, model: string): boolean;
  /** A memory says something else now: its vectors go, and it waits for new ones. */
  edited(agent: number, no: number): void;
  /** A memory is gone. How many vectors it had. */
  removed(agent: number, no: number): number;
  /** Memories were taken away or lie elsewhere: what is remembered of them is read anew. */
  forget(): void;
}

/** So many candidates by their codes are compared exactly, or so many for each that is wanted. */
const candidatesAtLeast = 150;
const candidatesPerHit = 8;
/** The mean is taken of so many vectors and then of many more, after which it hardly changes. */
const meanAfter = [256, 4096] as const;
const dropAtOnce = 2000;

/** The vectors of one database. */
export function createEmbeddingsSql(database: DatabaseSync, isStale: IsStale): EmbeddingsSql {
  const sql = prepareEmbeddings(database);
  const loader = createVectorLoader(database);
  const queue = createEmbeddingQueue(database, (agent, model) => sql.model.get(agent, model)?.[0] ?? 0);
  const take = (row: ModelRow, no: number): number => {
    const key = keyOf(row[0], no);
    const vectors = sql.deleteVector.run(key);
    if (vectors === 1) sql.deleteCode.run(key);
    const refusals = sql.deleteRefusal.run(key);
    if (vectors + refusals > 0) sql.count.run(-vectors, -refusals, row[0]);
    if (vectors > 0) loader.changed(row[0], no);
    sql.deleteAgain.run(key);
    return vectors;
  };
  return {
    missing: (agent, query) => queue.missing(agent, query),
    put: (agent, model, embedded) => {
      const row = sql.model.get(agent, model) ?? sql.addModel.get(agent, model);
      if (row) putAll(sql, loader, { agent, row, embedded });
      queue.keep(agent, model);
    },
    nearest: (agentId, agent, query) => {
      if (isStale()) loader.forget();
      return nearest(database, { sql, loader }, { agentId, agent, query });
    },
    counts: (agent) =>
      JSON.stringify(
        sql.models.all(agent).flatMap(([, model, dimensions, , , count, refused]) => {
          if (count + refused === 0) return [];
          return { model, dimensions, count, refused, missing: queue.count(agent, model) };
        }),
      ),
    dropSome: (agent, model) => {
      const no = sql.model.get(agent, model)?.[0];
      if (no === undefined) return false;
      loader.forget();
      queue.forget();
      const range = keysOf(no);
      for (const statement of [sql.dropVectors, sql.dropCodes, sql.dropRefusals, sql.dropAgain]) {
        if (statement.run(...range, dropAtOnce) === dropAtOnce) return true;
      }
      sql.dropCursors.run(no);
      sql.dropModel.run(no);
      return false;
    },
    edited: (agent, no) => {
      for (const row of sql.models.all(agent)) {
        take(row, no);
        sql.again.run(keyOf(row[0], no));
      }
    },
    removed: (agent, no) => sql.models.all(agent).reduce((sum, row) => sum + take(row, no), 0),
    forget: () => {
      loader.forget();
      queue.forget();
    },
  };
}

type Statements = ReturnType<typeof prepareEmbeddings>;
type Put = { readonly agent: number; readonly row: ModelRow; readonly embedded: readonly EmbeddedTuple[] };

function putAll(sql: Statements, loader: VectorLoader, { agent, row, embedded }: Put): void {
  const [model, name] = row;
  let dimensions = row[2];
  const mean = readVector(row[3]) ?? new Float32Array(0);
  for (const [memoryId, said] of embedded) {
    if (typeof said !== "string") {
      checkVector(said, dimensions, { model: name, memoryId });
      if (dimensions === 0) sql.setDimensions.run(said.length, model);
      dimensions = said.length;
    }
    const no = sql.memory.get(agent, memoryId)?.[0];
    if (no === undefined) continue;
    const key = keyOf(model, no);
    const vectors = sql.deleteVector.run(key);
    const refusals = sql.deleteRefusal.run(key);
    sql.deleteAgain.run(key);
    loader.changed(model, no);
    if (typeof said === "string") {
      sql.deleteCode.run(key);
      sql.putRefusal.run(key, said.toWellFormed());
      sql.count.run(-vectors, 1 - refusals, model);
    } else {
      const unit = toUnit(said);
      sql.putVector.run(key, new Uint8Array(unit.buffer));
      sql.putCode.run(key, encodeVector(unit, mean));
      sql.count.run(1 - vectors, -refusals, model);
    }
  }
  centre(sql, loader, model);
}

/** Takes the mean when there are enough vectors for it, and codes all of them anew. */
function centre(sql: Statements, loader: VectorLoader, model: number): void {
  const [, , dimensions = 0, , meanCount = 0, count = 0] = sql.byNo.get(model) ?? [];
  if (!meanAfter.some((enough) => meanCount < enough && count >= enough)) return;
  const sum = new Float64Array(dimensions);
  for (const [, blob] of pages(sql, model)) addMean(sum, readVector(blob));
  const mean = Float32Array.from(sum, (value) => value / count);
  for (const [key, blob] of pages(sql, model)) {
    const vector = readVector(blob);
    if (vector) sql.putCode.run(key, encodeVector(vector, mean));
  }
  sql.setMean.run(new Uint8Array(mean.buffer), count, model);
  loader.forget();
}

function* pages(sql: Statements, model: number): Generator<readonly [key: number, vector: Uint8Array]> {
  let [from, to] = keysOf(model);
  for (let rows = sql.page.all(from, to); rows.length > 0; rows = sql.page.all(from, to)) {
    yield* rows;
    from = (rows.at(-1)?.[0] ?? to) + 1;
  }
}

function nearest(
  database: DatabaseSync,
  { sql, loader }: { readonly sql: Statements; readonly loader: VectorLoader },
  { agentId, agent, query }: { readonly agentId: string; readonly agent: number; readonly query: Nearest },
): string | null {
  const row = sql.model.get(agent, query.model);
  if (!row || row[2] === 0) {
    checkVector(query.vector, 0, { model: query.model, memoryId: null });
    return "[]";
  }
  const [model, name, dimensions, mean] = row;
  checkVector(query.vector, dimensions, { model: name, memoryId: null });
  const loaded = loader.load({ model, dimensions }, database.isTransaction);
  if (loaded === null) return null;
  const unit = toUnit(query.vector);
  const code = encodeVector(unit, readVector(mean) ?? new Float32Array(0));
  const isWanted = loaded.filter(query.places, query.types);
  const candidates = Math.max(candidatesAtLeast, query.limit * candidatesPerHit);
  const keys = loaded.index.nearest({ vector: unit, code }, candidates, isWanted).map((no) => keyOf(model, no));
  const scored = sql.vectors.all(JSON.stringify(keys.toSorted((left, right) => left - right))).map(([key, blob]) => {
    const vector = readVector(blob);
    return { no: noOf(key), score: vector ? dot(unit, vector) : -1 };
  });
  const best = scored.toSorted((left, right) => right.score - left.score).slice(0, query.limit);
  const rows = new Map(
    sql.memories.all(JSON.stringify(best.map(({ no }) => no))).map((found) => [found.at(-1), found]),
  );
  const hits = best.flatMap(({ no, score }) => {
    const found = rows.get(no);
    return found ? [`{"memory":${memoryJson(found as unknown as MemoryRow, agentId)},"score":${score}}`] : [];
  });
  return `[${hits.join(",")}]`;
}

function prepareEmbeddings(database: DatabaseSync) {
  const columns = "no, model, dimensions, mean, mean_count, count, refused from embedding_model";
  return {
    model: prepare<ModelRow>(database, `select ${columns} where agent = ? and model = ?`),
    byNo: prepare<ModelRow>(database, `select ${columns} where no = ?`),
    models: prepare<ModelRow>(database, `select ${columns} where agent = ? order by no`),
    addModel: prepare<ModelRow>(
      database,
      `insert into embedding_model(agent, model) values(?,?)
       returning no, model, dimensions, mean, mean_count, count, refused`,
    ),
    setDimensions: prepare(database, "update embedding_model set dimensions = ? where no = ?"),
    setMean: prepare(database, "update embedding_model set mean = ?, mean_count = ? where no = ?"),
    count: prepare(database, "update embedding_model set count = count + ?, refused = refused + ? where no = ?"),
    memory: prepare<readonly [number]>(
      database,
      "select no from memory where agent = ? and id = ? and removed_at is null",
    ),
    putVector: prepare(database, "insert into embedding(key, vector) values(?,?)"),
    putCode: prepare(database, "insert or replace into embedding_code(key, code) values(?,?)"),
    putRefusal: prepare(database, "insert into embedding_refused(key, reason) values(?,?)"),
    again: prepare(database, "insert or ignore into embedding_again(key) values(?)"),
    deleteVector: prepare(database, "delete from embedding where key = ?"),
    deleteCode: prepare(database, "delete from embedding_code where key = ?"),
    deleteRefusal: prepare(database, "delete from embedding_refused where key = ?"),
    deleteAgain: prepare(database, "delete from embedding_again where key = ?"),
    page: prepare<readonly [number, Uint8Array]>(
      database,
      "select key, vector from embedding where key between ? and ? order by key limit 256",
    ),
    vectors: prepare<readonly [number, Uint8Array]>(
      database,
      "select e.key, e.vector from json_each(?) wanted cross join embedding e on e.key = wanted.value",
    ),
    memories: prepare<readonly [...MemoryRow, no: number]>(
      database,
      `select ${memoryColumns}, m.no from json_each(?) wanted cross join memory m on m.no = wanted.value
       where m.removed_at is null`,
    ),
    dropVectors: prepare(database, dropFrom("embedding")),
    dropCodes: prepare(database, dropFrom("embedding_code")),
    dropRefusals: prepare(database, dropFrom("embedding_refused")),
    dropAgain: prepare(database, dropFrom("embedding_again")),
    dropCursors: prepare(database, "delete from embedding_cursor where model = ?"),
    dropModel: prepare(database, "delete from embedding_model where no = ?"),
  };
}

function dropFrom(table: string): string {
  return `delete from ${table} where key in (select key from ${table} where key between ? and ? limit ?)`;
}
