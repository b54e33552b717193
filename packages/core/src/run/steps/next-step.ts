import type { RunOutcome } from "../entry.ts";
import type { Effect, RunRules } from "../next-effect.ts";
import type { RunState, StepState } from "../run-state.ts";
import { newsOf } from "./news.ts";

/** CONTINUE is followed at most this often without the other side speaking. */
const continueLimit = 3;
/** The model may ask for further providers so often in a run. */
const providerLimit = 2;
/** So many answers in a row may break off. */
const cutLimit = 3;

/**
 * What comes next in a run that thinks in steps: the model is asked, what it said is delivered and what it asked for is done,
 * and it is asked again while there is news and there are steps left.
 */
export function nextStep(state: RunState, rules: RunRules): Effect {
  const step = state.steps.at(-1);
  if (!step) return { type: "generate", step: 1 };
  return finishStep(step) ?? afterStep(state, step, rules);
}

function finishStep(step: StepState): Effect | null {
  // What had been asked for is done already, or nobody knows: asking again would do it twice.
  if (!step.isAnswered) return { type: step.calls.length > 0 ? "cut" : "generate", step: step.step };
  const output = step.outputs.find(({ state }) => state === null);
  if (output) return { type: "deliver", key: output.key };
  const call = step.calls.find(({ result }) => result === null);
  if (!call) return null;
  return { type: "act", call, turn: call.isStarted || call.parentCallId !== undefined ? "interrupted" : "next" };
}

function afterStep(state: RunState, step: StepState, rules: RunRules): Effect {
  const isWanted = wantsMore(state, step, rules);
  if (isWanted && mayGoOn(state, rules)) return { type: "generate", step: step.step + 1 };
  return { type: "end", ...outcomeOf(state, rules, isWanted) };
}

/** Whether another step may follow, were there news. */
export function mayGoOn(state: RunState, { maxSteps }: Pick<RunRules, "maxSteps">): boolean {
  if (state.steps.at(-1)?.verdict === false) return false;
  const cut = state.steps.length - 1 - state.steps.findLastIndex(({ cutSeq }) => cutSeq === undefined);
  return state.failure === null && state.steps.length < maxSteps && cut < cutLimit;
}

function wantsMore(state: RunState, step: StepState, rules: RunRules): boolean {
  if (step.verdict !== undefined) return step.verdict;
  const news = newsOf(state, (name) => rules.controlOf(name) !== null);
  const continues = (of: StepState): boolean =>
    of.calls.some((call) => rules.controlOf(call.name) === "continue" && call.result?.success === true);
  const asks = (of: StepState): boolean => of.providers.some((name) => rules.hasProvider(name));
  const stepsWith = (has: (step: StepState) => boolean): number => state.steps.filter(has).length;
  if (news.inputs.length > 0 || news.isCut) return true;
  if (step.calls.some(({ result }) => result?.endsChain === true)) return false;
  return (
    news.results.length > 0 ||
    news.undelivered.length > 0 ||
    (continues(step) && stepsWith(continues) <= continueLimit) ||
    (asks(step) && stepsWith(asks) <= providerLimit)
  );
}

type Outcome = { readonly outcome: RunOutcome; readonly reason?: string };

/** The truth of a run: what was said and done, and whether it had to stop before it was through. */
function outcomeOf(state: RunState, rules: RunRules, hasNews: boolean): Outcome {
  const outputs = state.steps.flatMap((step) => step.outputs).filter((output) => !output.isWithdrawn);
  const last = outputs.at(-1);
  if (last?.state === "failed")
    return { outcome: "failed", reason: `The answer could not be delivered: ${last.error ?? "refused"}` };
  const uncertain = outputs.find((output) => output.state === "uncertain");
  if (uncertain)
    return { outcome: "uncertain", reason: uncertain.error ?? "Nobody can know whether the answer arrived." };
  const acting = state.steps.flatMap(({ calls }) => calls).filter(({ name }) => rules.controlOf(name) === null);
  const isAnswered = outputs.some((output) => output.state === "sent") || acting.some(({ result }) => result?.success);
  const stopped = hasNews ? whyStopped(state, rules) : undefined;
  if (isAnswered) return { outcome: "answered", ...(stopped !== undefined && { reason: stopped }) };
  if (stopped !== undefined && state.steps.at(-1)?.cutSeq !== undefined) return { outcome: "failed", reason: stopped };
  if (state.silence !== undefined) return { outcome: "ignored", reason: state.silence };
  const refused = acting.find(({ result }) => result?.success === false);
  if (refused) return { outcome: "failed", reason: `${refused.name}: ${refused.result?.error ?? "failed"}` };
  return { outcome: "ignored", reason: "The model chose to say nothing." };
}

function whyStopped(state: RunState, { maxSteps }: RunRules): string {
  if (state.steps.length >= maxSteps)
    return `Out of steps: it stopped after ${maxSteps} (settings.maxSteps) with something left to look at.`;
  return `The model's last ${cutLimit} answers broke off or could not be read; choose another model, or raise settings.maxTokens.`;
}
