import type { JsonObject, LanguageModel, Log, ModelEvent, ModelRequest } from "@troupe/core";
import { ModelError } from "@troupe/core/errors";
import { silentLog } from "@troupe/core/log";

/** What a fallback needs beside its models. */
export type FallbackOptions = { readonly log?: Log };

/**
 * Several models as one: the next is asked when one fails before it said anything. Not when the call was called off, and not
 * when the request itself was refused (`invalid`), for which no other model is the remedy. Who answered stands in
 * `finish.model`, why in `finish.notes`. When all fail, the last one's error is thrown and names the others.
 */
export function createFallbackModel(
  models: readonly [LanguageModel, ...LanguageModel[]],
  options: FallbackOptions = {},
): LanguageModel {
  const log = options.log ?? silentLog;
  return { id: models[0].id, stream: (request) => streamFirst(models, request, log) };
}

async function* streamFirst(
  models: readonly [LanguageModel, ...LanguageModel[]],
  request: ModelRequest,
  log: Log,
): AsyncGenerator<ModelEvent> {
  const notes: JsonObject[] = [];
  const failures: ModelError[] = [];
  for (const [index, model] of models.entries()) {
    let hasSpoken = false;
    try {
      for await (const event of model.stream(request)) {
        hasSpoken = true;
        yield event.type === "finish" && notes.length > 0
          ? { ...event, notes: [...notes, ...(event.notes ?? [])] }
          : event;
      }
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const next = models[index + 1];
      failures.push(error);
      if (hasSpoken || error.code === "aborted" || error.code === "invalid") throw error;
      if (next === undefined) throw joinFailures(failures);
      notes.push({ type: "fallback", from: model.id, to: next.id, code: error.code, message: error.message });
      log.warn({ model: model.id, fallback: next.id, code: error.code }, error.message);
    }
  }
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
