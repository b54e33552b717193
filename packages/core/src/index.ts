export { type Clock, systemClock } from "./clock.ts";
export {
  ActionError,
  ClientError,
  ConfigError,
  type ErrorCode,
  type ErrorDetails,
  errorMessage,
  isAbort,
  ModelError,
  StoreError,
  TroupeError,
  ValidationError,
} from "./errors.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { type Log, type LogLine, silentLog } from "./log.ts";
export type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  Models,
  ModelType,
  PromptMessage,
  Usage,
} from "./model/model.ts";
