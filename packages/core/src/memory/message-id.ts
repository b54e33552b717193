import { deriveId } from "./derive-id.ts";

/** Where a message stands on its platform. Message numbers may repeat between rooms; ids never do. */
export type MessagePlace = {
  readonly platform: string;
  readonly account: string;
  /** The platform's id of the room. */
  readonly room: string;
  /** The platform's id of the message. */
  readonly message: string;
};

/** The id of the Memory that stands for a platform's message: heard or said, it is the same row. */
export function messageMemoryId(place: MessagePlace): string {
  return deriveId("memory", place.platform, place.account, place.room, place.message);
}

/** The id of a room. */
export function roomIdOf(platform: string, account: string, platformId: string): string {
  return deriveId("room", platform, account, platformId);
}

/** The id of somebody on a platform, as one account of ours sees them. */
export function entityIdOf(platform: string, account: string, platformId: string): string {
  return deriveId("entity", platform, account, platformId);
}

/** The id of a server or guild. */
export function worldIdOf(platform: string, account: string, platformId: string): string {
  return deriveId("world", platform, account, platformId);
}
