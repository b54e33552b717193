import { ModelError, ValidationError } from "../errors.ts";
import type { LanguageModel, ModelEvent, ModelRequest } from "../model/model.ts";
import type { LanguageModelType, Models } from "../model/models.ts";
import type { Usage } from "../model/usage.ts";
import { currentWork } from "./current-work.ts";
import type { ModelOverrides } from "./registry.ts";
import type { ModelQuestion } from "./runtime.ts";

/** What a plugin's question to a model cost, and for which run, where it was asked in one. */
export type ModelUse = {
  readonly model: string;
  readonly usage: Usage;
  readonly costMicrousd?: number;
  readonly runId?: string;
  readonly roomId?: string;
  readonly callId?: string;
  /** The plugin that asked; absent: the program itself. */
  readonly plugin?: string;
};

/** What questions are put with. */
export type AskParts = {
  readonly agentId: string;
  readonly models: Models;
  readonly overrides: () => ModelOverrides;
  readonly onModelUsed: (use: ModelUse) => void;
  readonly plugin?: string;
};

/**
 * Puts a question and gathers the whole answer. It ends with the piece of work it was asked in.
 * @throws ModelError, ValidationError when there is no such kind of model or no prompt.
 */
export async function askModel(parts: AskParts, type: LanguageModelType, question: ModelQuestion): Promise<string> {
  const model = findModel(parts, type);
  const work = currentWork(parts.agentId);
  const request = toRequest(question, work?.signal);
  let text = "";
  let finish: Extract<ModelEvent, { type: "finish" }> | null = null;
  for await (const event of model.stream(request)) {
    if (event.type === "text") text += event.text;
    if (event.type === "finish") finish = event;
  }
  if (!finish) throw new ModelError("unavailable", `${model.id} broke off without an end; try again`);
  const { usage, costMicrousd } = finish;
  parts.onModelUsed({
    model: finish.model,
    usage,
    ...(costMicrousd !== undefined && { costMicrousd }),
    ...(work?.runId !== undefined && { runId: work.runId }),
    ...(work?.roomId !== undefined && { roomId: work.roomId }),
    ...(work?.call && { callId: work.call.callId }),
    ...(parts.plugin !== undefined && { plugin: parts.plugin }),
  });
  return text;
}

function findModel({ models, overrides }: AskParts, type: LanguageModelType): LanguageModel {
  const own = overrides();
  const model = Object.hasOwn(own, type) ? own[type] : undefined;
  const found = model ?? (Object.hasOwn(models, type) ? models[type] : undefined);
  if (found) return found;
  const known = [...new Set([...Object.keys(models), ...Object.keys(own)])].join(", ");
  throw new ValidationError(`there is no model for ${String(type)}; ask for one of ${known}`);
}

function toRequest(question: ModelQuestion, workSignal: AbortSignal | undefined): ModelRequest {
  const { prompt, system, temperature, maxTokens } = question;
  if (typeof prompt !== "string" || prompt.trim() === "") {
    throw new ValidationError("a model was asked nothing; give useModel a prompt");
  }
  const signals = [question.signal, workSignal].filter((signal) => signal !== undefined);
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: prompt },
    ],
    signal: AbortSignal.any(signals),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}
