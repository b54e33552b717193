export { type ClientAbilities, type ClientHarness, clientContract, type SendFailure } from "./client-contract.ts";
export { type ModelContractOptions, type ModelSituation, modelContract, type OpenedModel } from "./model-contract.ts";
export {
  type EmbeddingContractOptions,
  type EmbeddingLie,
  type EmbeddingSituation,
  embeddingModelContract,
} from "./model-contract-embedding.ts";
export {
  imageContract,
  imageDescriptionContract,
  type MediaContractOptions,
  type MediaSituation,
  mediaBytes,
  mediaWords,
  speechContract,
  transcriptionContract,
} from "./model-contract-media.ts";
export { type OpenedStore, storeContract } from "./store-contract.ts";
