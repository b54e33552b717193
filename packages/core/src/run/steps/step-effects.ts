import type { StepReport } from "../../context/context-frame.ts";
import { deliverOne } from "../deliver-effect.ts";
import type { RunOutcome } from "../entry.ts";
import type { Effect } from "../next-effect.ts";
import { recordText, textCallId } from "../record-text.ts";
import type { Run } from "../run.ts";
import type { RunState, StepState } from "../run-state.ts";
import { needFrame } from "./step-frame.ts";
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
  await needFrame(run);
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

/** The run failed or was called off: waits for what is under way, and gives what will never come a result or a receipt. */
export async function endCalls(run: Run): Promise<void> {
  await Promise.allSettled(run.running.values());
  const isAborted = run.recorder.state().failureCode === "aborted";
  const error = isAborted ? "Called off with its run." : "Not finished: its run failed.";
  for (const { calls } of run.recorder.state().steps)
    for (const { callId, result } of calls)
      if (result === null) run.recorder.add({ type: "action_result", callId, success: false, error });
  await settleOpen(run, error);
}

/** What had begun to grow stands as it was shown; nothing more is sent. */
async function settleOpen({ parts, recorder }: Run, error: string): Promise<void> {
  const open = recorder.state().steps.flatMap(({ outputs }) => outputs.filter(({ state }) => state === null));
  for (const { key } of open) {
    const row = await parts.store.outbox.get(parts.agentId, key);
    if (!row?.isOpen) continue;
    const { platformId } = row;
    const state = platformId === undefined ? "uncertain" : "sent";
    const settled = { key, state, error, ...(platformId !== undefined && { platformId }) } as const;
    recorder.add({ type: "receipt", ...settled, isWithdrawn: true });
    recorder.write({ type: "delivery.set", ...settled, text: "" });
  }
}

/** The inputs that end with the run: those it began with, and what joined and was seen; the others start the next run. */
export function coveredSeqs({ inputs, mode, processed }: RunState): readonly number[] {
  const first = inputs[0]?.entrySeq ?? 0;
  return inputs
    .filter(({ entrySeq }) => mode === "reply" || entrySeq === first || entrySeq <= processed)
    .map(({ seq }) => seq);
}

/**
 * Once a step is through: changes of state are durable, the hooks are asked, and whoever gave an input that it covers is told.
 * Does nothing while something of the step is open, or when it was done already.
 */
export async function endStep(run: Run): Promise<void> {
  const step = run.recorder.state().steps.at(-1);
  if (!step?.isAnswered || run.endedSteps.has(step.step)) return;
  if (step.outputs.some(({ state }) => state === null) || step.calls.some(({ result }) => result === null)) return;
  run.endedSteps.add(step.step);
  const { framed, recorder } = run;
  if (framed) await framed.frame.save();
  if (framed && framed.frame.hasHooks !== false) {
    await recorder.flush();
    const report = reportOf(run, step);
    await framed.frame.onStep(report);
    const goesOn = await framed.frame.shouldContinue(report);
    if (goesOn !== null) recorder.add({ type: "step_verdict", step: step.step, goesOn });
  }
  if (run.parts.feed.isFollowed(run.lease.fence.contextId)) await tellCovered(run);
}

function reportOf(run: Run, { step }: StepState): StepReport {
  const results = run.recorder.state().results.filter(({ callId }) => callId.startsWith(`${step}.`));
  return {
    runId: run.recorder.runId,
    step,
    text: textOf(run, step),
    results: results.map(({ action, result }) => ({ action, result })),
  };
}

/** What was said in a step, its pieces joined. */
export function textOf({ said, recorder }: Run, step: number): string {
  const beginning = `${recorder.runId}/${textCallId(step)}/`;
  return said
    .filter(({ metadata }) => String(metadata?.["deliveryKey"] ?? "").startsWith(beginning))
    .map(({ content }) => content.text)
    .join("\n");
}

/** The run is over and that is committed. */
export async function tellRunEnded(run: Run, outcome: RunOutcome, reason: string | undefined): Promise<void> {
  const { framed, recorder } = run;
  if (!framed || framed.frame.hasHooks === false) return;
  const steps = recorder.state().steps.length;
  const texts = Array.from({ length: steps }, (_, at) => textOf(run, steps - at));
  const text = texts.find((said) => said !== "") ?? "";
  await framed.frame.onRun({ runId: recorder.runId, outcome, steps, text, ...(reason !== undefined && { reason }) });
}

/** Those who follow the context learn which inputs a finished step has covered; by then that is durable. */
async function tellCovered(run: Run): Promise<void> {
  const { recorder, parts, lease, covered } = run;
  const state = recorder.state();
  const fresh = state.inputs.filter(({ entrySeq, memoryId }) => entrySeq <= state.processed && !covered.has(memoryId));
  if (fresh.length === 0) return;
  for (const { memoryId } of fresh) covered.add(memoryId);
  await recorder.flush();
  const memoryIds = fresh.map(({ memoryId }) => memoryId);
  parts.feed.covered(lease.fence.contextId, recorder.runId, memoryIds);
}
