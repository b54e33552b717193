import type { Memory } from "../../memory/memory.ts";
import type { PromptMessage } from "../../model/model.ts";
import { estimateTokens, historyMessages, shorten, toPromptMessage } from "../../prompt/history.ts";
import { escapeName, escapeTags } from "../../state/escape.ts";
import type { Run } from "../run.ts";
import type { CallState, RunState, StepState } from "../run-state.ts";
import { tellableCalls } from "./news.ts";
import { textOf } from "./step-effects.ts";

/** A result of more characters is shown without its middle; the journal has it whole. */
const resultCharacters = 12_000;
/** The steps of a run are shown in full up to so many estimated tokens; older ones as a line each. */
const stepTokens = 16_000;
const digestCharacters = 160;

/** What the model is shown of a run: what it knows already, and what is new, both oldest first. */
export type Transcript = { readonly history: readonly PromptMessage[]; readonly news: readonly PromptMessage[] };

/** Something that happened, with the `seq` by which it is new or known; an answer of the model's own is always known. */
type Happened = { readonly seq: number; readonly messages: readonly PromptMessage[] };

/** The conversation before the run, with what earlier runs did (by the input they answered), then the run itself, parted into what was and what is new. */
export function transcriptOf(
  run: Run,
  answers: ReadonlyMap<number, string>,
  did: ReadonlyMap<string, string>,
): Transcript {
  const state = run.recorder.state();
  const happened = inOrder(run, state, answers);
  const isNew = ({ seq }: Happened): boolean => seq > state.processed;
  const { history } = run.parts.settings;
  const before = historyMessages(run.earlier, 0, history, (memory, limit) => {
    const digest = did.get(memory.id);
    return [showMemory(memory, limit), ...(digest === undefined ? [] : [asData(digest)])];
  });
  return {
    history: [...before, ...happened.filter((what) => !isNew(what)).flatMap(({ messages }) => messages)],
    news: happened.filter(isNew).flatMap(({ messages }) => messages),
  };
}

function showMemory(memory: Memory, maxCharacters: number): PromptMessage {
  return toPromptMessage(memory, maxCharacters, escapeTags);
}

function inOrder(run: Run, state: RunState, answers: ReadonlyMap<number, string>): readonly Happened[] {
  const inputs = [...state.inputs];
  const happened: Happened[] = [];
  const takeInputs = (until: number): void => {
    while (inputs[0] && inputs[0].entrySeq < until) {
      const input = inputs.shift();
      const memory = run.inputs.find(({ id }) => id === input?.memoryId);
      if (input && memory)
        happened.push({
          seq: input.entrySeq,
          messages: [showMemory(memory, run.parts.settings.history.messageCharacters)],
        });
    }
  };
  const digested = olderSteps(run, state, answers);
  for (const step of state.steps) {
    takeInputs(step.firstSeq);
    if (!step.isAnswered) continue;
    if (digested.has(step.step)) happened.push({ seq: 0, messages: [digestOf(run, step)] });
    else happened.push(...stepInFull(run, step, answers.get(step.step)));
  }
  takeInputs(Number.POSITIVE_INFINITY);
  return happened;
}

function stepInFull(run: Run, step: StepState, answer: string | undefined): readonly Happened[] {
  const said = answer?.trim() ?? "";
  const results = resultsOf(run, step);
  const failed = step.outputs.flatMap(({ state, error, isWithdrawn, receiptSeq }) =>
    state === "failed" && !isWithdrawn ? [{ seq: receiptSeq ?? 0, text: undelivered(error) }] : [],
  );
  return [
    ...(said === "" ? [] : [{ seq: 0, messages: [{ role: "assistant" as const, content: said }] }]),
    ...(results.length === 0
      ? []
      : [{ seq: lastSeq(results), messages: [asData(results.map(resultText).join("\n"))] }]),
    ...failed.map(({ seq, text }) => ({ seq, messages: [asData(text)] })),
    ...(step.cutSeq === undefined ? [] : [{ seq: step.cutSeq, messages: [asData(cutText)] }]),
  ];
}

const cutText =
  "<cut>Your last answer broke off, or a part of it could not be read. Actions that were closed have run. Go on from there; do not say or do the same again.</cut>";

function undelivered(error: string | undefined): string {
  return `<undelivered>${escapeTags(error ?? "The platform refused it.")}</undelivered>`;
}

const asData = (content: string): PromptMessage => ({ role: "user", content });

function resultsOf(run: Run, step: StepState): readonly CallState[] {
  return tellableCalls(step, (name) => isControl(run, name));
}

/** Whether an action steers the run rather than the world. */
function isControl(run: Run, name: string): boolean {
  const action = run.resolveAction(name);
  return action !== null && "control" in action;
}

function lastSeq(calls: readonly CallState[]): number {
  return calls.reduce((last, { resultSeq = 0 }) => Math.max(last, resultSeq), 0);
}

function resultText({ callId, name, isOutput, result }: CallState): string {
  const { success, text, data, error } = result ?? { success: false };
  const told = JSON.stringify({ success, text, data, error }).replaceAll("<", "\\u003c");
  const number = callId.slice(callId.indexOf(".") + 1);
  return `<result ${isOutput ? "output" : "action"}="${escapeName(name)}" call="calls[${number}]">${shorten(told, resultCharacters)}</result>`;
}

/** The steps that are only told in short, so that the run does not outgrow its prompt; the newest are told in full. */
function olderSteps(run: Run, state: RunState, answers: ReadonlyMap<number, string>): ReadonlySet<number> {
  const older = new Set<number>();
  let tokens = 0;
  for (const step of state.steps.toReversed()) {
    const results = resultsOf(run, step).map(resultText).join("\n");
    tokens += estimateTokens(answers.get(step.step) ?? "") + estimateTokens(results);
    const isShown = step.lastSeq > state.processed || tokens <= stepTokens;
    if (!isShown) older.add(step.step);
  }
  return older;
}

/** An older step in a line, with where it stands in the journal. */
function digestOf(run: Run, step: StepState): PromptMessage {
  const did = resultsOf(run, step).map(({ name, result }) => `${name} ${result?.success ? "succeeded" : "failed"}`);
  const said = textOf(run, step.step);
  const about = [
    ...(did.length > 0 ? [shorten(did.join(", "), 3 * digestCharacters)] : []),
    ...(said === "" ? [] : [`said: ${shorten(said, digestCharacters)}`]),
  ].join("; ");
  const link = `run="${run.recorder.runId.slice(0, 8)}" entries="${step.firstSeq}-${step.lastSeq}"`;
  return asData(`<step number="${step.step}" ${link}>${escapeTags(about === "" ? "nothing" : about)}</step>`);
}
