import type { EmbeddingModel } from "./embedding-model.ts";
import type { ImageDescriptionModel, ImageModel, SpeechModel, TranscriptionModel } from "./media-models.ts";
import type { LanguageModel } from "./model.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** What answers for each type of model. */
export interface ModelsByType {
  /** Short work: decisions, extraction, summaries. */
  readonly TEXT_SMALL: LanguageModel;
  /** Replies. */
  readonly TEXT_LARGE: LanguageModel;
  /** Thinks before it speaks. */
  readonly REASONING_SMALL: LanguageModel;
  readonly REASONING_LARGE: LanguageModel;
  /** Answers with JSON by a schema. */
  readonly OBJECT_SMALL: LanguageModel;
  readonly OBJECT_LARGE: LanguageModel;
  /** Whether to speak, where no rule decides. */
  readonly SHOULD_RESPOND: LanguageModel;
  readonly TEXT_EMBEDDING: EmbeddingModel;
  readonly IMAGE_DESCRIPTION: ImageDescriptionModel;
  readonly TRANSCRIPTION: TranscriptionModel;
  readonly TEXT_TO_SPEECH: SpeechModel;
  readonly IMAGE: ImageModel;
  readonly TEXT_TOKENIZER: Tokenizer;
}

/** Which kind of model a caller needs; a character or the environment says which model that is. */
export type ModelType = keyof ModelsByType;

/** The types that a language model answers for. */
export type LanguageModelType = {
  [Type in ModelType]: ModelsByType[Type] extends LanguageModel ? Type : never;
}[ModelType];

type Required = "TEXT_SMALL" | "TEXT_LARGE";

/**
 * The models of one agent by type. A type of language model without an own one is answered by a text model
 * (`languageModelOf`); any other type that is absent is not there, and nothing stands in for it.
 */
export type Models = Pick<ModelsByType, Required> & Partial<Omit<ModelsByType, Required>>;

/** Who answers for a language type that has no model of its own. */
const standIns: Readonly<Record<LanguageModelType, Required>> = {
  TEXT_SMALL: "TEXT_SMALL",
  TEXT_LARGE: "TEXT_LARGE",
  REASONING_SMALL: "TEXT_SMALL",
  REASONING_LARGE: "TEXT_LARGE",
  OBJECT_SMALL: "TEXT_SMALL",
  OBJECT_LARGE: "TEXT_LARGE",
  SHOULD_RESPOND: "TEXT_SMALL",
};

/** The model that answers for a language type: its own, else the text model of its size. */
export function languageModelOf(models: Models, type: LanguageModelType): LanguageModel {
  return models[type] ?? models[standIns[type]];
}

/** Whether a language model answers for this type. */
export function isLanguageModelType(type: ModelType): type is LanguageModelType {
  return Object.hasOwn(standIns, type);
}
