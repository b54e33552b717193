import type { AgentEvent } from "../event/event.ts";
import type { PlatformChange } from "../inbox/change.ts";

/** What is told of a change once it is durable. */
export function changeEvents(change: PlatformChange): readonly AgentEvent[] {
  switch (change.kind) {
    case "edited":
      return [{ type: "MESSAGE_EDITED", roomId: change.roomId, memoryId: change.memoryId }];
    case "removed":
      return change.memoryIds.map((memoryId) => ({ type: "MESSAGE_REMOVED", roomId: change.roomId, memoryId }));
    case "reaction": {
      const { room, entity, memoryId, emoji, isAdded } = change;
      return [{ type: "REACTION_RECEIVED", roomId: room.id, entityId: entity.id, memoryId, emoji, isAdded }];
    }
    case "joined":
    case "left":
      return [comingOrGoing(change)];
    case "world":
    case "room":
    case "moved":
      return [];
  }
}

function comingOrGoing(change: Extract<PlatformChange, { kind: "joined" | "left" }>): AgentEvent {
  const { kind, room, world, entity, isAgent } = change;
  const where = { roomId: room?.id ?? "", ...(world && { worldId: world.id }) };
  if (isAgent) return { type: kind === "joined" ? "ROOM_JOINED" : "ROOM_LEFT", ...where };
  return { type: kind === "joined" ? "ENTITY_JOINED" : "ENTITY_LEFT", entityId: entity.id, ...where };
}
