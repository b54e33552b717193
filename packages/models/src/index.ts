export {
  type ChosenModels,
  chooseModels,
  MODEL_VARIABLES,
  type ModelChoice,
  type ModelKind,
  type ModelParameters,
  type ModelSettings,
} from "./choose.ts";
export { createEmbeddingModel, type EmbeddingModelOptions } from "./embedding-model.ts";
export { createImageDescriptionModel } from "./image-description.ts";
export { createLanguageModel, type LanguageModelOptions } from "./language-model.ts";
export { checkModel, listModels, type ModelCheck } from "./list-models.ts";
export {
  createImageModel,
  createSpeechModel,
  createTranscriptionModel,
  type MediaModelOptions,
} from "./media-models.ts";
export type { ModelAccess, Target } from "./model-name.ts";
export { type CreatedModels, type CreateModelsOptions, createModels, type ModelsDescription } from "./models.ts";
export { createOfflineModel, type OfflineModelOptions } from "./offline/offline-model.ts";
export type { RetryPolicy } from "./retry.ts";
export type { ModelSpec, ProviderName } from "./spec.ts";
export { createTokenizer } from "./tokenizer.ts";
export type { Timeouts } from "./watchdog.ts";
