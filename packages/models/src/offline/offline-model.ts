import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest, type Usage } from "@troupe/core";
import { composeReply } from "./answer.ts";
import { decideScene } from "./decide.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { type PreparedCharacter, prepareCharacter } from "./prepare-character.ts";
import { readCharacter } from "./read-character.ts";
import { readPrompt } from "./read-prompt.ts";
import { setScene } from "./scene.ts";

/** How the offline model behaves. `chunkCharacters`: code points of one streamed piece, 1 or more. */
export type OfflineModelOptions = { readonly chunkCharacters?: number };

const modelId = "offline:conversation";
const sheetsKept = 16;
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
  const whole = answerPrompt(request, prepared);
  const { text, isCut } = withinLimits(whole, request);
  for (const chunk of chunksOf(text, chunkCharacters)) {
    throwIfAborted(request.signal);
    yield { type: "text", text: chunk };
  }
  throwIfAborted(request.signal);
  const usage = estimateUsage(request, text);
  yield { type: "finish", reason: isCut ? "length" : "stop", usage, model: modelId, costMicrousd: 0 };
}

function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ModelError("aborted", "The offline model stopped answering because its run was called off.", {
    cause: signal.reason,
  });
}

function answerPrompt(request: ModelRequest, prepared: Map<string, PreparedCharacter>): string {
  const system = request.messages.find((message) => message.role === "system")?.content;
  const self = preparedFor(system, prepared);
  const prompt = readPrompt(request.messages, () => self.sheet);
  const scene = setScene(prompt, self);
  switch (prompt.asked) {
    case "decision":
      return decideScene(scene);
    case "yes-no":
      return "[NO]";
    case "reply":
      return encodeAnswer(composeReply(scene), self.sheet.format);
  }
}

/** The stable part of a prompt is the same text in every call of an agent, so it is read once. */
function preparedFor(system: string | undefined, prepared: Map<string, PreparedCharacter>): PreparedCharacter {
  const key = system ?? "";
  const known = system === undefined ? undefined : prepared.get(key);
  if (known !== undefined) return known;
  const fresh = prepareCharacter(readCharacter(system));
  if (system === undefined || system.length > 200_000) return fresh;
  const oldest = prepared.keys().next().value;
  if (prepared.size >= sheetsKept && oldest !== undefined) prepared.delete(oldest);
  prepared.set(key, fresh);
  return fresh;
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
