import { errorMessage } from "../errors.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import type { Exchange } from "../plugin/plugin.ts";
import type { State } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";

/** The kind of the jobs in which evaluators look at exchanges that are over. */
export const evaluateKind = "evaluate";

/** A run that is over, as its evaluators are told of it. */
export type FinishedRun = {
  readonly runId: string;
  readonly roomId: string;
  /** The newest message it answered, or left unanswered. */
  readonly messageId: string;
  readonly hasAnswered: boolean;
};

/**
 * The jobs to be committed with a run's end: one for each evaluator that looks at it, so that each is tried again alone. Those of
 * one room are done one after the other, in the order of its exchanges.
 */
export function evaluateJobs(
  run: FinishedRun,
  evaluators: readonly RegisteredEvaluator[],
  runAt: number,
): readonly Write[] {
  const wanted = evaluators.filter(({ alwaysRun }) => alwaysRun || run.hasAnswered);
  return wanted.map(({ name }) => ({
    type: "job.put",
    job: {
      id: `${run.runId}/${evaluateKind}/${name}`,
      kind: evaluateKind,
      payload: { runId: run.runId, messageId: run.messageId, evaluator: name },
      runAt,
      queue: `${evaluateKind}/${run.roomId}/${name}`,
    },
  }));
}

/** What evaluating needs. */
export type EvaluateParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories" | "outbox">;
  readonly evaluators: () => readonly RegisteredEvaluator[];
  /** The state as it is now, for the message. */
  readonly compose: (message: Memory, runId: string, signal: AbortSignal) => Promise<State>;
  readonly onStarted: (look: EvaluatorLook) => void;
  /** Always follows `onStarted`; with the error when the evaluator failed. */
  readonly onCompleted: (look: EvaluatorLook, error?: string) => void;
  readonly log: Log;
};

const noState: State = { values: {}, data: {}, texts: [], missing: [] };

/** One evaluator's look at one run. */
type EvaluatorLook = { readonly evaluator: string; readonly runId: string; readonly roomId: string };

/** Does such a job: a failing evaluator is tried again and never touches the reply; one that is gone, or whose message is, is passed over. */
export function createEvaluateHandler(parts: EvaluateParts): JobHandler {
  return { run: (payload, signal) => evaluate(payload, signal, parts) };
}

async function evaluate(payload: JsonObject, signal: AbortSignal, parts: EvaluateParts): Promise<void> {
  const { runId, messageId, evaluator: name } = payload;
  const evaluator = parts.evaluators().find((known) => known.name === name);
  const [message] = await parts.store.memories.get(parts.agentId, [String(messageId)]);
  if (!evaluator || !message) {
    parts.log.debug({ evaluator: name, runId }, "nothing to evaluate any more");
    return;
  }
  const rows = await parts.store.outbox.list(parts.agentId, {
    runId: String(runId),
    states: ["sent", "uncertain"],
    limit: 100,
  });
  const exchange: Exchange = {
    runId: String(runId),
    message,
    state: evaluator.isStateless ? noState : await parts.compose(message, String(runId), signal),
    responses: rows.map(({ delivery, updatedAt, platformId }) =>
      ownMemory(delivery, { at: updatedAt, ...(platformId !== undefined && { platformId }) }),
    ),
  };
  if (!(await evaluator.validate(exchange, signal))) return;
  const look = { evaluator: evaluator.name, runId: exchange.runId, roomId: message.roomId };
  parts.onStarted(look);
  try {
    await evaluator.run(exchange, signal);
  } catch (error) {
    parts.onCompleted(look, errorMessage(error));
    throw error;
  }
  parts.onCompleted(look);
}
