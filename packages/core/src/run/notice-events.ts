import type { AgentEvent } from "../event/event.ts";
import type { Notice } from "../inbox/notice.ts";

/** What is told of a notice once it is durable. */
export function noticeEvents(notice: Notice): readonly AgentEvent[] {
  switch (notice.kind) {
    case "edited":
      return [{ type: "MESSAGE_EDITED", roomId: notice.roomId, memoryId: notice.memoryId }];
    case "removed":
      return notice.memoryIds.map((memoryId) => ({ type: "MESSAGE_REMOVED", roomId: notice.roomId, memoryId }));
    case "reaction": {
      const { room, entity, memoryId, emoji, isAdded } = notice;
      return [{ type: "REACTION_RECEIVED", roomId: room.id, entityId: entity.id, memoryId, emoji, isAdded }];
    }
    case "joined":
    case "left":
      return [comingOrGoing(notice)];
    case "world":
    case "room":
    case "moved":
      return [];
  }
}

function comingOrGoing(notice: Extract<Notice, { kind: "joined" | "left" }>): AgentEvent {
  const { kind, room, world, entity, isAgent } = notice;
  const where = { roomId: room?.id ?? "", ...(world && { worldId: world.id }) };
  if (isAgent) return { type: kind === "joined" ? "ROOM_JOINED" : "ROOM_LEFT", ...where };
  return { type: kind === "joined" ? "ENTITY_JOINED" : "ENTITY_LEFT", entityId: entity.id, ...where };
}
