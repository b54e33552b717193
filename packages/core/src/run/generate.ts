import { type AnswerPlan, type PlannedCall, planCalls } from "../action/plan-calls.ts";
import { ModelError } from "../errors.ts";
import type { Memory } from "../memory/memory.ts";
import type { PromptMessage } from "../model/model.ts";
import { textDelivery, withExcerpt } from "../outbox/plan-deliveries.ts";
import { createStreamedOutput, type StreamedOutput } from "../outbox/streamed-output.ts";
import { buildPrompt } from "../prompt/build-prompt.ts";
import { historyMessages } from "../prompt/history.ts";
import { composeState } from "../state/compose-state.ts";
import { askModel, type Question, recordAnswer, recordPrompt, type Said } from "./model-call.ts";
import { outputEntry, placeOf, recordText, textCallId } from "./record-text.ts";
import type { Run } from "./run.ts";

/** An answer of which nothing can be made is asked for again this often. */
const retryLimit = 2;

const retryNote = "Your last answer could not be read. Answer again, exactly in the form described under # Answer.";
const continueNote = "Go on from your last message. Say only what is new.";

/** One step: state, prompt, model call, and the record of everything the answer asks for, committed together. */
export async function generate(run: Run, step: number): Promise<void> {
  const { client, parts, recorder, room } = run;
  const stopTyping = client.typing?.start(room.room.platformId);
  try {
    const state = await composeState(
      parts.providers,
      { runId: recorder.runId, step, message: run.message, now: parts.clock.now(), signal: run.signal },
      parts.clock,
    );
    recorder.add({
      type: "state",
      step,
      providers: [...state.texts.map(({ name }) => ({ name })), ...state.missing],
    });
    const history = await conversation(run, step);
    for (let attempt = 0; ; attempt++) {
      const note = attempt > 0 ? retryNote : step > 1 ? continueNote : undefined;
      const prompt = buildPrompt({
        character: parts.character,
        format: parts.settings.format,
        state,
        history,
        ...(note !== undefined && { note }),
      });
      if (await answer(run, step, prompt, attempt)) return;
    }
  } finally {
    stopTyping?.();
  }
}

/** Says whether the answer could be used. */
async function answer(run: Run, step: number, prompt: readonly PromptMessage[], attempt: number): Promise<boolean> {
  const streamed = streamFor(run, step);
  const question: Question = {
    model: run.parts.models.TEXT_LARGE,
    step,
    purpose: attempt === 0 ? "answer" : "retry",
    prompt,
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
  const plan = planCalls(said.decoded, run.parts.resolveAction);
  recordAnswer(run, question, said, !plan.isUnusable);
  if (!plan.isUnusable) {
    await recordConsequences(run, step, { said, plan, streamed });
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
async function conversation(run: Run, step: number): Promise<readonly PromptMessage[]> {
  const said = step === 1 ? [] : await saidInRun(run);
  return historyMessages(
    [...run.earlier, ...run.inputs, ...said],
    run.inputs.length + said.length,
    run.parts.settings.history,
  );
}

async function saidInRun(run: Run): Promise<readonly Memory[]> {
  const { parts, recorder } = run;
  await recorder.flush();
  const rows = await parts.store.outbox.list(parts.agentId, {
    runId: recorder.runId,
    states: ["sent", "uncertain"],
    limit: 100,
  });
  return rows.map(({ delivery, createdAt }) => ({
    id: delivery.key,
    agentId: parts.agentId,
    roomId: delivery.roomId,
    entityId: parts.agentId,
    type: "message",
    content: delivery.content,
    createdAt,
  }));
}

/** A stream to the room, where the client can edit and no earlier attempt of this step has opened one already. */
function streamFor(run: Run, step: number): StreamedOutput | null {
  const { client, parts, recorder } = run;
  const { edits } = client;
  const hasOutputs = recorder.state().steps.some((known) => known.step === step && known.outputs.length > 0);
  if (!edits || hasOutputs) return null;
  const delivery = textDelivery(placeOf(run), textCallId(step), 0, "");
  return createStreamedOutput(withExcerpt(delivery, run.message), {
    client,
    edits,
    clock: parts.clock,
    log: run.log,
    signal: run.signal,
    open: async () => {
      recorder.add(outputEntry(step, [delivery.key], false));
      recorder.write({ type: "delivery.put", delivery, state: "sending", isOpen: true });
      await recorder.flush();
    },
    opened: async (platformId) => {
      recorder.write({ type: "delivery.set", key: delivery.key, state: "sending", platformId });
      await recorder.flush();
    },
  });
}

type Answered = { readonly said: Said; readonly plan: AnswerPlan; readonly streamed: StreamedOutput | null };

/** Records, in one commit with the answer, every call and every piece of text it asks for. */
async function recordConsequences(run: Run, step: number, { said, plan, streamed }: Answered): Promise<void> {
  const end = streamed ? await streamed.finish() : null;
  const text = plan.isSilent ? "" : said.decoded.text;
  await recordText(run, step, { text, end: streamed?.isOpened() ? end : null });
  plan.calls.forEach((call, n) => recordCall(run, `${step}.${n}`, call, said));
  if (plan.isStop) run.recorder.write({ type: "room.stance", roomId: run.room.room.id, stance: "stopped" });
  await run.recorder.flush();
}

/** Writes down a call; what steers the conversation, or cannot run, has its result at once. */
function recordCall(run: Run, callId: string, call: PlannedCall, said: Said): void {
  run.recorder.add({
    type: "action_call",
    callId,
    name: call.name,
    origin: call.origin,
    ...(call.parameters && { parameters: call.parameters }),
    ...(said.decoded.keywords.length > 0 && { keywords: said.decoded.keywords }),
  });
  const refusal = refusalOf(run, call, said);
  if (refusal !== null) run.recorder.add({ type: "action_result", callId, success: false, error: refusal });
  else if (call.action && "control" in call.action) run.recorder.add({ type: "action_result", callId, success: true });
}

function refusalOf(run: Run, call: PlannedCall, said: Said): string | null {
  if (!call.action) {
    run.log.warn({ action: call.name.slice(0, 80) }, "the model asked for an action that does not exist");
    return `There is no action ${call.name}. There are: ${run.parts.actions.map(({ name }) => name).join(", ")}.`;
  }
  const isSilencing = "control" in call.action && (call.action.control === "ignore" || call.action.control === "stop");
  return said.decoded.complete || isSilencing ? null : "Not run: the answer was cut off before it was complete.";
}
