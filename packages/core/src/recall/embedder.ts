import { type Clock, noLongerNeeded } from "../clock.ts";
import { errorMessage, StoreError, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { MemoryType } from "../memory/memory.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";
import type { Embedded, Embeddings, Unembedded } from "../store/embeddings.ts";
import type { EmbeddingHealth } from "./query-vector.ts";
import { vectorProblem } from "./vector.ts";

/** What embedding in the background needs. */
export type EmbedderParts = {
  readonly agentId: string;
  readonly embeddings: Embeddings;
  /** The model now; null while there is none. */
  readonly model: () => EmbeddingModel | null;
  readonly types: readonly MemoryType[];
  readonly health: EmbeddingHealth;
  readonly clock: Clock;
  readonly log: Log;
};

/** Gives memories their vectors, beside everything else. What has none yet is its queue, so a crash loses nothing. */
export type Embedder = {
  start(): void;
  /** Something was written; soon it looks. */
  wake(): void;
  /** Calls off what is under way and resolves. */
  stop(): Promise<void>;
};

/** Texts in one request at most, whatever the model takes: smaller ones come to an end sooner. */
const largestBatch = 64;
/** What is written in a burst is embedded together. */
const gatherMs = 200;
const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
/** Progress is told so often while there is much to do. */
const progressEvery = 1_000;

/** Makes an embedder; it does nothing before `start`. */
export function createEmbedder(parts: EmbedderParts): Embedder {
  return new BackgroundEmbedder(parts);
}

/** made → working (until nothing is missing) ⇄ resting (until woken, or its time to try again has come) → stopped. */
class BackgroundEmbedder implements Embedder {
  readonly #parts: EmbedderParts;
  readonly #stopping = new AbortController();
  #nap: AbortController | null = null;
  #isWoken = true;
  #working: Promise<void> = Promise.resolve();
  #failures = 0;
  #done = 0;
  #saidOnce = new Set<string>();

  constructor(parts: EmbedderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#working = this.#work();
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#failures === 0) this.#nap?.abort(noLongerNeeded);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new TroupeError("aborted", "the agent stops"));
    this.#nap?.abort(noLongerNeeded);
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      const retryMs = await this.#attempt();
      if (signal.aborted) return;
      if (retryMs !== null) await this.#sleep(retryMs);
      else if (!this.#isWoken) await this.#sleep(null);
      if (!signal.aborted && retryMs === null) await this.#parts.clock.sleep(gatherMs, signal).catch(() => undefined);
    }
  }

  /** Embeds all that is missing; how long to wait before trying again, or null when there is nothing more to do. */
  async #attempt(): Promise<number | null> {
    const model = this.#parts.model();
    if (!model) return null;
    try {
      while (await this.#batch(model)) this.#failures = 0;
      await this.#finish(model);
      this.#failures = 0;
      return null;
    } catch (error) {
      if (this.#stopping.signal.aborted) return null;
      this.#parts.health.ill();
      this.#failures += 1;
      const inMs = retryDelayMs(this.#failures, error);
      const fields = { model: model.id, error: errorMessage(error), inMs };
      if (this.#failures === 1) this.#parts.log.warn(fields, "memories could not be embedded; they wait");
      else this.#parts.log.debug(fields, "memories could not be embedded; they wait");
      return inMs;
    }
  }

  /** Embeds the next memories that have no vector; says whether there were any. */
  async #batch(model: EmbeddingModel): Promise<boolean> {
    const { agentId, embeddings, types, health, log } = this.#parts;
    const limit = Math.max(1, Math.min(largestBatch, model.maxBatch));
    const missing = await embeddings.missing(agentId, { model: model.id, limit, types });
    this.#stopping.signal.throwIfAborted();
    if (missing.length === 0) return false;
    await this.#keep(model, await this.#embed(model, missing));
    health.well();
    const before = this.#done;
    this.#done += missing.length;
    if (Math.floor(before / progressEvery) !== Math.floor(this.#done / progressEvery)) {
      log.info({ model: model.id, done: this.#done }, "embedding memories in the background");
    }
    return true;
  }

  /** A text the model cannot take is found by halving the batch, and never tried again. */
  async #embed(model: EmbeddingModel, texts: readonly Unembedded[]): Promise<readonly Embedded[]> {
    const { signal } = this.#stopping;
    try {
      const { vectors } = await model.embed(
        texts.map(({ text }) => text),
        signal,
      );
      if (vectors.length !== texts.length) {
        const told = `${model.id} gave ${vectors.length} vectors for ${texts.length} texts; see to the server`;
        throw new TroupeError("unavailable", told);
      }
      return texts.map(({ memoryId }, at) => judge(memoryId, vectors[at]));
    } catch (error) {
      if (signal.aborted || !(error instanceof TroupeError) || error.code !== "invalid") throw error;
      const [first] = texts;
      if (first && texts.length === 1) return [{ memoryId: first.memoryId, refused: errorMessage(error) }];
      const half = Math.ceil(texts.length / 2);
      return [...(await this.#embed(model, texts.slice(0, half))), ...(await this.#embed(model, texts.slice(half)))];
    }
  }

  async #keep(model: EmbeddingModel, embedded: readonly Embedded[]): Promise<void> {
    const { agentId, embeddings, log } = this.#parts;
    for (const one of embedded) {
      if ("refused" in one)
        this.#sayOnce(one.refused, () => log.warn({ model: model.id, reason: one.refused }, refusedText));
    }
    try {
      await embeddings.put(agentId, model.id, embedded);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "invalid") throw error;
      // One of them has another dimension than the model's other vectors: each on its own, the odd ones refused.
      for (const one of embedded) await this.#keepOne(model, one);
    }
  }

  async #keepOne(model: EmbeddingModel, one: Embedded): Promise<void> {
    const { agentId, embeddings, log } = this.#parts;
    try {
      await embeddings.put(agentId, model.id, [one]);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "invalid") throw error;
      const reason = errorMessage(error);
      this.#sayOnce(reason, () => log.warn({ model: model.id, reason }, refusedText));
      await embeddings.put(agentId, model.id, [{ memoryId: one.memoryId, refused: reason }]);
    }
  }

  /** Everything has its vector: those of models that are no longer used are dropped. */
  async #finish(model: EmbeddingModel): Promise<void> {
    const { agentId, embeddings, log } = this.#parts;
    if (this.#done > 0) log.info({ model: model.id, memories: this.#done }, "memories embedded");
    this.#done = 0;
    const others = (await embeddings.counts(agentId)).filter((count) => count.model !== model.id);
    for (const other of others) {
      await embeddings.drop(agentId, other.model);
      log.info({ model: other.model, vectors: other.count }, "vectors of a model no longer used were dropped");
    }
  }

  #sayOnce(what: string, say: () => void): void {
    if (this.#saidOnce.has(what)) return;
    this.#saidOnce.add(what);
    say();
  }

  async #sleep(ms: number | null): Promise<void> {
    const nap = new AbortController();
    this.#nap = nap;
    if (this.#stopping.signal.aborted) return;
    if (ms === null) {
      await new Promise((resolve) => nap.signal.addEventListener("abort", resolve, { once: true }));
    } else {
      await this.#parts.clock.sleep(ms, nap.signal).catch(() => undefined);
    }
    this.#nap = null;
  }
}

const refusedText = "a memory cannot be embedded and is found by its words alone";

function judge(memoryId: string, vector: Float32Array | undefined): Embedded {
  const problem = vector ? vectorProblem(vector) : "there is none";
  return vector && problem === null
    ? { memoryId, vector }
    : { memoryId, refused: `its vector cannot be used: ${problem}` };
}

function retryDelayMs(failures: number, error: unknown): number {
  const backoffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
  return Math.max(backoffMs, error instanceof TroupeError ? (error.retryAfterMs ?? 0) : 0);
}
