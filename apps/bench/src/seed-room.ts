import { setTimeout as sleep } from "node:timers/promises";
import { type Memory, messageMemoryId, type Store, type Write } from "@troupe/core";
import { toInbound } from "./house.ts";
import { place } from "./project.ts";
import { lineOf } from "./said.ts";

/** A room in which person and agent have talked in turn for `count` messages, the last of them a second before `until`. */
export function seedRoom(agentId: string, room: string, count: number, until: number): readonly Write[] {
  const heard = toInbound(agentId, { room, eventId: `${room}-seed`, number: 0, at: until });
  const memories = Array.from({ length: count }, (_, index): Memory => {
    const isOwn = (count - index) % 2 === 1;
    const message = `${room}-seed-${index}`;
    const { memory, entity } = heard;
    return {
      ...memory,
      id: messageMemoryId({ ...place, room, message }),
      entityId: isOwn ? agentId : entity.id,
      content: { ...memory.content, text: lineOf(index) },
      createdAt: until - (count - index) * 1_000,
      platformId: message,
      ...(isOwn ? { runId: "seed" } : { metadata: { entityName: entity.name, entityPlatformId: entity.platformId } }),
    };
  });
  return [
    { type: "room.put", room: heard.room },
    { type: "entity.put", entity: heard.entity },
    ...memories.map((memory): Write => ({ type: "memory.put", memory })),
  ];
}

/** Resolves when the store has nothing left to do: the search index is filled when nothing else is asked for. */
export async function untilIndexed({ admin }: Store): Promise<void> {
  while ((await admin.health()).details["unindexed"] !== 0) await sleep(50);
}
