import { ModelError } from "../errors.ts";
import type { DecodedResponse } from "../format/decoded-response.ts";
import { createDecoder } from "../format/decoder.ts";
import type { FinishReason, LanguageModel, ModelEvent, PromptMessage, Usage } from "../model/model.ts";
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
  /** Hears the visible text as it comes. */
  readonly onText?: (delta: string) => void;
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
  const { temperature, maxTokens } = run.parts.settings;
  const decoder = createDecoder({ agentName: run.parts.character.name });
  const pieces: string[] = [];
  let finish: Finish | null = null;
  let error: string | undefined;
  try {
    const stream = question.model.stream({
      messages: mergeRoles(question.prompt),
      signal: run.signal,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    });
    for await (const event of stream) {
      if (event.type === "finish") finish = event;
      if (event.type !== "text") continue;
      pieces.push(event.text);
      for (const decoded of decoder.push(event.text)) if (decoded.type === "text") question.onText?.(decoded.delta);
    }
  } catch (thrown) {
    run.signal.throwIfAborted();
    if (!isBrokenStream(thrown) || pieces.length === 0) throw thrown;
    error = thrown.message;
  }
  run.signal.throwIfAborted();
  const ended = finish ?? {
    type: "finish",
    reason: "error" as FinishReason,
    usage: nothingUsed,
    model: question.model.id,
  };
  return {
    raw: pieces.join(""),
    decoded: decoder.end({ finishReason: ended.reason }),
    finish: ended,
    ...(error !== undefined && { error }),
  };
}

function isBrokenStream(thrown: unknown): thrown is ModelError {
  return thrown instanceof ModelError && (thrown.code === "unavailable" || thrown.code === "timeout");
}

/** Writes down what the model answered and what it cost. */
export function recordAnswer(run: Run, question: Question, said: Said, isUsable: boolean): void {
  const { recorder, parts } = run;
  const { finish } = said;
  const body: EntryBody = {
    type: "model_answer",
    step: question.step,
    purpose: question.purpose,
    part: recorder.part(said.raw),
    finishReason: finish.reason,
    isUsable,
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
