import type { Capability, CapabilityParts } from "../capability/capability.ts";
import type { Character } from "../character/character.ts";
import type { Client } from "../client/client.ts";
import type { SpokenWords } from "../recall/spoken-words.ts";
import type { AttachmentAccess } from "./attachment-access.ts";
import { type AttachmentSettings, createAttachmentsProvider } from "./attachments-provider.ts";

/** What looking at files needs beside an agent's parts. */
export type AttachmentsGiven = {
  readonly access: AttachmentAccess;
  /** The agent's clients; some resolve addresses of their platform's own. */
  readonly clients: readonly Client[];
  /** Where what recordings say is told, for those who look for what matters to it. */
  readonly spoken?: SpokenWords;
};

/** Looking at what comes with messages: images, recordings, documents. */
export function createAttachmentsCapability(parts: CapabilityParts, given: AttachmentsGiven): Capability {
  const { character } = parts;
  return {
    name: "attachments",
    providers: [createAttachmentsProvider({ ...parts, ...given, settings: attachmentSettings(character) })],
  };
}

/** From `settings.attachments`: four files of 20 MB in half a minute unless the character says otherwise. */
function attachmentSettings({ settings }: Character): AttachmentSettings {
  const { enabled = true, limit = 4, maxSizeBytes = 20_000_000, timeoutMs = 30_000 } = settings.attachments ?? {};
  return { enabled, limit, maxSizeBytes, timeoutMs };
}
