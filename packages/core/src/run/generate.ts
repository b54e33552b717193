import { readOffer } from "../action/offer.ts";
import { type AnswerPlan, planCalls } from "../action/plan-calls.ts";
import { ModelError } from "../errors.ts";
import type { PromptMessage } from "../model/model.ts";
import { textDelivery, withExcerpt } from "../outbox/plan-deliveries.ts";
import { createStreamedOutput, type StreamEnd, type StreamedOutput } from "../outbox/streamed-output.ts";
import { buildPrompt } from "../prompt/build-prompt.ts";
import { historyMessages } from "../prompt/history.ts";
import { composeStep } from "./compose-step.ts";
import { askModel, type Question, recordAnswer, recordPrompt, type Said } from "./model-call.ts";
import { recordCall, refusalOf, vetoed } from "./record-call.ts";
import { outputEntry, placeOf, recordText, textCallId } from "./record-text.ts";
import { hasReviewers, reviewText } from "./review.ts";
import type { Run } from "./run.ts";
import type { RunState } from "./run-state.ts";

/** An answer of which nothing can be made is asked for again this often. */
const retryLimit = 2;

const retryNote = "Your last answer could not be read. Answer again, exactly in the form described under # Answer.";
const continueNote = "Go on from your last message. Say only what is new.";
const resultsNote =
  "What your actions came to stands in <results>. Answer with it; do not repeat an action that succeeded.";
const orderNote =
  "An action needs another one before it; <results> says which. Name both in the right order, or answer without them.";
const correctionNote =
  "An action's parameters could not be used; <results> says why. Name the action again with right ones, or answer without it.";

/** One step: state, prompt, model call, and the record of everything the answer asks for, committed together. */
export async function generate(run: Run, step: number): Promise<void> {
  const { client, parts, recorder, room } = run;
  const stopTyping = client.typing?.start(room.room.platformId);
  try {
    const { state, withheld } = await composeStep(run, step);
    recorder.add({
      type: "state",
      step,
      providers: [...state.texts.map(({ name }) => ({ name })), ...state.missing],
      ...(withheld.length > 0 && { withheld }),
    });
    const history = conversation(run);
    for (let attempt = 0; ; attempt++) {
      const note = attempt > 0 ? retryNote : noteFor(recorder.state(), step);
      const prompt = buildPrompt({
        character: parts.character,
        format: parts.settings.format,
        state,
        history,
        onMissing: parts.onMissing,
        ...(note !== undefined && { note }),
      });
      if (await answer(run, step, prompt, attempt)) return;
    }
  } finally {
    stopTyping?.();
  }
}

/** What the model is told about why it is asked once more. */
function noteFor(state: RunState, step: number): string | undefined {
  const before = state.steps.find((known) => known.step === step - 1);
  if (!before) return undefined;
  if (before.calls.some(({ result }) => result?.refused === "parameters")) return correctionNote;
  if (before.calls.some(({ result }) => result?.refused === "dependency")) return orderNote;
  if (before.calls.some(({ result }) => (result?.text ?? result?.error ?? result?.data) !== undefined))
    return resultsNote;
  return before.providers.length > 0 ? undefined : continueNote;
}

/** Says whether the answer could be used. */
async function answer(run: Run, step: number, prompt: readonly PromptMessage[], attempt: number): Promise<boolean> {
  const streamed = streamFor(run, step);
  const tools = run.parts.tools(run.filter.apply(run.parts.registry.actions()).actions);
  const question: Question = {
    model: run.parts.models().TEXT_LARGE,
    step,
    purpose: attempt === 0 ? "answer" : "retry",
    prompt,
    ...(tools && { tools }),
    ...(streamed && { onText: (delta: string) => streamed.push(delta) }),
  };
  recordPrompt(run, question);
  let said: Said;
  try {
    said = await askModel(run, question);
  } catch (error) {
    await streamed?.finish();
    throw error;
  }
  const plan = planCalls(said.decoded, run.parts.registry.resolveAction);
  // What the stream commits must not part the answer from its consequences.
  const end = streamed ? await streamed.finish() : null;
  recordAnswer(run, question, said, { isUsable: !plan.isUnusable });
  if (!plan.isUnusable) {
    await recordConsequences(run, step, { said, plan, end: streamed?.isOpened() ? end : null });
    return true;
  }
  run.log.warn({ model: said.finish.model, attempt: attempt + 1 }, "the model's answer says nothing; asking again");
  if (attempt < retryLimit) return false;
  throw new ModelError(
    "unavailable",
    `${said.finish.model} gave no usable answer in ${retryLimit + 1} attempts; choose another model for ${run.parts.character.name}, or look at the answers with: troupe runs show ${run.recorder.runId.slice(0, 8)}`,
  );
}

/** What was said before, the inputs, and what this run has said itself. */
function conversation(run: Run): readonly PromptMessage[] {
  return historyMessages(
    [...run.earlier, ...run.inputs, ...run.said],
    run.inputs.length + run.said.length,
    run.parts.settings.history,
  );
}

/** A stream to the room, where the client can edit and no earlier attempt of this step has opened one already. */
export function streamFor(run: Run, step: number): StreamedOutput | null {
  const { client, parts, recorder } = run;
  const { edits } = client;
  const hasOutputs = recorder.state().steps.some((known) => known.step === step && known.outputs.length > 0);
  if (!edits || hasOutputs || hasReviewers(parts)) return null;
  const delivery = textDelivery(placeOf(run), textCallId(step), 0, "");
  return createStreamedOutput(withExcerpt(delivery, run.message), {
    client,
    edits,
    clock: parts.clock,
    log: run.log,
    signal: run.signal,
    open: async () => {
      recorder.add(outputEntry(textCallId(step), [delivery.key], false));
      recorder.write({ type: "delivery.put", delivery, state: "sending", isOpen: true });
      await recorder.flush();
    },
    opened: async (platformId) => {
      recorder.write({ type: "delivery.set", key: delivery.key, state: "sending", platformId });
      await recorder.flush();
    },
  });
}

type Answered = { readonly said: Said; readonly plan: AnswerPlan; readonly end: StreamEnd | null };

/** Records, in one commit with the answer, every call and every piece of text it asks for. */
async function recordConsequences(run: Run, step: number, { said, plan, end }: Answered): Promise<void> {
  // Where messages are offered to act on, nobody is spoken to.
  const isSilent = plan.isSilent || readOffer(run.message) !== null;
  const text = isSilent ? "" : await reviewText(run, step, said.decoded.text);
  const isVetoed = text === null;
  await recordText(run, step, { text: text ?? "", isQuote: plan.isQuote, end });
  plan.calls.forEach((call, n) => {
    recordCall(run, `${step}.${n}`, { call, said, refusal: isVetoed ? vetoed : refusalOf(run, call, { said, n }) });
  });
  if (plan.isStop) run.recorder.write({ type: "room.stance", roomId: run.room.room.id, stance: "stopped" });
  await run.recorder.flush();
}
