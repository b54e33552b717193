import type { EmbeddingModel, Embeddings, JsonObject } from "@troupe/core";
import { ModelError } from "@troupe/core/errors";
import { createOneShot, type OneShot, type OneShotOptions } from "./one-shot.ts";
import { priceOf } from "./prices.ts";
import { isLocalAddress, type ModelSpec, modelId } from "./spec.ts";
import { readVectors } from "./vectors.ts";
import { openVendorEmbedding, type VendorEmbedding } from "./vendor.ts";

/** What an embedding model needs beside its spec. */
export type EmbeddingModelOptions = OneShotOptions & {
  /** The length its vectors shall have, where the model lets one choose; another length in an answer is refused. */
  readonly dimensions?: number;
  /** Texts in one request; 128 for OpenAI and 32 for other servers when absent. */
  readonly maxBatch?: number;
};

/** OpenAI reads 300,000 tokens in one request; no text has more tokens than bytes. */
const REQUEST_LIMIT_BYTES = 300_000;

/** One minute for one request: whoever waits for vectors has other work meanwhile. */
const ATTEMPT_MS = 60_000;

/**
 * Embeddings of OpenAI or of any server that speaks like it. Batches go one after another; what comes back is checked.
 * @throws ConfigError when the spec lacks a key, a name or an address.
 */
export function createEmbeddingModel(spec: ModelSpec, options: EmbeddingModelOptions): EmbeddingModel {
  const timeouts = { attemptMs: ATTEMPT_MS, ...options.timeouts };
  const oneShot = createOneShot(spec, { ...options, timeouts }, "embeddings");
  const maxBatch = options.maxBatch ?? (spec.provider === "openai" ? 128 : 32);
  const parts: Parts = { oneShot, maxBatch, dimensions: options.dimensions, opened: undefined };
  return {
    id: modelId(spec),
    maxBatch,
    ...(options.dimensions !== undefined && { dimensions: options.dimensions }),
    embed: (texts, signal) => embedAll(parts, texts, signal),
  };
}

type Parts = {
  readonly oneShot: OneShot;
  readonly maxBatch: number;
  readonly dimensions: number | undefined;
  opened: VendorEmbedding | undefined;
};

async function embedAll(parts: Parts, texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
  const { spec, name } = parts.oneShot;
  checkTexts(parts, texts);
  const vectors: Float32Array[] = [];
  const notes: JsonObject[] = [];
  let inputTokens = 0;
  let isCounted = true;
  for (const batch of batchesOf(texts, parts.maxBatch)) {
    const answer = await embedBatch(parts, batch, signal);
    const dimensions = vectors[0]?.length ?? parts.dimensions;
    vectors.push(...readVectors(answer, { spec, name, texts: batch.length, dimensions }));
    notes.push(...answer.notes);
    inputTokens += answer.tokens ?? 0;
    isCounted &&= answer.tokens !== undefined;
  }
  const billed = { inputTokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const costMicrousd = isCounted || isLocalAddress(spec.baseUrl) ? priceOf(name, spec.baseUrl, billed) : undefined;
  return {
    vectors,
    model: `${spec.provider}:${name}`,
    usage: { inputTokens, cachedInputTokens: 0, outputTokens: 0 },
    ...(costMicrousd !== undefined && { costMicrousd }),
    ...(notes.length > 0 && { notes }),
  };
}

function checkTexts({ oneShot }: Parts, texts: readonly string[]): void {
  const empty = texts.findIndex((text) => text.trim() === "");
  if (empty < 0) return;
  throw new ModelError(
    "invalid",
    `${modelId(oneShot.spec)} was given ${texts.length} texts, of which number ${empty + 1} is empty; leave it out`,
  );
}

function* batchesOf(texts: readonly string[], maxBatch: number): Generator<readonly string[]> {
  let batch: string[] = [];
  let sizeBytes = 0;
  for (const text of texts) {
    const textBytes = Buffer.byteLength(text);
    if (batch.length >= maxBatch || (batch.length > 0 && sizeBytes + textBytes > REQUEST_LIMIT_BYTES)) {
      yield batch;
      batch = [];
      sizeBytes = 0;
    }
    batch.push(text.toWellFormed());
    sizeBytes += textBytes;
  }
  if (batch.length > 0) yield batch;
}

type BatchAnswer = {
  readonly embeddings: readonly (readonly number[])[];
  /** The answer as the server wrote it, for the places it names. */
  readonly body: unknown;
  readonly tokens: number | undefined;
  readonly notes: readonly JsonObject[];
};

async function embedBatch(parts: Parts, batch: readonly string[], caller: AbortSignal): Promise<BatchAnswer> {
  const { value, notes } = await parts.oneShot.ask(caller, async ({ name, signal }) => {
    parts.opened ??= await openVendorEmbedding(parts.oneShot.spec, name);
    const dimensions = parts.dimensions === undefined ? {} : { dimensions: parts.dimensions };
    return parts.opened.doEmbed({ values: [...batch], abortSignal: signal, ...dimensions });
  });
  return { embeddings: value.embeddings, body: value.response?.body, tokens: value.usage?.tokens, notes };
}
