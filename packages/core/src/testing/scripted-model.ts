import { ModelError } from "../errors.ts";
import { readToolInput } from "../format/tool-input.ts";
import type { JsonObject } from "../json.ts";
import type { FinishReason, LanguageModel, ModelEvent, ModelRequest } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { unlessCalledOff } from "./unless-called-off.ts";

/** A native call of a scripted answer: with readable arguments, or with arguments as a model might garble them. */
export type ScriptedCall = {
  readonly name: string;
  /** `call_1`, `call_2`, … unless it is said. */
  readonly id?: string;
} & ({ readonly input?: JsonObject } | { readonly raw: string });

/** A piece of a scripted answer: a string is said, a promise is waited for (the test resolves it when it likes), a call is made. */
export type ScriptedPiece = string | Promise<unknown> | ScriptedCall;

/** One answer of a scripted model. A plain string is `{ text }`. */
export type ScriptedAnswer =
  | string
  | {
      readonly thought?: string;
      /** Said in pieces of `chunkSize`. */
      readonly text?: string;
      /** Instead of `text`: said, waited for and called exactly so. */
      readonly pieces?: readonly ScriptedPiece[];
      /** Made after everything was said. */
      readonly calls?: readonly ScriptedCall[];
      /** Thrown after everything was said, instead of a finish. */
      readonly error?: ModelError;
      /** `tool-calls` after a call, else `stop`, unless it is said. */
      readonly reason?: FinishReason;
      readonly usage?: Usage;
      readonly costMicrousd?: number;
    };

/** Answers in order, or made from each request (`call` counts from 0). */
export type ModelScript =
  | readonly ScriptedAnswer[]
  | ((request: ModelRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** How a scripted model behaves. */
export type ScriptedModelOptions = {
  /** `scripted:model` unless it is said. */
  readonly id?: string;
  /** UTF-16 units of one text delta; the whole text at once unless it is said. */
  readonly chunkSize?: number;
};

/** A model that says what a test wrote and remembers what it was asked. */
export type ScriptedModel = LanguageModel & {
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
};

/**
 * A language model for tests. It obeys the same contract as a real one: events, one finish, prompt aborts. When a list of
 * answers is used up it throws an `internal` ModelError that says so.
 */
export function createScriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ScriptedModel {
  const id = options.id ?? "scripted:model";
  const requests: ModelRequest[] = [];
  const answerTo = async (request: ModelRequest, call: number): Promise<ScriptedAnswer> => {
    if (typeof script === "function") return script(request, call);
    const answer = script[call];
    if (answer !== undefined) return answer;
    throw new ModelError(
      "internal",
      `The script of ${id} has ${script.length} answers, but it was asked ${call + 1} times`,
    );
  };
  return {
    id,
    requests,
    async *stream(request) {
      throwIfCalledOff(request, id);
      const call = requests.push(request) - 1;
      const scripted = await unlessCalledOff(answerTo(request, call), request.signal, id);
      const answer = typeof scripted === "string" ? { text: scripted } : scripted;
      yield* tell(answer, request, { id, chunkSize: options.chunkSize });
    },
  };
}

type Telling = { readonly id: string; readonly chunkSize: number | undefined };

async function* tell(
  answer: Exclude<ScriptedAnswer, string>,
  request: ModelRequest,
  { id, chunkSize }: Telling,
): AsyncGenerator<ModelEvent> {
  if (answer.thought) {
    throwIfCalledOff(request, id);
    yield { type: "thought", text: answer.thought };
  }
  let said = "";
  let calls = 0;
  for (const piece of [...(answer.pieces ?? cut(answer.text ?? "", chunkSize)), ...(answer.calls ?? [])]) {
    throwIfCalledOff(request, id);
    if (piece instanceof Promise) await unlessCalledOff(piece, request.signal, id);
    else if (typeof piece !== "string") {
      const event = toToolCall(piece, ++calls);
      said += event.name + event.raw;
      yield event;
    } else if (piece !== "") {
      said += piece;
      yield { type: "text", text: piece };
    }
  }
  throwIfCalledOff(request, id);
  if (answer.error) throw answer.error;
  yield {
    type: "finish",
    reason: answer.reason ?? (calls > 0 ? "tool-calls" : "stop"),
    usage: answer.usage ?? estimateUsage(request, said),
    model: id,
    ...(answer.costMicrousd === undefined ? {} : { costMicrousd: answer.costMicrousd }),
  };
}

function toToolCall(call: ScriptedCall, count: number): Extract<ModelEvent, { type: "tool-call" }> {
  const raw = "raw" in call ? call.raw : JSON.stringify(call.input ?? {});
  return { type: "tool-call", id: call.id ?? `call_${count}`, name: call.name, input: readToolInput(raw), raw };
}

function cut(text: string, chunkSize = text.length): readonly string[] {
  const size = Math.max(1, chunkSize);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Four characters a token, as a rule of thumb. */
function estimateUsage(request: ModelRequest, said: string): Usage {
  const inputLength = request.messages.reduce((sum, { content }) => sum + content.length, 0);
  return { inputTokens: Math.ceil(inputLength / 4), cachedInputTokens: 0, outputTokens: Math.ceil(said.length / 4) };
}

function toAborted(id: string): ModelError {
  return new ModelError("aborted", `The call of ${id} was called off`);
}

function throwIfCalledOff(request: ModelRequest, id: string): void {
  if (request.signal.aborted) throw toAborted(id);
}
