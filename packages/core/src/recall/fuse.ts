import type { Memory } from "../memory/memory.ts";
import type { SearchHit } from "../store/store.ts";

/** Why a memory came up, and how high. Ranks count from 1. */
export type Reasons = {
  /** Its place among what the words found, with that search's own score. */
  readonly text?: { readonly rank: number; readonly score: number };
  /** Its place among the nearest in meaning, with the cosine. */
  readonly vector?: { readonly rank: number; readonly similarity: number };
  /** 1 for what was said just now, halved every half-life. */
  readonly recency: number;
  /** How much it matters by itself, 0..1; 0.5 where nobody said. */
  readonly salience: number;
};

/** A memory that was recalled; `score` is higher for better, comparable within one answer only. */
export type Recalled = { readonly memory: Memory; readonly score: number; readonly why: Reasons };

/** How found memories are weighed. */
export type Weights = {
  /** Damps the difference between the first ranks; 60 is what the literature uses. */
  readonly rankConstant: number;
  readonly text: number;
  readonly vector: number;
  /** How much the newest gains over the oldest, as a share of the score. */
  readonly recency: number;
  readonly halfLifeMs: number;
  /** How much the most salient gains over one that does not matter at all. */
  readonly salience: number;
};

const dayMs = 24 * 60 * 60 * 1000;

/** Words and meaning count alike; a month halves what newness adds. */
export const defaultWeights: Weights = {
  rankConstant: 60,
  text: 1,
  vector: 1,
  recency: 0.3,
  halfLifeMs: 30 * dayMs,
  salience: 0.4,
};

/** What two searches found, each best first. */
export type Found = { readonly text: readonly SearchHit[]; readonly vector: readonly SearchHit[] };

/**
 * Joins two rankings by reciprocal rank, so that neither's scores need to mean anything to the other; then weighs how new and how
 * salient each memory is. Best first, the newer first among equals; each memory once.
 *
 * @see Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods (2009)
 */
export function fuse(found: Found, now: number, weights: Weights = defaultWeights): readonly Recalled[] {
  const text = ranksOf(found.text);
  const vector = ranksOf(found.vector);
  const memories = new Map([...found.text, ...found.vector].map(({ memory }) => [memory.id, memory]));
  return [...memories.values()]
    .map((memory) => weigh(memory, { text: text.get(memory.id), vector: vector.get(memory.id) }, now, weights))
    .toSorted((left, right) => right.score - left.score || right.memory.createdAt - left.memory.createdAt);
}

type Place = { readonly rank: number; readonly score: number };

function ranksOf(hits: readonly SearchHit[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { memory, score } of hits) {
    if (!places.has(memory.id)) places.set(memory.id, { rank: places.size + 1, score });
  }
  return places;
}

type Places = { readonly text: Place | undefined; readonly vector: Place | undefined };

function weigh(memory: Memory, { text, vector }: Places, now: number, weights: Weights): Recalled {
  const recency = 0.5 ** (Math.max(0, now - memory.createdAt) / weights.halfLifeMs);
  const salience = salienceOf(memory);
  const byRank =
    (text ? weights.text / (weights.rankConstant + text.rank) : 0) +
    (vector ? weights.vector / (weights.rankConstant + vector.rank) : 0);
  return {
    memory,
    score: byRank * (1 + weights.recency * recency) * (1 + weights.salience * salience),
    why: {
      ...(text && { text }),
      ...(vector && { vector: { rank: vector.rank, similarity: vector.score } }),
      recency,
      salience,
    },
  };
}

/** What was noted with a memory about how much it matters. */
function salienceOf({ metadata }: Memory): number {
  const noted = metadata?.["salience"];
  return typeof noted === "number" && noted >= 0 && noted <= 1 ? noted : 0.5;
}
