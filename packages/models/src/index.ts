export {
  type ChosenModels,
  chooseModels,
  MODEL_VARIABLES,
  type ModelAccess,
  type ModelChoice,
  type ModelSettings,
  type Target,
} from "./choose.ts";
export { createFallbackModel, type FallbackOptions } from "./fallback-model.ts";
export { createLanguageModel, type LanguageModelOptions } from "./language-model.ts";
export { checkModel, listModels, type ModelCheck } from "./list-models.ts";
export { type CreatedModels, type CreateModelsOptions, createModels, type ModelsDescription } from "./models.ts";
export { createOfflineModel, type OfflineModelOptions } from "./offline/offline-model.ts";
export type { RetryPolicy } from "./retry.ts";
export type { ModelSpec, ProviderName } from "./spec.ts";
export type { Timeouts } from "./watchdog.ts";
