import type { Content } from "../memory/memory.ts";
import type { Entity, Room, World } from "../room/room.ts";
import type { Inbound } from "./inbound.ts";

/**
 * Something that happened on a platform that nobody answers, but that changes what is known. Told like an inbound event: durable
 * before the platform hears that it was taken. The same twice changes nothing more; one about something unknown is nothing.
 */
export type PlatformChange =
  /** A message says something else now. One that still waits for its answer is answered as it stands then. */
  | { readonly kind: "edited"; readonly roomId: string; readonly memoryId: string; readonly content: Content }
  | { readonly kind: "removed"; readonly roomId: string; readonly memoryIds: readonly string[] }
  /** Somebody put a mark to a message, or took it back. `eventId` is unique per account, as for messages. */
  | {
      readonly kind: "reaction";
      readonly eventId: string;
      readonly room: Room;
      readonly entity: Entity;
      readonly memoryId: string;
      /** The emoji itself, or `:name:` for a platform's own. */
      readonly emoji: string;
      readonly isAdded: boolean;
      /** Epoch milliseconds. */
      readonly at: number;
    }
  /** Somebody came into a world or room, or left it; `isAgent` when it is the agent's own account. */
  | {
      readonly kind: "joined" | "left";
      readonly world?: World;
      readonly room?: Room;
      readonly entity: Entity;
      readonly isAgent: boolean;
    }
  /** A world or a room is there, or is called or made differently now. */
  | { readonly kind: "world"; readonly world: World }
  | { readonly kind: "room"; readonly world?: World; readonly room: Room }
  /** The platform gave a room another id; its memory moves along. */
  | { readonly kind: "moved"; readonly fromRoomId: string; readonly room: Room };

/** Whether what was heard is a change rather than something to be answered. */
export function isChange(heard: Inbound | PlatformChange): heard is PlatformChange {
  return heard.kind !== "message" && heard.kind !== "command";
}
