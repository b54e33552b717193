import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModel, ModelEvent, ModelRequest } from "@troupe/core";

/** A model that costs no time of its own, or a known amount of it. */
export type StubModel = LanguageModel & {
  /** When it was last asked, by `performance.now()`. */
  readonly askedAt: () => number;
  /** When it last said the first piece of the visible text. */
  readonly saidAt: () => number;
};

/** How a stub model speaks. Without `everyMs` the whole answer comes at once. */
export type StubModelOptions = {
  readonly everyMs?: number;
  readonly pieces?: number;
  /** Said at once instead of the usual answer. */
  readonly answer?: string;
  /** Said one after the other, at once, instead of the usual answer. */
  readonly cuts?: readonly string[];
};

/** What is said to a request; `asked` counts them from 1. */
export type Speaks = (asked: number, request: ModelRequest) => StubModelOptions;

const thought = "They want a plain answer.";

/** What the stub models answer: the visible text, about as long as a chat reply is. */
const stubText =
  "Forty-one metres, if the drawing is right, and it is usually right to the width of a pencil. Shall we check it together?";

/** A model whose answer is known in advance, whole or in pieces of four characters. */
export function createStubModel(options: Speaks = () => ({}), hears?: (request: ModelRequest) => void): StubModel {
  let askedAt = 0;
  let saidAt = 0;
  let asked = 0;
  return {
    id: "stub:model",
    askedAt: () => askedAt,
    saidAt: () => saidAt,
    async *stream(request): AsyncGenerator<ModelEvent> {
      hears?.(request);
      const { signal } = request;
      askedAt = performance.now();
      asked += 1;
      const { everyMs, pieces = 1, answer, cuts: given } = options(asked, request);
      const head = `{"thought": "${thought}", "actions": ["REPLY"], "text": "`;
      const whole = answer ?? `${head}${stubText}"}`;
      const cuts = given ?? (everyMs === undefined ? [whole] : [...cut(head), ...cut(longText(pieces)), '"}']);
      let position = 0;
      for (const text of cuts) {
        if (everyMs !== undefined) await sleep(everyMs, undefined, { signal });
        if (position <= head.length && position + text.length > head.length) saidAt = performance.now();
        position += text.length;
        yield { type: "text", text };
      }
      const usage = { inputTokens: 1_200, cachedInputTokens: 0, outputTokens: 40 };
      yield { type: "finish", reason: "stop", usage, model: "stub:model" };
    },
  };
}

function cut(text: string): readonly string[] {
  return text.match(/.{1,4}/gs) ?? [];
}

/** As many pieces of four characters as are asked for. */
function longText(pieces: number): string {
  return stubText.repeat(Math.ceil((pieces * 4) / stubText.length)).slice(0, pieces * 4);
}
