export type { ActionCall, ActionControl, ActionResult, RegisteredAction } from "./action/action.ts";
export type { HandedMessage, HandledMessage } from "./action/handed-message.ts";
export type { ActionParameter, ParameterSchema } from "./action/parameter.ts";
export { resolveAction } from "./action/resolve-action.ts";
export { type Approvals, createApprovals } from "./approval/approvals.ts";
export type { Capability, CapabilityParts, CreateCapability } from "./capability/capability.ts";
export {
  type Character,
  type CharacterSettings,
  type KnowledgeSource,
  type PlatformSettings,
  platformSettings,
} from "./character/character.ts";
export type { Notice, Problem } from "./character/findings.ts";
export { parseCharacter } from "./character/parse-character.ts";
export { type CharacterReading, readCharacter } from "./character/read-character.ts";
export { characterJsonSchema } from "./character/schema.ts";
export type { ChoiceAnswer, Offer, OfferedChoice } from "./choice/choice.ts";
export type {
  AttachmentSource,
  Client,
  Edits,
  Guarantee,
  Receive,
  SendResult,
  TextLimits,
  Typing,
} from "./client/client.ts";
export type { ClientParts, ClientState, Command } from "./client/client-parts.ts";
export { type Clock, systemClock } from "./clock.ts";
export { answerFromText, decideFromText } from "./decide/decide-from-text.ts";
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
export type { AgentEvent, Listener } from "./event/event.ts";
export type { DecodedAction, DecodedResponse, DecoderEvent } from "./format/decoded-response.ts";
export { createDecoder, type Decoder, decodeResponse } from "./format/decoder.ts";
export type { PlatformChange } from "./inbox/change.ts";
export type { Inbound } from "./inbox/inbound.ts";
export type { Backoff, JobHandler } from "./job/job-handler.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { type Log, type LogLine, silentLog } from "./log.ts";
export { deriveAgentId, deriveId, type IdKind } from "./memory/derive-id.ts";
export type {
  Attachment,
  ChannelType,
  Choice,
  CommandCall,
  Content,
  Memory,
  MemoryType,
  MentionContext,
} from "./memory/memory.ts";
export { entityIdOf, type MessagePlace, messageMemoryId, roomIdOf, worldIdOf } from "./memory/message-id.ts";
export type { EmbeddingModel, Embeddings } from "./model/embedding-model.ts";
export type {
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
} from "./model/media-models.ts";
export type {
  FinishReason,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  ModelTool,
  PromptMessage,
  ReasoningEffort,
} from "./model/model.ts";
export {
  isLanguageModelType,
  type LanguageModelType,
  languageModelOf,
  type Models,
  type ModelsByType,
  type ModelType,
} from "./model/models.ts";
export type { Tokenizer } from "./model/tokenizer.ts";
export type { ModelCost, Usage } from "./model/usage.ts";
export type { Receipt } from "./outbox/deliver.ts";
export type { Delivery, DeliveryKind, DeliveryRow, DeliveryState } from "./outbox/delivery.ts";
export type { DeliveryVerdict, ResendParts, SettleStore } from "./outbox/resend.ts";
export { splitText } from "./outbox/split-text.ts";
export type {
  Action,
  ExampleLine,
  Handler,
  HandlerCallback,
  HandlerOptions,
  HandlerResult,
  Validate,
} from "./plugin/action-shape.ts";
export type { ModelUse } from "./plugin/ask-model.ts";
export type { RegisteredEvaluator } from "./plugin/bind-evaluator.ts";
export type { PluginMigration } from "./plugin/check-migrations.ts";
export type { ModelOffer, ModelOffers } from "./plugin/offered-models.ts";
export type { PluginFailure } from "./plugin/order-plugins.ts";
export type {
  Evaluator,
  Exchange,
  Plugin,
  PluginChoiceWorker,
  PluginListeners,
  PluginTaskWorker,
  Provider,
  Review,
  Service,
  ServiceClass,
} from "./plugin/plugin.ts";
export type { Route, RouteMethod, RouteRequest } from "./plugin/route.ts";
export type {
  Cache,
  MessageService,
  PluginChoices,
  PluginLogger,
  PluginLogLevel,
  PluginMemories,
  PluginTasks,
  PluginWrite,
  Runtime,
  Tables,
} from "./plugin/runtime.ts";
export type { DataQuestion, ModelExchanges, ModelQuestion, UseModel } from "./plugin/use-model.ts";
export type { Entity, Room, RoomStance, World } from "./room/room.ts";
export { type Agent, createAgent } from "./run/agent.ts";
export type { AgentParts } from "./run/agent-parts.ts";
export type { DecisionKind, Entry, EntryBody, Part, PartHash, RunOutcome } from "./run/entry.ts";
export type { RunDefaults } from "./run/run-settings.ts";
export type { RunOptions, RunResult, SentOutcome } from "./run/steps/agent-contexts.ts";
export type { ContextListener, PartialEntry } from "./run/steps/context-feed.ts";
export type { Provided, RegisteredProvider, StateRequest } from "./state/provider.ts";
export {
  doneJobsKeptMs,
  type JobFence,
  type JobLease,
  type JobOutcome,
  type JobRow,
  type JobState,
  type Jobs,
  type JobToDo,
} from "./store/jobs.ts";
export type { PluginTables, SqlRow, SqlStatement, SqlValue, TableOwner, TableStep } from "./store/plugin-tables.ts";
export type {
  Accepted,
  Append,
  Fence,
  Inbox,
  InboxRow,
  Journal,
  KeyValues,
  Lease,
  Memories,
  Outbox,
  RecentQuery,
  RoomRow,
  Rooms,
  RunRow,
  SearchHit,
  SearchQuery,
  Store,
  StoreAdmin,
  StoreHealth,
  Versioned,
} from "./store/store.ts";
export type { CatchUp, Schedule, Task } from "./store/tasks.ts";
export type { Write } from "./store/writes.ts";
export type { TaskBook } from "./task/task-book.ts";
export type { DraftSchedule, TaskDraft } from "./task/task-draft.ts";
export type { TaskTurn } from "./task/task-worker.ts";
