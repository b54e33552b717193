import type { RunOutcome } from "./entry.ts";
import type { CallState, RunState, StepState } from "./run-state.ts";

/** What a run does next. `interrupted`: a call was started by a process that died; it may not run twice. */
export type Effect =
  | { readonly type: "decide" }
  | { readonly type: "generate"; readonly step: number }
  | { readonly type: "deliver"; readonly step: number; readonly key: string }
  | { readonly type: "act"; readonly step: number; readonly callId: string; readonly isInterrupted: boolean }
  | { readonly type: "end"; readonly outcome: RunOutcome; readonly reason?: string }
  | { readonly type: "none" };

/** Bounds and choices of a run that its entries do not tell. */
export type RunRules = {
  /** Model calls in one run. */
  readonly maxSteps: number;
  /** Whether the result of this call asks for one more step. */
  asksForMore(call: CallState): boolean;
  /** Whether this call only steers the conversation: without a text it is no answer. */
  isControl(call: CallState): boolean;
};

/**
 * The one place that says what comes next, from the entries alone; going on after a crash is the ordinary path. Order within a
 * step: its text is delivered, then its actions run one after the other.
 */
export function nextEffect(state: RunState, rules: RunRules): Effect {
  if (state.end) return { type: "none" };
  if (state.failure !== null) return { type: "end", outcome: "failed", reason: state.failure };
  if (!state.decision) return { type: "decide" };
  if (state.decision.decision !== "respond") return { type: "end", outcome: "ignored", reason: state.decision.reason };
  const step = state.steps.at(-1);
  if (!step) return { type: "generate", step: 1 };
  return finishStep(step) ?? afterStep(state, step, rules);
}

function finishStep(step: StepState): Effect | null {
  if (!step.isAnswered) return { type: "generate", step: step.step };
  const output = step.outputs.find(({ state }) => state === null);
  if (output) return { type: "deliver", step: step.step, key: output.key };
  const call = step.calls.find(({ result }) => result === null);
  if (call) return { type: "act", step: step.step, callId: call.callId, isInterrupted: call.isStarted };
  return null;
}

function afterStep(state: RunState, step: StepState, rules: RunRules): Effect {
  const wantsMore = step.calls.some((call) => rules.asksForMore(call));
  const isBroken = step.outputs.some((output) => output.state === "failed" && !output.isWithdrawn);
  if (wantsMore && !isBroken && state.steps.length < rules.maxSteps) return { type: "generate", step: step.step + 1 };
  return { type: "end", ...outcomeOf(state, rules) };
}

function outcomeOf(state: RunState, rules: RunRules): { readonly outcome: RunOutcome; readonly reason?: string } {
  const outputs = state.steps.flatMap((step) => step.outputs).filter((output) => !output.isWithdrawn);
  const failed = outputs.find((output) => output.state === "failed");
  if (failed) return { outcome: "failed", reason: `The answer could not be delivered: ${failed.error ?? "refused"}` };
  const uncertain = outputs.find((output) => output.state === "uncertain");
  if (uncertain)
    return { outcome: "uncertain", reason: uncertain.error ?? "Nobody can know whether the answer arrived." };
  const calls = state.steps.flatMap((step) => step.calls);
  const hasActed = calls.some((call) => call.result?.success === true && !rules.isControl(call));
  if (hasActed || outputs.some((output) => output.state === "sent")) return { outcome: "answered" };
  return { outcome: "ignored", reason: "The model chose to say nothing." };
}
