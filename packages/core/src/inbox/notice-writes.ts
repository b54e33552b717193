import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Write } from "../store/writes.ts";
import type { Notice } from "./notice.ts";
import { cleanText } from "./to-accepted.ts";

/** What a notice changes in the store; nothing when what it is about is not known there. */
export function noticeWrites(notice: Notice, agentId: string): readonly Write[] {
  switch (notice.kind) {
    case "edited": {
      const content = { ...notice.content, text: cleanText(notice.content.text) };
      return [{ type: "memory.edit", id: notice.memoryId, content }];
    }
    case "removed":
      return notice.memoryIds.map((id) => ({ type: "memory.remove", id }));
    case "reaction":
      return reactionWrites(notice, agentId);
    case "joined":
    case "left":
      return [
        ...worldWrite(notice),
        ...(notice.room ? [{ type: "room.put", room: notice.room } as const] : []),
        { type: "entity.put", entity: notice.entity },
      ];
    case "world":
      return worldWrite(notice);
    case "room":
      return [...worldWrite(notice), { type: "room.put", room: notice.room }];
    case "moved":
      return [{ type: "room.move", fromRoomId: notice.fromRoomId, room: notice.room }];
  }
}

function worldWrite({ world }: Pick<Extract<Notice, { kind: "room" }>, "world">): readonly Write[] {
  return world ? [{ type: "world.put", world }] : [];
}

/** A reaction is remembered beside the messages, by who gave it to what; taking it back takes the memory away. */
function reactionWrites(notice: Extract<Notice, { kind: "reaction" }>, agentId: string): readonly Write[] {
  const { room, entity, memoryId, emoji, at, eventId } = notice;
  const reaction = cleanText(emoji);
  const id = deriveId("memory", "reaction", memoryId, entity.id, reaction);
  if (!notice.isAdded) return [{ type: "memory.remove", id }];
  const memory: Memory = {
    id,
    agentId,
    roomId: room.id,
    entityId: entity.id,
    type: "reaction",
    content: { text: reaction, inReplyTo: memoryId, source: room.platform },
    createdAt: at,
    metadata: { entityName: cleanText(entity.name), eventId },
  };
  return [
    { type: "room.put", room },
    { type: "entity.put", entity },
    { type: "memory.put", memory },
  ];
}
