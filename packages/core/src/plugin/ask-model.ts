import { ModelError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { type Log, silentLog } from "../log.ts";
import type { LanguageModel, ModelEvent, ModelRequest } from "../model/model.ts";
import {
  isLanguageModelType,
  type LanguageModelType,
  languageModelOf,
  type Models,
  type ModelsByType,
  type ModelType,
} from "../model/models.ts";
import type { ModelCost, Usage } from "../model/usage.ts";
import { type CurrentWork, currentWork } from "./current-work.ts";
import { combineModels, modelTypes, type OfferedModel } from "./offered-models.ts";
import type { DataQuestion, ModelExchanges, ModelQuestion } from "./use-model.ts";

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
  /** Those of the settings. */
  readonly models: Models;
  /** Those that plugins brought. */
  readonly overrides: () => readonly OfferedModel[];
  readonly onModelUsed: (use: ModelUse) => void;
  readonly plugin?: string;
  readonly log?: Log;
};

/**
 * Puts a question to a model and resolves with its whole answer. It ends with the piece of work it was asked in.
 * @throws ModelError, ValidationError when there is no such kind of model or something is missing in the question.
 */
export async function askModel<Type extends ModelType>(
  parts: AskParts,
  type: Type,
  question: ModelExchanges[Type]["question"],
): Promise<ModelExchanges[Type]["answer"]> {
  if (!modelTypes.includes(type)) {
    throw new ValidationError(`there is no model for ${String(type)}; ask for one of ${modelTypes.join(", ")}`);
  }
  const models = combineModels(parts.models, parts.overrides(), parts.log ?? silentLog);
  const asking: Asking = { parts, models, work: currentWork(parts.agentId) };
  // What a type is asked with and what it answers stands in ModelExchanges, once; the table below keeps to it.
  const ask = askers[type] as unknown as Asker<Type>;
  return ask(asking, question, type);
}

type Asking = { readonly parts: AskParts; readonly models: Models; readonly work: CurrentWork | undefined };

type Asker<Type extends ModelType> = (
  asking: Asking,
  question: ModelExchanges[Type]["question"],
  type: Type,
) => Promise<ModelExchanges[Type]["answer"]>;

const askers: { readonly [Type in ModelType]: Asker<Type> } = {
  TEXT_SMALL: askText,
  TEXT_LARGE: askText,
  REASONING_SMALL: askText,
  REASONING_LARGE: askText,
  SHOULD_RESPOND: askText,
  OBJECT_SMALL: askData,
  OBJECT_LARGE: askData,
  async TEXT_EMBEDDING(asking, { text, signal }, type) {
    const { vectors, ...cost } = await find(asking, type).embed([requireText(text, "text")], signalOf(asking, signal));
    count(asking, cost);
    const [vector] = vectors;
    if (vector === undefined) throw new ModelError("unavailable", `${cost.model} sent no vector; try again`);
    return vector;
  },
  async IMAGE_DESCRIPTION(asking, request, type) {
    const answer = await find(asking, type).describe({ ...request, signal: signalOf(asking, request.signal) });
    count(asking, answer);
    return answer.text;
  },
  async TRANSCRIPTION(asking, request, type) {
    const answer = await find(asking, type).transcribe({ ...request, signal: signalOf(asking, request.signal) });
    count(asking, answer);
    return answer.text;
  },
  async TEXT_TO_SPEECH(asking, request, type) {
    requireText(request.text, "text");
    const answer = await find(asking, type).speak({ ...request, signal: signalOf(asking, request.signal) });
    count(asking, answer);
    return { bytes: answer.bytes, mediaType: answer.mediaType };
  },
  async IMAGE(asking, request, type) {
    requireText(request.prompt, "prompt");
    const answer = await find(asking, type).draw({ ...request, signal: signalOf(asking, request.signal) });
    count(asking, answer);
    return { bytes: answer.bytes, mediaType: answer.mediaType };
  },
  TEXT_TOKENIZER: async (asking, { text }, type) => find(asking, type).encode(text),
};

async function askText(asking: Asking, question: ModelQuestion, type: LanguageModelType): Promise<string> {
  const model = languageModelOf(asking.models, type);
  const call = asking.work?.call;
  if (question.stream && !call) {
    throw new ValidationError("a model's words can be streamed inside an action's handler only; ask without stream");
  }
  const say = question.stream ? (words: string): void => call?.stream(words) : undefined;
  return gather(asking, model, toRequest(asking, question), say);
}

async function gather(
  asking: Asking,
  model: LanguageModel,
  request: ModelRequest,
  say: ((words: string) => void) | undefined,
): Promise<string> {
  let text = "";
  let finish: Extract<ModelEvent, { type: "finish" }> | null = null;
  for await (const event of model.stream(request)) {
    if (event.type === "text") {
      text += event.text;
      say?.(event.text);
    }
    if (event.type === "finish") finish = event;
  }
  if (!finish) throw new ModelError("unavailable", `${model.id} broke off without an end; try again`);
  count(asking, finish);
  return text;
}

async function askData(asking: Asking, question: DataQuestion, type: LanguageModelType): Promise<JsonValue> {
  const { schema } = question;
  if (typeof schema !== "object" || schema === null) {
    throw new ValidationError(`${type} was asked without a schema; give useModel a JSON Schema`);
  }
  // It checks with a library that few agents need.
  const { askForObject } = await import("./ask-for-object.ts");
  const request = { ...toRequest(asking, question), schema };
  return askForObject(languageModelOf(asking.models, type), request, (cost) => count(asking, cost));
}

function find<Type extends ModelType>({ models }: Asking, type: Type): NonNullable<Models[Type]> & ModelsByType[Type] {
  const model = models[type];
  // Types that are absent are told apart from those that are there; the rest is the type's own.
  if (model) return model as NonNullable<Models[Type]> & ModelsByType[Type];
  const there = modelTypes.filter((one) => isThere(models, one)).join(", ");
  throw new ValidationError(
    `there is no model for ${type}; set one in settings.models of the character or load a plugin that brings it. There are ${there}`,
  );
}

function isThere(models: Models, type: string): boolean {
  return Object.hasOwn(models, type) || isLanguageModelType(type as ModelType);
}

function count({ parts, work }: Asking, { model, usage, costMicrousd }: ModelCost): void {
  parts.onModelUsed({
    model,
    usage,
    ...(costMicrousd !== undefined && { costMicrousd }),
    ...(work?.runId !== undefined && { runId: work.runId }),
    ...(work?.roomId !== undefined && { roomId: work.roomId }),
    ...(work?.call && { callId: work.call.callId }),
    ...(parts.plugin !== undefined && { plugin: parts.plugin }),
  });
}

function requireText(text: unknown, name: string): string {
  if (typeof text === "string" && text.trim() !== "") return text;
  throw new ValidationError(`a model was asked nothing; give useModel a ${name}`);
}

function signalOf({ work }: Asking, own: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([own, work?.signal].filter((signal) => signal !== undefined));
}

function toRequest(asking: Asking, question: Omit<ModelQuestion, "stream">): ModelRequest {
  const { prompt, system, temperature, maxTokens, reasoning } = question;
  requireText(prompt, "prompt");
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: prompt },
    ],
    signal: signalOf(asking, question.signal),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
