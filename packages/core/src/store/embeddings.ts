import type { MemoryType } from "../memory/memory.ts";
import type { Scope, SearchHit } from "./store.ts";

/** A memory that has no vector of a model yet, with what is to be embedded: its text and what its attachments show. */
export type Unembedded = { readonly memoryId: string; readonly text: string };

/** What became of one text: its vector, or why it never gets one, so that nobody tries it again. */
export type Embedded =
  | { readonly memoryId: string; readonly vector: Float32Array }
  | { readonly memoryId: string; readonly refused: string };

/**
 * How far the vectors of one model have come. `missing` counts the memories that are to have one and have none: those of the types
 * that were ever asked for, of every type before that. Models of which nothing is kept are left out.
 */
type EmbeddingCount = {
  /** `provider:name`. */
  readonly model: string;
  readonly dimensions: number;
  readonly count: number;
  readonly refused: number;
  readonly missing: number;
};

/** Which vectors to look among. */
type NearestQuery = {
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
  readonly scope?: Scope;
  readonly types?: readonly MemoryType[];
};

/**
 * Vectors of memories, by model. What is still to be embedded is what has no vector of the model: that is the queue, and it is
 * as durable as the memories themselves; writing a memory costs nothing for it. A memory that says something else after an edit
 * loses its vectors, a removed one has none. All vectors of one model have the same dimension, from the first one put.
 */
export interface Embeddings {
  /** In the order of writing, oldest first; memories without any word are left out. */
  missing(
    agentId: string,
    query: { readonly model: string; readonly limit: number; readonly types?: readonly MemoryType[] },
  ): Promise<readonly Unembedded[]>;
  /**
   * Keeps vectors; a memory that is gone meanwhile is passed over.
   * @throws StoreError `invalid` when a vector has another dimension than the model's others, is zero or holds what is no number.
   */
  put(agentId: string, model: string, embedded: readonly Embedded[]): Promise<void>;
  /** The nearest by cosine, nearest first; `score` is the cosine, -1..1. */
  nearest(agentId: string, query: NearestQuery): Promise<readonly SearchHit[]>;
  counts(agentId: string): Promise<readonly EmbeddingCount[]>;
  /** Drops all vectors of a model that nobody uses any more. */
  drop(agentId: string, model: string): Promise<void>;
}
