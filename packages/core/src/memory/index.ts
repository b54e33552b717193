export { deriveAgentId, deriveId, type IdKind } from "./derive-id.ts";
export type { Attachment, ChannelType, Content, Memory, MemoryType, MentionContext } from "./memory.ts";
export { entityIdOf, type MessagePlace, messageMemoryId, roomIdOf, worldIdOf } from "./message-id.ts";
