export {
  type ClientAbilities,
  type ClientHarness,
  clientContract,
  createDelivery,
  type SendFailure,
} from "./client-contract.ts";
export { createInbound, type HeardMessage, type Hearer } from "./create-inbound.ts";
export {
  createFileClient,
  type FileClient,
  type FileClientOptions,
  type FileClientView,
  readFileClient,
} from "./file-client.ts";
export { type ModelContractOptions, type ModelSituation, modelContract, type OpenedModel } from "./model-contract.ts";
export {
  createScriptedClient,
  type ScriptedClient,
  type ScriptedClientOptions,
  type ScriptedFailure,
  type ScriptedMessage,
} from "./scripted-client.ts";
export {
  createScriptedModel,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPiece,
} from "./scripted-model.ts";
export type { Shown, ShownRecord } from "./shown-record.ts";
