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
};

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
    const { vectors } = await runBounded((own) => model.embed([text], own), { clock, timeoutMs, signal });
    const [vector] = vectors;
    const problem = vector ? vectorProblem(vector) : "there is none";
    if (!vector || problem !== null) throw new ModelError("unavailable", `its vector cannot be used: ${problem}`);
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
