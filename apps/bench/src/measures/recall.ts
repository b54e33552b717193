import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Memory, type SearchHit, type Store, silentLog, type Write } from "@troupe/core";
import { createSqliteStore } from "@troupe/store";
import { insertsOfWrites, openBareFloor } from "../bare-floor.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { untilIndexed } from "../seed-room.ts";
import { median, tidy, timeOf } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const agentId = "bench";
const model = "bench:embed";
const memories = 100_000;
const rooms = 100;
const dimensions = 384;
const clusters = 500;
const batch = 500;
const wanted = 10;
const queriesPerRound = 40;

/** How fast what was said is found again, and what it costs to keep it. */
export const recall: Measure = {
  name: "recall",
  legend:
    "100,000 memories of 384 dimensions over 100 rooms. Floors: a scan of all vectors as float32 on the main thread; the same words in a bare FTS5 table with a room column; the same rows in the same batches by bare node:sqlite; opening a store with nothing in it.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const path = join(folder, "ours.db");
  const ingest = await measureIngest(path, join(folder, "bare.db"));
  const store = await createSqliteStore({ path, log: silentLog });
  const vectors = makeVectors(memories + queriesPerRound);
  await embed(store, vectors);
  await untilIndexed(store);
  const nearest = await measureNearest(store, vectors, rounds);
  const words = await measureWords(store, join(folder, "words.db"), rounds);
  await store.admin.close();
  return [...nearest, words, ingest, await measureOpen(path, folder, rounds)];
}

/** Half of them in a room of their own fashion of speaking, so that words are rare, common and in between. */
function textOf(number: number): string {
  const rare = `w${number % 5_000}`;
  const common = number % 3 === 0 ? "the harbour at night" : "a road in the hills";
  return `${common} ${rare} c${number % 40} and what was said of it there, number ${number}`;
}

function memoryOf(number: number): Memory {
  return {
    id: `memory-${number}`,
    agentId,
    roomId: `room-${number % rooms}`,
    entityId: `entity-${number % 7}`,
    type: "message",
    content: { text: textOf(number), source: "bench" },
    createdAt: number,
    platformId: String(number),
  };
}

async function measureIngest(path: string, barePath: string): Promise<Row> {
  const store = await createSqliteStore({ path, log: silentLog });
  const bare = openBareFloor(barePath);
  let oursMs = 0;
  let floorMs = 0;
  for (let from = 0; from < memories; from += batch) {
    const writes = Array.from({ length: batch }, (_, at): Write => {
      return { type: "memory.put", memory: memoryOf(from + at) };
    });
    const begun = performance.now();
    await store.admin.write(agentId, writes);
    oursMs += performance.now() - begun;
    const prepared = bare.prepare(insertsOfWrites(writes));
    floorMs += timeOf(() => bare.commit(prepared));
  }
  bare.close();
  await store.admin.close();
  return {
    name: "memories written, 500 a commit",
    ours: (memories / oursMs) * 1_000,
    floor: (memories / floorMs) * 1_000,
    unit: "/s",
    goal: { type: "ratio-at-least", limit: 0.5 },
  };
}

/** Vectors in loose clusters, all of length one, the same each time. */
function makeVectors(count: number): Float32Array {
  let seed = 42;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return (seed >>> 8) / 2 ** 24 - 0.5;
  };
  const centres = Float32Array.from({ length: clusters * dimensions }, random);
  const vectors = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const centre = (row * 7919) % clusters;
    let squares = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const value = (centres[centre * dimensions + axis] ?? 0) + random() * 1.6;
      vectors[row * dimensions + axis] = value;
      squares += value * value;
    }
    const length = Math.sqrt(squares);
    for (let axis = 0; axis < dimensions; axis++) {
      vectors[row * dimensions + axis] = (vectors[row * dimensions + axis] ?? 0) / length;
    }
  }
  return vectors;
}

async function embed(store: Store, vectors: Float32Array): Promise<void> {
  for (let from = 0; from < memories; from += batch) {
    await store.embeddings.put(
      agentId,
      model,
      Array.from({ length: batch }, (_, at) => ({
        memoryId: `memory-${from + at}`,
        vector: vectors.slice((from + at) * dimensions, (from + at + 1) * dimensions),
      })),
    );
  }
}

async function measureNearest(store: Store, vectors: Float32Array, rounds: number): Promise<readonly Row[]> {
  const queries = Array.from({ length: queriesPerRound }, (_, at) =>
    vectors.slice((memories + at) * dimensions, (memories + at + 1) * dimensions),
  );
  const ours: number[] = [];
  const floor: number[] = [];
  let found = 0;
  for (let round = -1; round < rounds; round++) {
    tidy();
    const times = { ours: [] as number[], floor: [] as number[] };
    const answers: (readonly SearchHit[])[] = [];
    for (const vector of queries) {
      const begun = performance.now();
      answers.push(await store.embeddings.nearest(agentId, { model, vector, limit: wanted }));
      times.ours.push(performance.now() - begun);
    }
    for (const [at, vector] of queries.entries()) {
      let exact: readonly number[] = [];
      times.floor.push(timeOf(() => (exact = scan(vectors, vector))));
      const ids = new Set(answers[at]?.map(({ memory }) => memory.id));
      if (round === 0) found += exact.filter((row) => ids.has(`memory-${row}`)).length;
    }
    if (round < 0) continue;
    ours.push(median(times.ours));
    floor.push(median(times.floor));
  }
  const goal = { type: "ratio-at-most", limit: 0.1 } as const;
  return [
    { name: "nearest 10 of 100,000 vectors", ours: Math.min(...ours), floor: Math.min(...floor), unit: "ms", goal },
    {
      name: "of the true nearest 10, found",
      ours: found / (queriesPerRound * wanted),
      unit: "of it",
      goal: { type: "at-least", limit: 0.9 },
    },
  ];
}

/** The rows of the greatest products with a vector, by looking at all of them. */
function scan(vectors: Float32Array, vector: Float32Array): readonly number[] {
  const best: { row: number; score: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < memories; row++) {
    let score = 0;
    const from = row * dimensions;
    for (let axis = 0; axis < dimensions; axis++) score += (vectors[from + axis] ?? 0) * (vector[axis] ?? 0);
    if (score <= least && best.length === wanted) continue;
    best.push({ row, score });
    best.sort((left, right) => right.score - left.score);
    best.length = Math.min(best.length, wanted);
    least = best.at(-1)?.score ?? least;
  }
  return best.map(({ row }) => row);
}

async function measureWords(store: Store, barePath: string, rounds: number): Promise<Row> {
  const bare = new DatabaseSync(barePath);
  bare.exec("pragma journal_mode = wal; create virtual table f using fts5(room, text, tokenize='ascii')");
  const insert = bare.prepare("insert into f(rowid, room, text) values(?,?,?)");
  bare.exec("begin");
  for (let number = 0; number < memories; number++) insert.run(number, `room${number % rooms}`, textOf(number));
  bare.exec("commit");
  const select = bare.prepare(`select rowid, text from f where f match ? order by rank limit ${wanted}`);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const times: { ours: number; floor: number }[] = [];
    for (let at = 0; at < queriesPerRound; at++) {
      const scope = { roomIds: [`room-${at}`] };
      const begun = performance.now();
      await store.memories.search(agentId, { text: "harbour night", limit: wanted, scope });
      const oursMs = performance.now() - begun;
      const floorMs = timeOf(() => select.all(`text : (harbour AND night) AND room : room${at}`));
      times.push({ ours: oursMs, floor: floorMs });
    }
    if (round < 0) continue;
    ours.push(median(times.map((time) => time.ours)));
    floor.push(median(times.map((time) => time.floor)));
  }
  bare.close();
  return {
    name: "words in one of 100 rooms",
    ours: Math.min(...ours),
    floor: Math.min(...floor),
    unit: "ms",
    goal: { type: "ratio-at-most", limit: 3 },
  };
}

async function measureOpen(path: string, folder: string, rounds: number): Promise<Row> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const full = await timeOpen(path);
    const empty = await timeOpen(join(folder, "empty.db"));
    if (round < 0) continue;
    ours.push(full);
    floor.push(empty);
  }
  return {
    name: "opening 100,000 memories / none",
    ours: median(ours),
    floor: median(floor),
    unit: "ms",
    goal: { type: "ratio-at-most", limit: 3 },
  };
}

/** Until the first question is answered. */
async function timeOpen(path: string): Promise<number> {
  const begun = performance.now();
  const store = await createSqliteStore({ path, log: silentLog });
  await store.memories.recent(agentId, { roomId: "room-1", limit: 32 });
  const ms = performance.now() - begun;
  await store.admin.close();
  return ms;
}
