import { readOffer } from "../../action/offer.ts";
import { planCalls } from "../../action/plan-calls.ts";
import { errorMessage } from "../../errors.ts";
import type { DecoderEvent } from "../../format/decoded-response.ts";
import type { PromptMessage } from "../../model/model.ts";
import { promptWith } from "../../prompt/build-prompt.ts";
import { stepsFormatText } from "../../prompt/steps-format.ts";
import { composeStep } from "../compose-step.ts";
import { deliverOne } from "../deliver-effect.ts";
import { streamFor } from "../generate.ts";
import { askModel, type Question, recordAnswer, recordPrompt, type Said } from "../model-call.ts";
import { recordText, textCallId } from "../record-text.ts";
import { reviewText } from "../review.ts";
import type { Composed, Run } from "../run.ts";
import { joinInputs } from "./join-inputs.ts";
import { createPartialTeller, type PartialTeller } from "./partial-teller.ts";
import { maxStepsOf, openFrame } from "./step-frame.ts";
import { type TakenCalls, takeCalls } from "./taken-calls.ts";
import { transcriptOf } from "./transcript.ts";

const lastStepNote =
  "This is the last step: what you ask for now is done, but you are not shown what it comes to. Say what is to be said.";
const nothingNewNote = "Nothing is new. Go on from your last words, or end the work by saying nothing.";

/**
 * One step: what is new is put before the model, and what it asks for is begun while it still speaks. Returns once its answer is
 * written down; what it began may go on in `run.running`.
 */
export async function generateStep(run: Run, step: number): Promise<void> {
  const { client, recorder, room } = run;
  const stopTyping = client.typing?.start(room.room.platformId);
  try {
    run.running.clear();
    await joinInputs(run);
    await openFrame(run, step);
    const composed = await composeStep(run, step);
    recorder.add({
      type: "state",
      step,
      providers: [...composed.state.texts.map(({ name }) => ({ name })), ...composed.state.missing],
      ...(composed.withheld.length > 0 && { withheld: composed.withheld }),
    });
    await loadAnswers(run);
    run.signal.throwIfAborted();
    await answer(run, step, await promptOf(run, step, composed));
  } finally {
    stopTyping?.();
  }
}

/** The model's earlier answers of a run that is taken up again. */
async function loadAnswers({ recorder, parts, answers }: Run): Promise<void> {
  const missing = recorder
    .state()
    .steps.flatMap(({ step, answerPart }) =>
      answerPart === undefined || answers.has(step) ? [] : [{ step, answerPart }],
    );
  if (missing.length === 0) return;
  const texts = await parts.store.journal.parts(
    parts.agentId,
    missing.map(({ answerPart }) => answerPart),
  );
  for (const { step, answerPart } of missing) answers.set(step, texts.get(answerPart) ?? "");
}

async function promptOf(run: Run, step: number, { state }: Composed): Promise<readonly PromptMessage[]> {
  const { parts, framed } = run;
  const { format } = parts.settings;
  const maxSteps = maxStepsOf(run);
  const did = await parts.workingMemory.of(run.lease.fence.contextId);
  const { history, news } = transcriptOf(run, run.answers, did);
  const isLast = step >= maxSteps && maxSteps > 1;
  const note = [...(news.length === 0 ? [nothingNewNote] : []), ...(isLast ? [lastStepNote] : [])].join(" ");
  const shown = news.length === 0 ? [] : [asUser("<news>"), ...news, asUser("</news>")];
  return promptWith(stepsFormatText(format, parts.character.name, framed?.others ?? []), {
    character: parts.character,
    state,
    history: [...history, ...shown],
    onMissing: parts.onMissing,
    ...(note !== "" && { note }),
  });
}

const asUser = (content: string): PromptMessage => ({ role: "user", content });

/** Asks the model; where it fails and the context's hooks say so, once more after a while. */
async function answer(run: Run, step: number, prompt: readonly PromptMessage[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const failed = await attemptAnswer(run, { step, prompt, attempt });
    if (!failed) return;
    const { error, hasBegun } = failed;
    // What was begun cannot be taken back: it would be done twice.
    const report = { runId: run.recorder.runId, step, attempt, error };
    const retry = hasBegun || run.signal.aborted ? null : await run.framed?.frame.onError(report);
    if (!retry) throw error;
    run.log.warn({ step, attempt, error: errorMessage(error) }, "the model failed; asking again");
    await run.parts.clock.sleep(retry.retryInMs, run.signal);
  }
}

type Attempt = { readonly step: number; readonly prompt: readonly PromptMessage[]; readonly attempt: number };
type Failed = { readonly error: unknown; readonly hasBegun: boolean };

async function attemptAnswer(run: Run, { step, prompt, attempt }: Attempt): Promise<Failed | null> {
  const streamed = streamFor(run, step);
  const calls = takeCalls(run, step);
  const partials = createPartialTeller(run, step);
  const tools = run.parts.tools(run.filter.apply(run.framed?.actions ?? run.parts.registry.actions()).actions);
  const question: Question = {
    model: run.framed?.frame.model ?? run.parts.models().TEXT_LARGE,
    step,
    purpose: attempt === 1 ? "answer" : "retry",
    prompt,
    inSteps: true,
    ...(tools && { tools }),
    onText: (delta) => {
      streamed?.push(delta);
      partials.text(delta);
    },
    onDecoded: (event) => take(event, calls, partials),
  };
  recordPrompt(run, question);
  let said: Said;
  try {
    said = await askModel(run, question);
  } catch (error) {
    calls.end();
    partials.end();
    await streamed?.finish();
    return { error, hasBegun: calls.count() > 0 };
  }
  for (const action of said.decoded.actions.slice(calls.taken())) calls.take(action);
  calls.end();
  partials.end();
  run.answers.set(step, said.raw);
  await recordConsequences(run, step, { said, calls, question, streamed });
  return null;
}

function take(event: DecoderEvent, calls: TakenCalls, partials: PartialTeller): void {
  switch (event.type) {
    case "text":
    case "keyword":
      return;
    case "output-text":
      return partials.output(calls.count(), event.name, event.delta);
    case "output":
      return calls.takeOutput(event.output);
    case "thought":
      return partials.thought(event.delta);
    case "action-begun":
      return calls.isSteering(event.name) ? undefined : partials.call(calls.count(), event.name);
    case "action":
      return calls.take(event.action);
    case "unreadable":
      return calls.takeUnreadable(event.name);
  }
}

type Answered = {
  readonly said: Said;
  readonly calls: TakenCalls;
  readonly question: Question;
  readonly streamed: ReturnType<typeof streamFor>;
};

/** Commits the answer with its text and what steers, all at once, and begins to deliver the text. */
async function recordConsequences(
  run: Run,
  step: number,
  { said, calls, question, streamed }: Answered,
): Promise<void> {
  const { recorder, room } = run;
  const plan = planCalls(said.decoded, run.resolveAction);
  const end = streamed ? await streamed.finish() : null;
  const opened = streamed?.isOpened() ? end : null;
  // Where messages are offered to act on, nobody is spoken to.
  const isSilent = plan.isSilent || readOffer(run.message) !== null;
  const text = (isSilent ? null : await reviewText(run, step, said.decoded.text)) ?? "";
  // Taking back takes time; everything after it is added in one go, so that no commit parts it.
  if (text === "") await recordText(run, step, { text, isQuote: false, end: opened });
  recordAnswer(run, question, said, { isUsable: true, isCut: isCut(said) });
  const isRecorded = text === "" ? null : recordText(run, step, { text, isQuote: plan.isQuote, end: opened });
  for (const call of plan.calls) {
    const isSteering = call.action !== null && "control" in call.action;
    if (isSteering || call.origin === "keyword") calls.takeLast(call);
  }
  if (plan.isStop) recorder.write({ type: "room.stance", roomId: room.room.id, stance: "stopped" });
  await isRecorded;
  await recorder.flush();
  if (text !== "") beginDelivery(run, step);
}

function isCut({ decoded, error, finish }: Said): boolean {
  return error !== undefined || !decoded.complete || finish.reason === "length" || finish.reason === "error";
}

/** The text goes out beside the actions, its pieces one after the other. */
function beginDelivery(run: Run, step: number): void {
  const work = deliverText(run, step);
  // Whoever waits for the step is told.
  work.catch(() => undefined);
  run.running.set(textCallId(step), work);
}

async function deliverText(run: Run, step: number): Promise<void> {
  const beginning = `${run.recorder.runId}/${textCallId(step)}/`;
  const outputs = run.recorder.state().steps.at(-1)?.outputs ?? [];
  const keys = outputs.flatMap(({ key, state }) => (state === null && key.startsWith(beginning) ? [key] : []));
  for (const key of keys) await deliverOne(run, key);
}
