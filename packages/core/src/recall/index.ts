export { fuse, type Reasons, type Recalled, type Weights } from "./fuse.ts";
export { createEmbeddingHealth, type EmbeddingHealth } from "./query-vector.ts";
export { type RecallParts, type RecallQuery, type Recollection, recall } from "./recall.ts";
export { createRecallCapability, embeddedTypes } from "./recall-capability.ts";
export { createSpokenWords, type SpokenWords } from "./spoken-words.ts";
