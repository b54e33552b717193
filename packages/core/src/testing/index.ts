export { type ModelContractOptions, type ModelSituation, modelContract, type OpenedModel } from "./model-contract.ts";
export {
  createScriptedModel,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPiece,
} from "./scripted-model.ts";
