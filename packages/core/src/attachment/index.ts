export type { AttachmentAccess, FetchBounds, FetchedFile } from "./attachment-access.ts";
export { type AttachmentsGiven, createAttachmentsCapability } from "./attachments-capability.ts";
