import type { Clock } from "../clock.ts";
import { errorMessage, ModelError } from "../errors.ts";
import { runBounded } from "../job/run-bounded.ts";
import type { Log } from "../log.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";
import { vectorProblem } from "./vector.ts";

/** How the embedding model is doing, told by whoever asked it last. */
export type EmbeddingHealth = {
  /** It answered. */
  well(): void;
  /** It did not, or wrongly. */
  ill(): void;
  /** Whether it may be asked while somebody waits: it answered the last time, or long enough ago did not. */
  isTrusted(): boolean;
  /** The vector of a question that was asked just now, or is being asked: who wants the same waits for the same answer. */
  readonly asked?: Map<string, Promise<Float32Array>>;
};

/** Questions whose vectors are kept: those of messages being answered at once. */
const keptQuestions = 64;

/** After a failure nobody waits for the model for so long; the background goes on trying. */
const distrustMs = 60_000;

/** A model is trusted once it has answered: a dead one never keeps anybody waiting. */
export function createEmbeddingHealth(clock: Pick<Clock, "now">): EmbeddingHealth {
  let state: "unknown" | "well" | "ill" = "unknown";
  let illSince = 0;
  return {
    well: () => void (state = "well"),
    ill() {
      state = "ill";
      illSince = clock.now();
    },
    isTrusted: () => state === "well" || (state === "ill" && clock.now() - illSince >= distrustMs),
    asked: new Map(),
  };
}

/** What embedding a question needs. */
export type QueryVectorParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly health: EmbeddingHealth;
  readonly timeoutMs: number;
};

/** The vector of a question, or why there is none; it never throws but for the signal. */
export type QueryVector = { readonly vector: Float32Array } | { readonly missing: string };

/** Embeds a question within the time there is. */
export async function embedQuery(
  model: EmbeddingModel,
  text: string,
  { clock, health, log, timeoutMs }: QueryVectorParts,
  signal: AbortSignal,
): Promise<QueryVector> {
  if (!health.isTrusted()) return { missing: `${model.id} has not answered lately; by words alone` };
  try {
    const vector = await runBounded((own) => vectorOf(model, text, { asked: health.asked, signal: own }), {
      clock,
      timeoutMs,
      signal,
    });
    health.well();
    return { vector };
  } catch (error) {
    signal.throwIfAborted();
    health.ill();
    const reason = errorMessage(error);
    log.warn({ model: model.id, error: reason }, "a question could not be embedded; recalled by words alone");
    return { missing: `${model.id}: ${reason}` };
  }
}

type Asking = { readonly asked: EmbeddingHealth["asked"]; readonly signal: AbortSignal };

/** Several providers ask for the same message at once: the model is asked once. A failure is asked anew. */
async function vectorOf(model: EmbeddingModel, text: string, { asked, signal }: Asking): Promise<Float32Array> {
  const key = `${model.id}\n${text}`;
  const known = asked?.get(key);
  if (known) {
    // Whoever asked first may have been called off; that is not this one's failure.
    const vector = await known.catch(() => null);
    if (vector) return vector;
    signal.throwIfAborted();
  }
  const asking = embedOne(model, text, signal);
  asked?.set(key, asking);
  asking.catch(() => asked?.delete(key));
  for (const [oldest] of asked ?? []) {
    if ((asked?.size ?? 0) <= keptQuestions) break;
    asked?.delete(oldest);
  }
  return asking;
}

async function embedOne(model: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array> {
  const { vectors } = await model.embed([text], signal);
  const [vector] = vectors;
  const problem = vector ? vectorProblem(vector) : "there is none";
  if (!vector || problem !== null) throw new ModelError("unavailable", `its vector cannot be used: ${problem}`);
  return vector;
}
