import { StoreError } from "../errors.ts";
import type { Memory, MemoryType } from "../memory/memory.ts";
import type { Embedded, Embeddings } from "../store/embeddings.ts";
import type { Memories, Scope, SearchHit } from "../store/store.ts";
import type { TableAccess } from "./memory-tables.ts";
import { newestFirst, roomNow, type StoredMemory, type Tables } from "./memory-tables.ts";

const everyType: readonly MemoryType[] = ["message", "reaction", "fact", "document", "fragment", "summary", "episode"];

/** Looking for memories of a store in memory. */
export function createMemoryRecall({ look }: TableAccess): Pick<Memories, "list" | "search"> {
  return {
    list: (agentId, { types, limit, scope, before }) =>
      look(agentId, (tables) => {
        const place = before === undefined ? undefined : tables.memories.get(before);
        if (before !== undefined && !place) {
          throw new StoreError("not_found", `there is no memory ${before} to read before`);
        }
        return within(tables, { scope, types })
          .filter((stored) => !place || stored.no < place.no)
          .slice(0, limit)
          .map(({ memory }) => memory);
      }),
    search: (agentId, { text, limit, scope, types, match = "all" }) =>
      look(agentId, (tables) => {
        const words = wordsOf(text);
        const said = within(tables, { scope, types }).map(({ memory }) => {
          const folded = fold(searchableOf(memory));
          return { memory, counts: words.map((word) => folded.split(word).length - 1) };
        });
        const weights = words.map((_, at) => {
          const holding = said.filter(({ counts }) => (counts[at] ?? 0) > 0).length;
          return match === "all" ? 1 : Math.log(1 + said.length / Math.max(holding, 1));
        });
        const hits = said.flatMap(({ memory, counts }): SearchHit[] => {
          const isFound =
            match === "all" ? !counts.includes(0) : words.length === 0 || counts.some((count) => count > 0);
          const score = counts.reduce((sum, count, at) => sum + Math.sqrt(count) * (weights[at] ?? 0), 0);
          return isFound ? [{ memory, score }] : [];
        });
        return hits.toSorted((left, right) => right.score - left.score).slice(0, limit);
      }),
  };
}

/** Vectors of a store in memory. */
export function createMemoryEmbeddings({ look, change }: TableAccess): Embeddings {
  const asked = new Map<string, Set<MemoryType>>();
  const askedTypes = (agentId: string, model: string): Set<MemoryType> => {
    const key = JSON.stringify([agentId, model]);
    const types = asked.get(key) ?? new Set();
    asked.set(key, types);
    return types;
  };
  return {
    missing: (agentId, { model, limit, types = everyType }) =>
      look(agentId, (tables) => {
        for (const type of types) askedTypes(agentId, model).add(type);
        return unembedded(tables, model, types)
          .slice(0, limit)
          .map((memory) => ({ memoryId: memory.id, text: searchableOf(memory) }));
      }),
    put: (agentId, model, embedded) =>
      change(agentId, (tables) => {
        for (const one of embedded) putVector(tables, model, one);
      }),
    nearest: (agentId, { model, vector, limit, scope, types }) =>
      look(agentId, (tables) => {
        const unit = unitVector(vector, "the vector that is looked for");
        const hits = within(tables, { scope, types }).flatMap(({ memory }): SearchHit[] => {
          const found = tables.vectors.get(vectorKey(model, memory.id))?.vector;
          return found ? [{ memory, score: dot(found, checkDimension(unit, found.length, model)) }] : [];
        });
        return hits.toSorted((left, right) => right.score - left.score).slice(0, limit);
      }),
    counts: (agentId) =>
      look(agentId, (tables) => {
        const models = new Set([...tables.vectors.values()].map(({ model }) => model));
        return [...models].map((model) => {
          const all = [...tables.vectors.values()].filter((stored) => stored.model === model);
          const vectors = all.flatMap(({ vector }) => vector ?? []);
          const types = askedTypes(agentId, model);
          return {
            model,
            dimensions: vectors[0]?.length ?? 0,
            count: vectors.length,
            refused: all.length - vectors.length,
            missing: unembedded(tables, model, types.size === 0 ? everyType : [...types]).length,
          };
        });
      }),
    drop: (agentId, model) =>
      change(agentId, (tables) => {
        for (const [key, stored] of tables.vectors) if (stored.model === model) tables.vectors.delete(key);
      }),
  };
}

/** Takes the vectors of a memory away, those of every model. How many there were, refusals not counted. */
export function dropVectors(tables: Tables, memoryId: string): number {
  let dropped = 0;
  for (const [key, stored] of tables.vectors) {
    if (stored.memoryId !== memoryId) continue;
    tables.vectors.delete(key);
    if (stored.vector) dropped += 1;
  }
  return dropped;
}

/** What a memory is found by: what it says, and what its attachments show. */
export function searchableOf({ content }: Memory): string {
  const attachments = (content.attachments ?? []).flatMap(({ title, description }) => [title, description]);
  const words = attachments.filter((text) => text);
  return (words.length === 0 ? content.text : [content.text, ...words].join("\n")).toWellFormed();
}

function unembedded(tables: Tables, model: string, types: readonly MemoryType[]): readonly Memory[] {
  return newestFirst(tables)
    .toReversed()
    .map(({ memory }) => memory)
    .filter(({ id, type }) => types.includes(type) && !tables.vectors.has(vectorKey(model, id)))
    .filter((memory) => wordsOf(searchableOf(memory)).length > 0);
}

function putVector(tables: Tables, model: string, one: Embedded): void {
  const stored = tables.memories.get(one.memoryId);
  const unit = "vector" in one ? unitVector(one.vector, `the vector of memory ${one.memoryId}`) : null;
  const other = [...tables.vectors.values()].find((known) => known.model === model && known.vector !== null)?.vector;
  if (unit && other) checkDimension(unit, other.length, model);
  if (!stored || stored.isRemoved) return;
  tables.vectors.set(vectorKey(model, one.memoryId), { model, memoryId: one.memoryId, vector: unit });
}

function unitVector(vector: Float32Array, what: string): Float32Array {
  const length = Math.hypot(...vector);
  if (Number.isFinite(length) && length > 0) return vector.map((value) => value / length);
  throw new StoreError("invalid", `${what} is empty, zero or holds what is no number; ask the model again`);
}

function checkDimension(vector: Float32Array, dimensions: number, model: string): Float32Array {
  if (vector.length === dimensions) return vector;
  throw new StoreError(
    "invalid",
    `a vector of ${model} has ${vector.length} dimensions, the others have ${dimensions}; drop the model's vectors first`,
  );
}

function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}

function vectorKey(model: string, memoryId: string): string {
  return JSON.stringify([model, memoryId]);
}

function within(
  tables: Tables,
  query: { readonly scope: Scope | undefined; readonly types: readonly MemoryType[] | undefined },
): StoredMemory[] {
  const { scope, types } = query;
  const rooms = new Set((scope?.roomIds ?? []).map((id) => roomNow(tables, id)));
  const worlds = new Set(scope?.worldIds ?? []);
  for (const { room } of tables.rooms.values()) {
    if (room.worldId !== undefined && worlds.has(room.worldId)) rooms.add(room.id);
  }
  const entities = new Set(scope?.entityIds ?? []);
  return newestFirst(tables)
    .filter(({ memory }) => types === undefined || types.includes(memory.type))
    .filter(({ memory }) => scope === undefined || rooms.has(memory.roomId) || entities.has(memory.entityId));
}

/** The words of a query, cut by the language's own rules; naive, but right enough for a few hundred rows. */
function wordsOf(text: string): readonly string[] {
  const segments = new Intl.Segmenter("und", { granularity: "word" }).segment(fold(text));
  return [...segments]
    .map(({ segment }) => segment)
    .filter((word) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(word));
}

const variants: Readonly<Record<string, string>> = { ß: "ss", đ: "d", ı: "i", ς: "σ" };

/** Case, accents, vowel points and widths do not matter. */
function fold(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670\ufe0f]/g, "")
    .toLowerCase()
    .replace(/[ßđıς]/g, (found) => variants[found] ?? found);
}
