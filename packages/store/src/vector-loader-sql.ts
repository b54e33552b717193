import type { DatabaseSync } from "node:sqlite";
import { keyOf, keysOf, noOf } from "./embedding-key.ts";
import type { Places } from "./scope-sql.ts";
import { prepare } from "./statement.ts";
import { createVectorIndex, type IsWanted, type VectorIndex } from "./vector-index.ts";

/** Codes that are in memory, and what a question's scope means for them. */
type LoadedVectors = {
  readonly index: VectorIndex;
  /** Null when everything is wanted. */
  filter(places: Places, types: readonly string[] | null): IsWanted | null;
};

/**
 * Reads codes into memory when they are first looked for, and keeps them in step with the file.
 *
 * Whoever changes a vector says only that it changed; what became of it is read from the file when the next question comes. So a
 * change that was undone is none, and writing pays nothing for it.
 */
export interface VectorLoader {
  /** The codes of a model; null when some were read and there are more to read. */
  load(of: { readonly model: number; readonly dimensions: number }, isTransaction: boolean): LoadedVectors | null;
  changed(model: number, no: number): void;
  forget(): void;
}

type CodeRow = readonly [key: number, code: Uint8Array, room: string, entity: string, type: string];
type Loaded = {
  readonly index: VectorIndex;
  readonly rooms: Map<string, number>;
  readonly entities: Map<string, number>;
  readonly types: Map<string, number>;
  readonly changed: Set<number>;
  /** The next key to read; null when all were read. */
  next: number | null;
};

/** Few enough that nobody waits long for their turn. */
const readAtOnce = 8192;
/** With so many changes it is as well to begin anew. */
const maxChanged = 50_000;

/** The codes of one database. */
export function createVectorLoader(database: DatabaseSync): VectorLoader {
  const columns = `c.key, c.code, m.room_id, m.entity_id, m.type
    from embedding_code c cross join memory m on m.no = c.key - ?1`;
  const page = prepare<CodeRow>(database, `select ${columns} where c.key between ?2 and ?3 order by c.key limit ?4`);
  const one = prepare<CodeRow>(database, `select ${columns} where c.key = ?2`);
  const models = new Map<number, Loaded>();

  const add = (loaded: Loaded, [key, code, room, entity, type]: CodeRow): void => {
    const place = {
      room: numberOf(loaded.rooms, room),
      entity: numberOf(loaded.entities, entity),
      type: numberOf(loaded.types, type),
    };
    loaded.index.set(noOf(key), code, place);
  };
  const readOn = (model: number, loaded: Loaded): void => {
    const [first, last] = keysOf(model);
    const rows = page.all(first, loaded.next ?? last, last, readAtOnce);
    for (const row of rows) add(loaded, row);
    loaded.next = rows.length < readAtOnce ? null : (rows.at(-1)?.[0] ?? last) + 1;
  };
  const catchUp = (model: number, loaded: Loaded, isTransaction: boolean): void => {
    for (const no of loaded.changed) {
      const row = one.get(keyOf(model, 0), keyOf(model, no));
      if (row) add(loaded, row);
      else loaded.index.delete(no);
    }
    // What an open transaction shows may never have been: it is looked at again.
    if (!isTransaction) loaded.changed.clear();
  };

  return {
    load: ({ model, dimensions }, isTransaction) => {
      let loaded = models.get(model);
      if (!loaded) {
        loaded = {
          index: createVectorIndex(dimensions),
          rooms: new Map(),
          entities: new Map(),
          types: new Map(),
          changed: new Set(),
          next: keysOf(model)[0],
        };
        models.set(model, loaded);
      }
      if (loaded.next !== null) readOn(model, loaded);
      if (loaded.next !== null) return null;
      catchUp(model, loaded, isTransaction);
      return { index: loaded.index, filter: (places, types) => createFilter(loaded, places, types) };
    },
    changed: (model, no) => {
      const loaded = models.get(model);
      if (!loaded) return;
      loaded.changed.add(no);
      if (loaded.changed.size > maxChanged) models.delete(model);
    },
    forget: () => models.clear(),
  };
}

function createFilter(loaded: Loaded, places: Places, types: readonly string[] | null): IsWanted | null {
  if (places === null && types === null) return null;
  const rooms = places && flags(loaded.rooms, places.rooms);
  const entities = places && flags(loaded.entities, places.entities);
  const wanted = types && flags(loaded.types, types);
  return (room, entity, type) =>
    (wanted === null || wanted[type] === 1) &&
    (rooms === null || rooms[room] === 1 || (entities !== null && entities[entity] === 1));
}

function flags(numbers: ReadonlyMap<string, number>, wanted: Iterable<string>): Uint8Array {
  const marked = new Uint8Array(numbers.size);
  for (const text of wanted) {
    const number = numbers.get(text);
    if (number !== undefined) marked[number] = 1;
  }
  return marked;
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}
