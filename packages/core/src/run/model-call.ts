import type { ActionTools } from "../action/action-tools.ts";
import { ModelError } from "../errors.ts";
import type { DecodedAction, DecodedResponse, DecoderEvent } from "../format/decoded-response.ts";
import { createDecoder, type Decoder } from "../format/decoder.ts";
import { encodeToolAnswer, joinToolCalls, type NativeCall } from "../format/tool-calls.ts";
import type { LanguageModel, ModelEvent, ModelRequest, PromptMessage } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { mergeRoles } from "../prompt/history.ts";
import type { EntryBody } from "./entry.ts";
import type { Run } from "./run.ts";

type Finish = Extract<ModelEvent, { type: "finish" }>;

/** What a model said, whole. `error` is set when the stream broke after something was heard. */
export type Said = {
  readonly raw: string;
  readonly decoded: DecodedResponse;
  readonly finish: Finish;
  readonly error?: string;
};

/** One question to a model. */
export type Question = {
  readonly model: LanguageModel;
  readonly step: number;
  readonly purpose: "answer" | "decision" | "retry";
  readonly prompt: readonly PromptMessage[];
  /** The actions as native tools, where the model is told to answer so. */
  readonly tools?: ActionTools;
  /** Hears the visible text as it comes. */
  readonly onText?: (delta: string) => void;
  /** Hears everything else as it becomes known, native calls included. */
  readonly onDecoded?: (event: DecoderEvent) => void;
  /** The answer is read as one of steps. */
  readonly inSteps?: boolean;
};

const nothingUsed: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** Writes down what the model is about to be asked; each text is a part of its own. */
export function recordPrompt(run: Run, question: Question): void {
  const { recorder } = run;
  recorder.add({
    type: "prompt",
    step: question.step,
    purpose: question.purpose,
    model: question.model.id,
    parts: question.prompt.map(({ role, content }) => ({ role, part: recorder.part(content) })),
  });
}

/**
 * Asks the model and decodes its answer as it comes. A stream that breaks after the first words counts as a cut answer.
 * @throws ModelError when nothing was heard; the signal's reason when called off.
 */
export async function askModel(run: Run, question: Question): Promise<Said> {
  const decoder = createDecoder({ agentName: run.parts.character.name, inSteps: question.inSteps === true });
  const heard: Heard = { pieces: [], calls: [], finish: null };
  let error: string | undefined;
  try {
    for await (const event of question.model.stream(requestOf(run, question)))
      take(event, { heard, question, decoder });
  } catch (thrown) {
    run.signal.throwIfAborted();
    if (!isBrokenStream(thrown) || heard.pieces.length + heard.calls.length === 0) throw thrown;
    error = thrown.message;
  }
  run.signal.throwIfAborted();
  const finish = heard.finish ?? brokenOff(question);
  return {
    raw: encodeToolAnswer(heard.pieces.join(""), heard.calls),
    decoded: joinToolCalls(decoder.end({ finishReason: finish.reason }), heard.calls, finish.reason),
    finish,
    ...(error !== undefined && { error }),
  };
}

type HeardCall = NativeCall & { readonly raw: string };

/** What came of an answer so far. */
type Heard = { readonly pieces: string[]; readonly calls: HeardCall[]; finish: Finish | null };

function requestOf(run: Run, { prompt, tools }: Question): ModelRequest {
  const { temperature, maxTokens } = run.parts.settings;
  return {
    messages: mergeRoles(prompt),
    signal: run.signal,
    ...(tools && { tools: tools.tools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

type Ears = { readonly heard: Heard; readonly question: Question; readonly decoder: Decoder };

function take(event: ModelEvent, { heard, question, decoder }: Ears): void {
  switch (event.type) {
    case "finish":
      heard.finish = event;
      return;
    case "tool-call":
      hearCall(toNativeCall(event, question), heard, question);
      return;
    case "text":
      heard.pieces.push(event.text);
      for (const decoded of decoder.push(event.text)) {
        if (decoded.type === "text") question.onText?.(decoded.delta);
        question.onDecoded?.(decoded);
      }
      return;
    case "thought":
      question.onDecoded?.({ type: "thought", delta: event.text });
      return;
  }
}

/** A call that could not be read is no call, but it is told. */
function hearCall(call: HeardCall, heard: Heard, { onDecoded }: Question): void {
  const index = heard.calls.push(call) - 1;
  const { name, input } = call;
  if (input === null) return onDecoded?.({ type: "unreadable", name, raw: call.raw });
  const action: DecodedAction = Object.keys(input).length === 0 ? { name } : { name, parameters: input };
  onDecoded?.({ type: "action", index, action });
}

/** A stream that ended without saying so. */
function brokenOff({ model }: Question): Finish {
  return { type: "finish", reason: "error", usage: nothingUsed, model: model.id };
}

function toNativeCall(
  { name, input, raw }: Extract<ModelEvent, { type: "tool-call" }>,
  { tools }: Question,
): HeardCall {
  return { name: tools?.names.toAction(name) ?? name, input, raw };
}

function isBrokenStream(thrown: unknown): thrown is ModelError {
  return thrown instanceof ModelError && (thrown.code === "unavailable" || thrown.code === "timeout");
}

/** Writes down what the model answered and what it cost. */
export function recordAnswer(
  run: Run,
  question: Question,
  said: Said,
  { isUsable, isCut = false }: { readonly isUsable: boolean; readonly isCut?: boolean },
): void {
  const { recorder, parts } = run;
  const { finish } = said;
  const body: EntryBody = {
    type: "model_answer",
    step: question.step,
    purpose: question.purpose,
    part: recorder.part(said.raw),
    finishReason: finish.reason,
    isUsable,
    ...(isCut && { isCut }),
    model: finish.model,
    usage: finish.usage,
    ...(finish.costMicrousd !== undefined && { costMicrousd: finish.costMicrousd }),
    ...(finish.notes && { notes: finish.notes }),
    ...(said.decoded.providers && { providers: said.decoded.providers }),
  };
  recorder.add(body);
  if (said.error !== undefined)
    recorder.add({ type: "error", where: "model", code: "unavailable", message: said.error });
  parts.events.emit({
    type: "MODEL_USED",
    runId: recorder.runId,
    roomId: run.room.room.id,
    model: finish.model,
    usage: finish.usage,
    ...(finish.costMicrousd !== undefined && { costMicrousd: finish.costMicrousd }),
  });
}
