export { type AddedSource, addedSources, addSource, namedSources, removeSource } from "./added-sources.ts";
export { type FoundFragment, type FoundKnowledge, findKnowledge } from "./find-knowledge.ts";
export {
  describePlace,
  type FileList,
  type FileStamp,
  type FragmentPlace,
  type KnowledgeAccess,
  type ListedFile,
  type PageMarks,
  type ReadKnowledge,
  type ReadPage,
} from "./knowledge-access.ts";
export { createKnowledgeCapability, type KnowledgeParts } from "./knowledge-capability.ts";
export { citation } from "./knowledge-provider.ts";
export { type KnowledgeRecord, knowledgeRoomId, type RecordState, sharedOwnerId } from "./knowledge-record.ts";
export { forgetSource, readRecords } from "./records.ts";
export { createSharedKnowledge, type SharedKnowledge, sharedSources } from "./shared-knowledge.ts";
export { isShared, sourceKey, sourceName } from "./source-key.ts";
