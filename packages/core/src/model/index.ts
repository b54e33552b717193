export { estimatingTokenizer } from "./estimate-tokens.ts";
export { createFallback, type ModelChain } from "./fallback-model.ts";
export { isLanguageModelType, languageModelOf } from "./models.ts";
