export { type ClientAbilities, type ClientHarness, clientContract, type SendFailure } from "./client-contract.ts";
export { type ModelContractOptions, type ModelSituation, modelContract, type OpenedModel } from "./model-contract.ts";
export { type OpenedStore, storeContract } from "./store-contract.ts";
