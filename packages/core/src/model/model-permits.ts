import { noLongerNeeded } from "../clock.ts";
import type { LanguageModel, ModelRequest } from "./model.ts";
import { isLanguageModelType, type Models, type ModelType } from "./models.ts";

/** Lets so many calls of one model be under way at once; the others wait, first come first served. */
export type ModelPermits = {
  /** The same models, whose calls wait for a permit and hold it until their stream ends, however it ends. */
  limit(models: Models): Models;
};

/** Makes permits, `places` for each model id. Models of other kinds than language are handed on as they are. */
export function createModelPermits(places: number): ModelPermits {
  const lines = new Map<string, Line>();
  const limited = new WeakMap<LanguageModel, LanguageModel>();
  const known = new WeakMap<Models, Models>();
  const limitOne = (model: LanguageModel): LanguageModel => {
    const made = limited.get(model);
    if (made) return made;
    const line = lines.get(model.id) ?? createLine(places);
    lines.set(model.id, line);
    const own: LanguageModel = { id: model.id, stream: (request) => streamWithPermit(model, request, line) };
    limited.set(model, own);
    return own;
  };
  return {
    limit(models) {
      const before = known.get(models);
      if (before) return before;
      const entries = Object.entries(models).map(([type, model]) =>
        // The keys of models are model types, and under a language type stands a language model.
        isLanguageModelType(type as ModelType) ? [type, limitOne(model as LanguageModel)] : [type, model],
      );
      const all = Object.fromEntries(entries) as Models;
      known.set(models, all);
      return all;
    },
  };
}

async function* streamWithPermit(model: LanguageModel, request: ModelRequest, line: Line) {
  await line.enter(request.signal);
  try {
    yield* model.stream(request);
  } finally {
    line.leave();
  }
}

type Line = {
  /** Resolves when it is one's turn. @throws the signal's reason while waiting; then no place is taken. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
};

function createLine(places: number): Line {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return;
      }
      const done = new AbortController();
      await new Promise<void>((resolve, reject) => {
        const turn = (): void => {
          done.abort(noLongerNeeded);
          resolve();
        };
        waiting.push(turn);
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(turn), 1);
          reject(signal.reason);
        };
        signal.addEventListener("abort", giveUp, { once: true, signal: done.signal });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
