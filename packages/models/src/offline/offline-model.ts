import type { LanguageModel, ModelEvent, ModelRequest, Usage } from "@troupe/core";
import { ModelError } from "@troupe/core/errors";
import type { PreparedCharacter } from "./prepare-character.ts";

/** How the offline model behaves. `chunkCharacters`: code points of one streamed piece, 1 or more. */
export type OfflineModelOptions = { readonly chunkCharacters?: number };

const modelId = "offline:conversation";
const charactersPerToken = 4;

/**
 * A rule-based conversation partner in the tradition of the 1966 ELIZA: answers in the character's voice from the prompt
 * alone, with neither network nor clock nor chance, so that the same prompt always gives the same answer. It costs nothing.
 * Its stream throws a ModelError only when it is called off (`aborted`).
 * @see https://doi.org/10.1145/365153.365168 (Weizenbaum 1966)
 */
export function createOfflineModel(options: OfflineModelOptions = {}): LanguageModel {
  const chunkCharacters = Math.max(1, Math.floor(options.chunkCharacters ?? 12));
  const prepared = new Map<string, PreparedCharacter>();
  return { id: modelId, stream: (request) => streamAnswer(request, chunkCharacters, prepared) };
}

async function* streamAnswer(
  request: ModelRequest,
  chunkCharacters: number,
  prepared: Map<string, PreparedCharacter>,
): AsyncGenerator<ModelEvent> {
  throwIfAborted(request.signal);
  // Its scripts are many and large: whoever never asks it does not load them.
  const { answerPrompt } = await import("./answer-prompt.ts");
  throwIfAborted(request.signal);
  const whole = answerPrompt(request, prepared);
  const { text, isCut } = withinLimits(whole.text, request);
  // An answer that ends early does nothing more.
  const calls = text === whole.text ? whole.calls : [];
  for (const chunk of chunksOf(text, chunkCharacters)) {
    throwIfAborted(request.signal);
    yield { type: "text", text: chunk };
  }
  let written = text;
  for (const [index, { name, parameters = {} }] of calls.entries()) {
    throwIfAborted(request.signal);
    const raw = JSON.stringify(parameters);
    written += name + raw;
    yield { type: "tool-call", id: `call_${index + 1}`, name, input: parameters, raw };
  }
  throwIfAborted(request.signal);
  const usage = estimateUsage(request, written);
  const reason = isCut ? "length" : calls.length > 0 ? "tool-calls" : "stop";
  yield { type: "finish", reason, usage, model: modelId, costMicrousd: 0 };
}

function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ModelError("aborted", "The offline model stopped answering because its run was called off.", {
    cause: signal.reason,
  });
}

/** The answer up to the first stop text and the token limit. */
function withinLimits(whole: string, request: ModelRequest): { readonly text: string; readonly isCut: boolean } {
  let end = whole.length;
  for (const stop of request.stop ?? []) {
    const place = stop === "" ? -1 : whole.indexOf(stop);
    if (place >= 0) end = Math.min(end, place);
  }
  const limit = Math.max(1, request.maxTokens ?? Number.POSITIVE_INFINITY) * charactersPerToken;
  const isCut = limit < end;
  return { text: whole.slice(0, Math.min(end, limit)).toWellFormed(), isCut };
}

function* chunksOf(text: string, chunkCharacters: number): Generator<string> {
  let chunk = "";
  let characters = 0;
  for (const character of text) {
    chunk += character;
    characters += 1;
    if (characters < chunkCharacters) continue;
    yield chunk;
    chunk = "";
    characters = 0;
  }
  if (chunk !== "") yield chunk;
}

function estimateUsage(request: ModelRequest, answer: string): Usage {
  const characters = request.messages.reduce((sum, message) => sum + message.content.length, 0);
  return {
    inputTokens: Math.ceil(characters / charactersPerToken),
    cachedInputTokens: 0,
    outputTokens: Math.ceil(answer.length / charactersPerToken),
  };
}
