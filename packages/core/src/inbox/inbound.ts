import type { Memory } from "../memory/memory.ts";
import type { Entity, Room, World } from "../room/room.ts";

/**
 * A platform event, translated by a client's pure `inbound.ts`. The engine stores world, room, entity and message with the
 * inbox row in one transaction; the same `eventId` a second time changes nothing.
 */
export type Inbound = {
  /** The platform's own id of the event, unique per account. */
  readonly eventId: string;
  /** Commands and buttons are never joined with their neighbours into one run. */
  readonly kind: "message" | "command";
  readonly world?: World;
  readonly room: Room;
  readonly entity: Entity;
  readonly memory: Memory;
};
