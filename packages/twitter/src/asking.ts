import type { Entity, Inbound, JsonObject, Room } from "@troupe/core";
import { deriveId, entityIdOf, roomIdOf } from "@troupe/core/memory";
import { worldOf } from "./inbound.ts";

/** Who asks when nobody does. */
const nobody = { platformId: "troupe-schedule", name: "Schedule" } as const;

/** What the character is asked in a room of its own. */
export type Asking = {
  readonly account: string;
  readonly agentId: string;
  /** `feed`, `timeline` … */
  readonly roomId: string;
  readonly roomName: string;
  /** The turn: the same is asked once. */
  readonly turn: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly metadata?: JsonObject;
};

/**
 * The event by which a loop asks the character something, in a room that only the two of them are in. It is a command, so that it
 * is always answered and never joined with another; it is asked in one call, however the character thinks elsewhere.
 */
export function toAsked({ account, agentId, roomId, roomName, turn, text, at, metadata }: Asking): Inbound {
  const own = { platform: "twitter", account } as const;
  const room: Room = {
    ...own,
    id: roomIdOf("twitter", account, roomId),
    platformId: roomId,
    channelType: "feed",
    worldId: worldOf(account).id,
    name: roomName,
    data: { mode: "reply" },
  };
  const entity: Entity = { ...own, ...nobody, id: entityIdOf("twitter", account, nobody.platformId), isBot: true };
  const eventId = `loop:${turn}`;
  return {
    eventId,
    kind: "command",
    world: worldOf(account),
    room,
    entity,
    memory: {
      id: deriveId("memory", agentId, "twitter", account, eventId),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content: { text, source: "twitter", channelType: "feed" },
      createdAt: at,
      ...(metadata && { metadata }),
    },
  };
}
