import { ModelError } from "../errors.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";
import { unlessCalledOff } from "./unless-called-off.ts";

/** The vector of one text, or a promise of it that the test resolves when it likes. */
export type EmbeddingScript = (text: string) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** How a scripted embedding model behaves. */
export type ScriptedEmbeddingOptions = {
  /** `scripted:embedding` unless it is said. */
  readonly id?: string;
  /** Length of the vectors of the usual script; 64 unless it is said. */
  readonly dimensions?: number;
  readonly maxBatch?: number;
  /** The vectors; texts that share words are near each other unless it is said. */
  readonly script?: EmbeddingScript;
};

/** An embedding model for tests, that remembers what it was given and fails when it is told to. */
export type ScriptedEmbeddingModel = EmbeddingModel & {
  /** The texts of every call so far, in order; failed calls too. */
  readonly requests: readonly (readonly string[])[];
  /** From now on every call throws this; null: they work again. */
  fail(error: ModelError | null): void;
};

/** An embedding model whose vectors a test can foresee. The same text always has the same vector. */
export function createScriptedEmbeddingModel(options: ScriptedEmbeddingOptions = {}): ScriptedEmbeddingModel {
  const { id = "scripted:embedding", dimensions = 64, maxBatch = 16 } = options;
  const script = options.script ?? ((text: string) => vectorOfWords(text, dimensions));
  const requests: (readonly string[])[] = [];
  let failure: ModelError | null = null;
  return {
    id,
    maxBatch,
    requests,
    fail(error) {
      failure = error;
    },
    async embed(texts, signal) {
      if (signal.aborted) throw new ModelError("aborted", `The call of ${id} was called off`);
      requests.push([...texts]);
      if (failure !== null) throw failure;
      if (texts.some((text) => text.trim() === "")) throw new ModelError("invalid", `${id} was given an empty text`);
      const vectors = await unlessCalledOff(Promise.all(texts.map(script)), signal, id);
      const inputTokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
      return {
        vectors: vectors.map((vector) => Float32Array.from(vector)),
        model: id,
        usage: { inputTokens, cachedInputTokens: 0, outputTokens: 0 },
        costMicrousd: 0,
      };
    },
  };
}

/** Counts a text's words by the place their letters hash to, and leans a little to one side so that no text is nowhere. */
function vectorOfWords(text: string, dimensions: number): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2_166_136_261;
    for (const sign of word) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
