import { ModelError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Log, silentLog } from "../log.ts";
import type { LanguageModel, ModelEvent, ModelRequest } from "./model.ts";
import type { ModelsByType, ModelType } from "./models.ts";
import type { ModelCost } from "./usage.ts";

/** Models of one type, the first choice first. */
export type ModelChain<Type extends ModelType> = readonly [ModelsByType[Type], ...ModelsByType[Type][]];

/**
 * Several models as one: the next is asked when one fails before it said anything. Not when the call was called off, and not
 * when the request itself was refused (`invalid`), for which no other model is the remedy. Who answered stands in `model`,
 * why in `notes`. When all fail, the error names them all. Vectors and tokens of different models do not mix: of those types
 * the first model alone answers.
 */
export function createFallback<Type extends ModelType>(
  type: Type,
  models: ModelChain<Type>,
  log: Log = silentLog,
): ModelsByType[Type] {
  return models.length === 1 ? models[0] : joiners[type](models, log);
}

type Join<Type extends ModelType> = (models: ModelChain<Type>, log: Log) => ModelsByType[Type];

const joinLanguage = (models: readonly [LanguageModel, ...LanguageModel[]], log: Log): LanguageModel => ({
  id: models[0].id,
  stream: (request) => streamFirst(models, request, log),
});

const joiners: { readonly [Type in ModelType]: Join<Type> } = {
  TEXT_SMALL: joinLanguage,
  TEXT_LARGE: joinLanguage,
  REASONING_SMALL: joinLanguage,
  REASONING_LARGE: joinLanguage,
  OBJECT_SMALL: joinLanguage,
  OBJECT_LARGE: joinLanguage,
  SHOULD_RESPOND: joinLanguage,
  TEXT_EMBEDDING: ([first]) => first,
  TEXT_TOKENIZER: ([first]) => first,
  IMAGE_DESCRIPTION: (models, log) => ({
    id: models[0].id,
    describe: (request) => answerFirst(models, (model) => model.describe(request), log),
  }),
  TRANSCRIPTION: (models, log) => ({
    id: models[0].id,
    transcribe: (request) => answerFirst(models, (model) => model.transcribe(request), log),
  }),
  TEXT_TO_SPEECH: (models, log) => ({
    id: models[0].id,
    speak: (request) => answerFirst(models, (model) => model.speak(request), log),
  }),
  IMAGE: (models, log) => ({
    id: models[0].id,
    draw: (request) => answerFirst(models, (model) => model.draw(request), log),
  }),
};

async function* streamFirst(
  models: readonly LanguageModel[],
  request: ModelRequest,
  log: Log,
): AsyncGenerator<ModelEvent> {
  const failures = createFailures(models, log);
  for (const [index, model] of models.entries()) {
    let hasSpoken = false;
    try {
      for await (const event of model.stream(request)) {
        hasSpoken = true;
        yield event.type === "finish" ? failures.noted(event) : event;
      }
      return;
    } catch (error) {
      if (hasSpoken) throw error;
      failures.add(error, index);
    }
  }
}

async function answerFirst<Model extends { readonly id: string }, Answer extends ModelCost>(
  models: readonly Model[],
  ask: (model: Model) => Promise<Answer>,
  log: Log,
): Promise<Answer> {
  const failures = createFailures(models, log);
  for (const [index, model] of models.entries()) {
    try {
      return failures.noted(await ask(model));
    } catch (error) {
      failures.add(error, index);
    }
  }
  throw new ModelError("internal", "No model was asked");
}

/** What went wrong before somebody answered. */
type Failures = {
  /** Notes that the model at `index` failed and the next is asked. @throws when no other model is the remedy. */
  add(error: unknown, index: number): void;
  /** The answer with the failures before it in its notes. */
  noted<Answer extends { readonly notes?: readonly JsonValue[] }>(answer: Answer): Answer;
};

function createFailures(models: readonly { readonly id: string }[], log: Log): Failures {
  const notes: JsonObject[] = [];
  const failures: ModelError[] = [];
  return {
    add(error, index) {
      if (!(error instanceof ModelError)) throw error;
      failures.push(error);
      if (error.code === "aborted" || error.code === "invalid") throw error;
      const { code, message } = error;
      const from = models[index]?.id ?? "";
      const to = models[index + 1]?.id;
      if (to === undefined) throw joinFailures(failures);
      notes.push({ type: "fallback", from, to, code, message });
      log.warn({ model: from, fallback: to, code }, message);
    },
    noted: (answer) => (notes.length === 0 ? answer : { ...answer, notes: [...notes, ...(answer.notes ?? [])] }),
  };
}

function joinFailures(failures: readonly ModelError[]): ModelError {
  const last = failures.at(-1);
  if (last === undefined || failures.length === 1) return last ?? new ModelError("internal", "No model was asked");
  // The soonest hope of any of them is the hope of all.
  const waits = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  const hope = failures.find(({ code }) => code === "unavailable" || code === "timeout") ?? last;
  const message = `No model could answer. ${failures.map((failure) => failure.message).join(" | ")}`;
  return new ModelError(hope.code, message, waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) });
}
