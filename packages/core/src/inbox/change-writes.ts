import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Write } from "../store/writes.ts";
import type { PlatformChange } from "./change.ts";
import { cleanText } from "./to-accepted.ts";

/** What a change changes in the store; nothing when what it is about is not known there. */
export function changeWrites(change: PlatformChange, agentId: string): readonly Write[] {
  switch (change.kind) {
    case "edited": {
      const content = { ...change.content, text: cleanText(change.content.text) };
      return [{ type: "memory.edit", id: change.memoryId, content }];
    }
    case "removed":
      return change.memoryIds.map((id) => ({ type: "memory.remove", id }));
    case "reaction":
      return reactionWrites(change, agentId);
    case "joined":
    case "left":
      return [
        ...worldWrite(change),
        ...(change.room ? [{ type: "room.put", room: change.room } as const] : []),
        { type: "entity.put", entity: change.entity },
      ];
    case "world":
      return worldWrite(change);
    case "room":
      return [...worldWrite(change), { type: "room.put", room: change.room }];
    case "moved":
      return [{ type: "room.move", fromRoomId: change.fromRoomId, room: change.room }];
  }
}

function worldWrite({ world }: Pick<Extract<PlatformChange, { kind: "room" }>, "world">): readonly Write[] {
  return world ? [{ type: "world.put", world }] : [];
}

/** A reaction is remembered beside the messages, by who gave it to what; taking it back takes the memory away. */
function reactionWrites(change: Extract<PlatformChange, { kind: "reaction" }>, agentId: string): readonly Write[] {
  const { room, entity, memoryId, emoji, at, eventId } = change;
  const reaction = cleanText(emoji);
  const id = deriveId("memory", "reaction", memoryId, entity.id, reaction);
  if (!change.isAdded) return [{ type: "memory.remove", id }];
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
