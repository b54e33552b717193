import type { JsonObject, JsonValue } from "../json.ts";
import type {
  ImageDescriptionRequest,
  ImageRequest,
  MadeFile,
  SpeechRequest,
  TranscriptionRequest,
} from "../model/media-models.ts";
import type { ReasoningEffort } from "../model/model.ts";
import type { LanguageModelType, ModelType } from "../model/models.ts";

/** What a plugin asks a language model. */
export type ModelQuestion = {
  readonly prompt: string;
  readonly system?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly reasoning?: ReasoningEffort;
  /** Inside an action's handler: its words are said to the room as they come, as by `onStreamChunk`. */
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
};

/** A question whose answer is data. */
export type DataQuestion = Omit<ModelQuestion, "stream"> & {
  /** A JSON Schema, by which the answer is checked. */
  readonly schema: JsonObject;
};

/** The signal may be left out: inside a run it is the run's. */
type WithoutSignal<Request> = Omit<Request, "signal"> & { readonly signal?: AbortSignal };

type Exchange<Question, Answer> = { readonly question: Question; readonly answer: Answer };

type OfObjects = "OBJECT_SMALL" | "OBJECT_LARGE";

/** What each type of model is asked with, and what it answers. */
export type ModelExchanges = {
  readonly [Type in Exclude<LanguageModelType, OfObjects>]: Exchange<ModelQuestion, string>;
} & {
  readonly [Type in OfObjects]: Exchange<DataQuestion, JsonValue>;
} & {
  readonly TEXT_EMBEDDING: Exchange<{ readonly text: string; readonly signal?: AbortSignal }, Float32Array>;
  readonly IMAGE_DESCRIPTION: Exchange<WithoutSignal<ImageDescriptionRequest>, string>;
  readonly TRANSCRIPTION: Exchange<WithoutSignal<TranscriptionRequest>, string>;
  readonly TEXT_TO_SPEECH: Exchange<WithoutSignal<SpeechRequest>, MadeFile>;
  readonly IMAGE: Exchange<WithoutSignal<ImageRequest>, MadeFile>;
  /** The tokens of a text, as numbers. */
  readonly TEXT_TOKENIZER: Exchange<{ readonly text: string }, readonly number[]>;
};

/**
 * Asks a model by its type. Inside a run it counts to the run and ends with it.
 * @throws ModelError; ValidationError when there is no model of this type, or the question lacks something.
 */
export type UseModel = <Type extends ModelType>(
  type: Type,
  question: ModelExchanges[Type]["question"],
) => Promise<ModelExchanges[Type]["answer"]>;
