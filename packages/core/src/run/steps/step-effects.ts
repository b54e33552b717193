import { deliverOne } from "../deliver-effect.ts";
import type { Effect } from "../next-effect.ts";
import { recordText } from "../record-text.ts";
import type { Run } from "../run.ts";
import type { RunState } from "../run-state.ts";
import { actInStep } from "./taken-calls.ts";

/** Settles a step whose answer was never written down: what it had begun to show is taken back where that can be done. */
export async function cutStep(run: Run, step: number): Promise<void> {
  await recordText(run, step, { text: "", isQuote: false, end: null });
  run.recorder.add({ type: "step_cut", step });
  await run.recorder.flush();
}

/** Waits for a call that is under way here; one that another process left is taken up as it was left. */
export async function actInTurn(run: Run, { call, turn }: Extract<Effect, { type: "act" }>): Promise<void> {
  const work = takeRunning(run, call.callId);
  if (work !== undefined) return work;
  await actInStep(run, call, turn);
}

/** Waits for a delivery that is under way here with the call it belongs to; any other is sent. */
export async function deliverInTurn(run: Run, key: string): Promise<void> {
  const [, callId = ""] = key.split("/");
  const work = takeRunning(run, callId);
  if (work !== undefined) return work;
  await deliverOne(run, key);
}

/** What is under way for a call, or for the one around it; it is waited for once. */
function takeRunning({ running }: Run, callId: string): Promise<void> | undefined {
  const [step = "", number = ""] = callId.split(".");
  const outermost = `${step}.${number}`;
  const work = running.get(outermost);
  running.delete(outermost);
  return work;
}

/** The run failed or was called off: waits for what is under way, and gives what will never come a result. */
export async function endCalls(run: Run): Promise<void> {
  await Promise.allSettled(run.running.values());
  const isAborted = run.recorder.state().failureCode === "aborted";
  const error = isAborted ? "Called off with its run." : "Not finished: its run failed.";
  for (const { calls } of run.recorder.state().steps)
    for (const { callId, result } of calls)
      if (result === null) run.recorder.add({ type: "action_result", callId, success: false, error });
}

/** The inputs that end with the run: those it began with, and what joined and was seen; the others start the next run. */
export function coveredSeqs({ inputs, mode, processed }: RunState): readonly number[] {
  const first = inputs[0]?.entrySeq ?? 0;
  return inputs
    .filter(({ entrySeq }) => mode === "reply" || entrySeq === first || entrySeq <= processed)
    .map(({ seq }) => seq);
}

/** Tells those who follow the context which inputs a finished step has covered. */
export function tellCovered(run: Run): void {
  const { recorder, parts, lease, covered } = run;
  const { contextId } = lease.fence;
  const state = recorder.state();
  const step = state.steps.at(-1);
  if (!step || step.outputs.some((output) => output.state === null) || step.calls.some(({ result }) => !result)) return;
  const fresh = state.inputs.filter(({ entrySeq, memoryId }) => entrySeq <= state.processed && !covered.has(memoryId));
  if (fresh.length === 0) return;
  for (const { memoryId } of fresh) covered.add(memoryId);
  parts.feed.covered(
    contextId,
    recorder.runId,
    fresh.map(({ memoryId }) => memoryId),
  );
}
