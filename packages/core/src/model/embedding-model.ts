import type { ModelCost } from "./usage.ts";

/** Turns texts into vectors whose nearness is nearness of meaning. Retries, timeouts and batches are inside. */
export interface EmbeddingModel {
  /** `provider:name`, e.g. `openai:text-embedding-3-small`. Vectors of different models never compare. */
  readonly id: string;
  /** How many texts one request to the vendor takes, 1..n. More may be given: they are sent in several requests. */
  readonly maxBatch: number;
  /** The length of its vectors where the settings fix it; absent while only an answer can tell. */
  readonly dimensions?: number;
  /**
   * One vector for each text, in their order; none for no texts. All have one length, every number in them is finite, and
   * none of them is zero throughout. They are as long as the model makes them, not normalised.
   * @throws ModelError as in `LanguageModel.stream`; `invalid` when a text is empty or longer than the model reads, and
   * `unavailable` when the server answered with something that cannot be embeddings of these texts.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embeddings>;
}

/** Vectors in the order of their texts, and what they cost. */
export type Embeddings = ModelCost & { readonly vectors: readonly Float32Array[] };
