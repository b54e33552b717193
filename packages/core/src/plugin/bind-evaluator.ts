import { ValidationError } from "../errors.ts";
import { type CurrentWork, during } from "./current-work.ts";
import type { Evaluator, Exchange, Review } from "./plugin.ts";
import type { Runtime } from "./runtime.ts";

/** An evaluator as the engine runs it: bound to everything it needs. Each may throw; `signal` calls its work off. */
export type RegisteredEvaluator = {
  readonly name: string;
  readonly description: string;
  readonly similes: readonly string[];
  /** Runs after every exchange, also one in which the agent kept silent. */
  readonly alwaysRun: boolean;
  /** It does not look at the state, which is then not composed for it. */
  readonly isStateless?: true;
  validate(exchange: Exchange, signal: AbortSignal): Promise<boolean>;
  run(exchange: Exchange, signal: AbortSignal): Promise<void>;
  /** Looks at an answer before it is sent. */
  readonly review?: (exchange: Exchange, signal: AbortSignal) => Promise<Review>;
};

/** A plugin's evaluator, bound. What it writes gets ids derived from the run, so that it can be repeated after a crash. */
export function bindEvaluator(evaluator: Evaluator, runtime: Runtime): RegisteredEvaluator {
  const { name, description, similes = [], alwaysRun = false } = evaluator;
  const workOf = (exchange: Exchange, part: string, signal: AbortSignal): CurrentWork => ({
    agentId: runtime.agentId,
    workId: `evaluator:${name}:${part}`,
    runId: exchange.runId,
    roomId: exchange.message.roomId,
    signal,
    ...(part === "review" && { isAwaited: true as const }),
  });
  return {
    name,
    description,
    similes,
    alwaysRun,
    validate: async (exchange, signal) =>
      (await during(workOf(exchange, "validate", signal), () => evaluator.validate(runtime, exchange))) === true,
    run: async (exchange, signal) => {
      await during(workOf(exchange, "run", signal), () => evaluator.handler(runtime, exchange));
    },
    ...(evaluator.review && {
      review: async (exchange: Exchange, signal: AbortSignal) =>
        toReview(name, await during(workOf(exchange, "review", signal), () => evaluator.review?.(runtime, exchange))),
    }),
  };
}

/** Code without types may return anything. */
function toReview(name: string, review: Review | undefined): Review {
  if (review?.verdict === "pass") return { verdict: "pass" };
  if (review?.verdict === "amend" && typeof review.text === "string") return { verdict: "amend", text: review.text };
  if (review?.verdict === "veto") return { verdict: "veto", reason: String(review.reason ?? `${name} gave no reason`) };
  throw new ValidationError(
    `the evaluator ${name} gave no verdict; return { verdict: "pass" }, { verdict: "amend", text } or { verdict: "veto", reason }`,
  );
}
