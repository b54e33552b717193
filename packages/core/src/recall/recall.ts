import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { MemoryType } from "../memory/memory.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";
import type { Scope, Store } from "../store/store.ts";
import { fuse, type Recalled, type Weights } from "./fuse.ts";
import { type EmbeddingHealth, embedQuery, type QueryVector } from "./query-vector.ts";

/** What is looked for, and where. */
export type RecallQuery = {
  readonly text: string;
  readonly limit: number;
  /** Everywhere when absent: for an operator's own searches only. */
  readonly scope?: Scope;
  readonly types: readonly MemoryType[];
  readonly weights?: Weights;
};

/** What recalling needs. */
export type RecallParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories" | "embeddings">;
  /** Null: by words alone. */
  readonly model: EmbeddingModel | null;
  readonly health: EmbeddingHealth;
  readonly clock: Clock;
  readonly log: Log;
  /** How long somebody waits for the question's vector. */
  readonly timeoutMs: number;
};

/** What was recalled, best first. `withoutVectors` says why the meaning did not count, when it did not. */
export type Recollection = { readonly found: readonly Recalled[]; readonly withoutVectors?: string };

/** Each search brings this many times what is asked for, so that joining them has something to choose from. */
const breadth = 4;
/** However little is asked for, each search brings so many. */
const leastCandidates = 40;

/** Looks for what matters to a text: by its words and by its meaning, joined by rank. @throws the signal's reason. */
export async function recall(query: RecallQuery, parts: RecallParts, signal: AbortSignal): Promise<Recollection> {
  const { agentId, store, clock } = parts;
  const { text, limit, scope, types, weights } = query;
  const where = { limit: Math.max(leastCandidates, limit * breadth), types, ...(scope && { scope }) };
  const [byText, asked] = await Promise.all([
    store.memories.search(agentId, { text, match: "any", ...where }),
    vectorOf(text, parts, signal),
  ]);
  const byVector =
    parts.model && "vector" in asked
      ? await store.embeddings.nearest(agentId, { model: parts.model.id, vector: asked.vector, ...where })
      : [];
  const found = fuse({ text: byText, vector: byVector }, clock.now(), weights).slice(0, limit);
  return { found, ...("missing" in asked && { withoutVectors: asked.missing }) };
}

function vectorOf(text: string, parts: RecallParts, signal: AbortSignal): Promise<QueryVector> | QueryVector {
  if (!parts.model) return { missing: "no embedding model is set up; by words alone" };
  return embedQuery(parts.model, text, parts, signal);
}
