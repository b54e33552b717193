import { errorMessage } from "../errors.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import { textDelivery } from "../outbox/plan-deliveries.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import { composeStep } from "./compose-step.ts";
import { placeOf, textCallId } from "./record-text.ts";
import type { Run, RunParts } from "./run.ts";

type ReviewingEvaluator = RegisteredEvaluator & Required<Pick<RegisteredEvaluator, "review">>;

function reviewersOf({ registry }: RunParts): readonly ReviewingEvaluator[] {
  return registry.evaluators().filter((evaluator): evaluator is ReviewingEvaluator => evaluator.review !== undefined);
}

/** Whether somebody looks at answers before they are sent; then nothing is streamed. */
export function hasReviewers(parts: RunParts): boolean {
  return parts.registry.evaluators().some(({ review }) => review !== undefined);
}

/**
 * Shows an answer's text to everybody who may hold it back or say it differently, in order, before anything is sent or done.
 * Null: held back. A reviewer that throws holds nothing back; it is journalled and the answer goes on.
 */
export async function reviewText(run: Run, step: number, text: string): Promise<string | null> {
  const { parts, recorder, message } = run;
  let current = text;
  for (const reviewer of reviewersOf(parts)) {
    const { state } = await composeStep(run, step);
    const response = ownMemory(textDelivery(placeOf(run), textCallId(step), 0, current), { at: parts.clock.now() });
    try {
      const review = await reviewer.review(
        { runId: recorder.runId, message, state, responses: [response] },
        run.signal,
      );
      if (review.verdict === "pass") continue;
      const reason = review.verdict === "veto" ? { reason: review.reason } : {};
      recorder.add({ type: "review", step, evaluator: reviewer.name, verdict: review.verdict, ...reason });
      if (review.verdict === "veto") return null;
      current = review.text;
    } catch (error) {
      run.signal.throwIfAborted();
      run.log.warn(
        { evaluator: reviewer.name, error: errorMessage(error) },
        "an evaluator failed before sending; the answer goes on",
      );
      recorder.add({
        type: "error",
        where: `evaluator ${reviewer.name}`,
        code: "internal",
        message: errorMessage(error),
      });
    }
  }
  return current;
}
