import { ModelError } from "../errors.ts";
import type {
  ImageDescriptionModel,
  ImageDescriptionRequest,
  ImageModel,
  ImageRequest,
  MadeFile,
  SpeechModel,
  SpeechRequest,
  Transcript,
  TranscriptionModel,
  TranscriptionRequest,
} from "../model/media-models.ts";
import type { ModelCost } from "../model/usage.ts";
import { unlessCalledOff } from "./unless-called-off.ts";

/** What a double answers: always this, or made from each request (`call` counts from 0); an error is thrown. */
export type MediaScript<Request, Answer> =
  | Answer
  | ModelError
  | ((request: Request, call: number) => Answer | ModelError | Promise<Answer | ModelError>);

/** Every request so far, in order. */
type Remembers<Request> = { readonly requests: readonly Request[] };

/** Describes every image with the words of the script. */
export function createScriptedImageDescription(
  script: MediaScript<ImageDescriptionRequest, string>,
  id = "scripted:image-description",
): ImageDescriptionModel & Remembers<ImageDescriptionRequest> {
  const { requests, ask } = asker(id, script);
  return { id, requests, describe: async (request) => ({ text: await ask(request), ...costOf(id) }) };
}

/** Hears in every recording what the script says. */
export function createScriptedTranscription(
  script: MediaScript<TranscriptionRequest, Transcript>,
  id = "scripted:transcription",
): TranscriptionModel & Remembers<TranscriptionRequest> {
  const { requests, ask } = asker(id, script);
  return { id, requests, transcribe: async (request) => ({ ...(await ask(request)), ...costOf(id) }) };
}

/** Reads every text aloud with the bytes of the script. */
export function createScriptedSpeech(
  script: MediaScript<SpeechRequest, MadeFile>,
  id = "scripted:speech",
): SpeechModel & Remembers<SpeechRequest> {
  const { requests, ask } = asker(id, script);
  return { id, requests, speak: async (request) => ({ ...(await ask(request)), ...costOf(id) }) };
}

/** Draws the script's picture for every prompt. */
export function createScriptedImage(
  script: MediaScript<ImageRequest, MadeFile>,
  id = "scripted:image",
): ImageModel & Remembers<ImageRequest> {
  const { requests, ask } = asker(id, script);
  return { id, requests, draw: async (request) => ({ ...(await ask(request)), ...costOf(id) }) };
}

function asker<Request extends { readonly signal: AbortSignal }, Answer>(
  id: string,
  script: MediaScript<Request, Answer>,
): { readonly requests: Request[]; readonly ask: (request: Request) => Promise<Answer> } {
  const requests: Request[] = [];
  // A script is a function or an answer, and no answer of these models is a function.
  const answerTo = async (request: Request, call: number): Promise<Answer | ModelError> =>
    typeof script === "function"
      ? (script as (request: Request, call: number) => Answer | ModelError | Promise<Answer | ModelError>)(
          request,
          call,
        )
      : script;
  return {
    requests,
    async ask(request) {
      if (request.signal.aborted) throw new ModelError("aborted", `The call of ${id} was called off`);
      const call = requests.push(request) - 1;
      const answer = await unlessCalledOff(answerTo(request, call), request.signal, id);
      if (answer instanceof ModelError) throw answer;
      return answer;
    },
  };
}

function costOf(model: string): ModelCost {
  return { model, usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }, costMicrousd: 0 };
}
