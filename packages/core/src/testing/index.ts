export { type Crashable, type CrashPoint, crashAt, crashPoints } from "./crash-points.ts";
export { createDelivery } from "./create-delivery.ts";
export { createInbound, type HeardMessage, type Hearer } from "./create-inbound.ts";
export {
  createFileClient,
  type FileClient,
  type FileClientOptions,
  type FileClientView,
  readFileClient,
} from "./file-client.ts";
export { createMemoryStore } from "./memory-store.ts";
export { onMessages } from "./on-messages.ts";
export {
  createScriptedClient,
  type ScriptedClient,
  type ScriptedClientOptions,
  type ScriptedFailure,
  type ScriptedMessage,
} from "./scripted-client.ts";
export {
  createScriptedEmbeddingModel,
  type EmbeddingScript,
  type ScriptedEmbeddingModel,
  type ScriptedEmbeddingOptions,
} from "./scripted-embedding-model.ts";
export {
  createScriptedImage,
  createScriptedImageDescription,
  createScriptedSpeech,
  createScriptedTranscription,
  type MediaScript,
} from "./scripted-media-models.ts";
export {
  createScriptedModel,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPiece,
} from "./scripted-model.ts";
export { createSetClock, type SetClock } from "./set-clock.ts";
export type { Shown, ShownRecord } from "./shown-record.ts";
export { createStages, type Setting, type Stage, type Stages, stageCharacter } from "./stage.ts";
export {
  createTestRuntime,
  type TestCall,
  type TestMessage,
  type TestOccasion,
  type TestResult,
  type TestRuntime,
  type TestRuntimeOptions,
} from "./test-runtime.ts";
