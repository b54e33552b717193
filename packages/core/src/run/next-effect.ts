import type { ActionControl } from "../action/action.ts";
import type { RunOutcome } from "./entry.ts";
import type { CallState, RunState, StepState } from "./run-state.ts";
import { nextStep } from "./steps/next-step.ts";

/** How a call is taken up: in its turn, after a process that had started it died, or not at all. */
export type CallTurn = "next" | "interrupted" | "chain-ended";

/** What a run does next. */
export type Effect =
  | { readonly type: "decide" }
  | { readonly type: "command"; readonly name: string }
  | { readonly type: "generate"; readonly step: number }
  /** In steps: the process ended while the model spoke and had asked for something already. */
  | { readonly type: "cut"; readonly step: number }
  | { readonly type: "deliver"; readonly key: string }
  | { readonly type: "act"; readonly call: CallState; readonly turn: CallTurn }
  | { readonly type: "end"; readonly outcome: RunOutcome; readonly reason?: string }
  | { readonly type: "none" };

/** Bounds and choices of a run that its entries do not tell. */
export type RunRules = {
  /** Steps whose results may be shown to the model again; 1: results are told to the room. */
  readonly maxSteps: number;
  /** What a named action steers, null when it acts on the world. */
  controlOf(name: string): ActionControl | null;
  /** Whether a provider of this name can be composed on request. */
  hasProvider(name: string): boolean;
};

/** CONTINUE is followed at most this often without the other side speaking. */
const continueLimit = 3;
/** The model may mend its parameters so often in a run. */
const correctionLimit = 1;
/** The model may ask for further providers so often in a run. */
const providerLimit = 2;

/**
 * The one place that says what comes next, from the entries alone; going on after a crash is the ordinary path. Order within a
 * step: its text is delivered, then its actions run one after the other.
 */
export function nextEffect(state: RunState, rules: RunRules): Effect {
  if (state.end) return { type: "none" };
  if (state.failure !== null) {
    const isAborted = state.mode === "steps" && state.failureCode === "aborted";
    return { type: "end", outcome: isAborted ? "aborted" : "failed", reason: state.failure };
  }
  if (!state.decision) return { type: "decide" };
  if (state.decision.decision !== "respond") return { type: "end", outcome: "ignored", reason: state.decision.reason };
  if (state.mode === "steps") return nextStep(state, rules);
  const step = state.steps.at(-1);
  if (!step) return begin(state.decision.command);
  return finishStep(step) ?? afterStep(state, step, rules);
}

/** A command is run as it was asked for; everything else is up to the model. */
function begin(command: string | undefined): Effect {
  return command === undefined ? { type: "generate", step: 1 } : { type: "command", name: command };
}

function finishStep(step: StepState): Effect | null {
  if (!step.isAnswered) return { type: "generate", step: step.step };
  const output = step.outputs.find(({ state }) => state === null);
  if (output) return { type: "deliver", key: output.key };
  const call = step.calls.find(({ result }) => result === null);
  return call ? { type: "act", call, turn: turnOf(call, step) } : null;
}

/** A call within another ends with it; what comes after an action that ended the chain does not run. */
function turnOf(call: CallState, step: StepState): CallTurn {
  if (call.isStarted || call.parentCallId !== undefined) return "interrupted";
  return step.calls.some(({ result }) => result?.endsChain === true) ? "chain-ended" : "next";
}

function afterStep(state: RunState, step: StepState, rules: RunRules): Effect {
  const isBroken = step.outputs.some((output) => output.state === "failed" && !output.isWithdrawn);
  if (!isBroken && wantsMore(state, step, rules)) return { type: "generate", step: step.step + 1 };
  return { type: "end", ...outcomeOf(state, rules) };
}

/** Whether the model is asked once more: it goes on, it may mend a mistake, it asked for context, or it is to see results. */
function wantsMore(state: RunState, step: StepState, rules: RunRules): boolean {
  if (step.calls.some(({ isCommand }) => isCommand)) return false;
  const stepsWith = (has: (step: StepState) => boolean): number => state.steps.filter(has).length;
  const continues = (of: StepState): boolean =>
    of.calls.some((call) => rules.controlOf(call.name) === "continue" && call.result?.success === true);
  const errs = (of: StepState): boolean => of.calls.some(hasWrongParameters) || lacksDependency(of);
  const asks = (of: StepState): boolean => of.providers.some((name) => rules.hasProvider(name));
  const acted = step.calls.some((call) => rules.controlOf(call.name) === null);
  return (
    (continues(step) && stepsWith(continues) <= continueLimit) ||
    (errs(step) && stepsWith(errs) <= correctionLimit) ||
    (asks(step) && stepsWith(asks) <= providerLimit) ||
    (acted && state.steps.length < rules.maxSteps)
  );
}

/** The model is shown what is wrong with its parameters. */
function hasWrongParameters({ result }: CallState): boolean {
  return result?.refused === "parameters";
}

/** An action was asked for without what must come first. Where that was tried and failed, asking again mends nothing. */
function lacksDependency({ calls }: StepState): boolean {
  const failed = calls.filter(({ result }) => result?.success === false);
  return failed.length > 0 && failed.every(({ result }) => result?.refused === "dependency");
}

function outcomeOf(state: RunState, rules: RunRules): { readonly outcome: RunOutcome; readonly reason?: string } {
  const outputs = state.steps.flatMap((step) => step.outputs).filter((output) => !output.isWithdrawn);
  const failed = outputs.find((output) => output.state === "failed");
  if (failed) return { outcome: "failed", reason: `The answer could not be delivered: ${failed.error ?? "refused"}` };
  const uncertain = outputs.find((output) => output.state === "uncertain");
  if (uncertain)
    return { outcome: "uncertain", reason: uncertain.error ?? "Nobody can know whether the answer arrived." };
  const acting = state.steps.flatMap((step) => step.calls).filter((call) => rules.controlOf(call.name) === null);
  if (outputs.some((output) => output.state === "sent") || acting.some((call) => call.result?.success === true)) {
    return { outcome: "answered" };
  }
  if (state.silence !== undefined) return { outcome: "ignored", reason: state.silence };
  const refused = acting.find((call) => call.result?.success === false);
  if (refused) return { outcome: "failed", reason: `${refused.name}: ${refused.result?.error ?? "failed"}` };
  return { outcome: "ignored", reason: "The model chose to say nothing." };
}
