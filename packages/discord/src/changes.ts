import type { Entity, PlatformChange } from "@troupe/core";
import { messageMemoryId, roomIdOf } from "@troupe/core/memory";
import { type Around, type Hearer, toEdit, toEntity, toRoom, toWorld } from "./inbound.ts";
import { idOf, recordOf, textOf, textsOf } from "./read.ts";

/** An edit, or null when nothing was edited: a link that got its preview, a pin, our own message. */
export function toEdited(payload: unknown, hearer: Hearer, around: Around): PlatformChange | null {
  const edit = toEdit(payload, hearer, around);
  return edit && { kind: "edited", ...edit };
}

/** One deleted message, or many at once. */
export function toRemoved(payload: unknown, { account }: Hearer): PlatformChange | null {
  const data = recordOf(payload);
  const room = idOf(data["channel_id"]);
  const ids = [...textsOf(data["ids"]), data["id"]].flatMap((id) => idOf(id) ?? []);
  if (room === null || ids.length === 0) return null;
  return {
    kind: "removed",
    roomId: roomIdOf("discord", account, room),
    memoryIds: ids.map((message) => messageMemoryId({ platform: "discord", account, room, message })),
  };
}

/** A reaction that was added or taken back; null for our own. `userName` helps where the event does not say who it was. */
export function toReaction(
  payload: unknown,
  hearer: Hearer,
  around: Around,
  facts: { readonly isAdded: boolean; readonly at: number; readonly userName: string | null },
): PlatformChange | null {
  const data = recordOf(payload);
  const message = idOf(data["message_id"]);
  const userId = idOf(data["user_id"]);
  const emoji = emojiOf(data["emoji"]);
  if (message === null || userId === null || emoji === null || userId === hearer.account) return null;
  const { account } = hearer;
  const { isAdded, at, userName } = facts;
  const member = recordOf(data["member"]);
  const known = userName === null ? {} : { global_name: userName };
  const entity = toEntity({ ...known, ...recordOf(member["user"]), id: userId }, member, account);
  if (!entity) return null;
  const room = toRoom(around.place, account, entity.name);
  return {
    kind: "reaction",
    eventId: `reaction:${message}:${userId}:${emoji}:${isAdded ? "added" : "removed"}:${at}`,
    room,
    entity,
    memoryId: messageMemoryId({ platform: "discord", account, room: room.platformId, message }),
    emoji,
    isAdded,
    at,
  };
}

function emojiOf(value: unknown): string | null {
  const emoji = recordOf(value);
  const name = textOf(emoji["name"]);
  if (name === null) return null;
  return idOf(emoji["id"]) === null ? name : `:${name}:`;
}

/** Somebody came into a server or left it. */
export function toMembership(
  payload: unknown,
  hearer: Hearer,
  around: Pick<Around, "guild">,
  kind: "joined" | "left",
): PlatformChange | null {
  const data = recordOf(payload);
  const entity = toEntity(data["user"], data, hearer.account);
  if (!entity || !around.guild) return null;
  const isAgent = entity.platformId === hearer.account;
  return { kind, world: toWorld(around.guild, hearer.account), entity, isAgent };
}

/** The agent's own account came into a server or a room, or is there no longer. */
export function toOwnMembership(
  hearer: Hearer,
  around: Partial<Pick<Around, "guild" | "place">>,
  kind: "joined" | "left",
): PlatformChange | null {
  const { account, agentName } = hearer;
  const entity: Entity | null = toEntity({ id: account, global_name: agentName, bot: true }, null, account);
  if (!entity) return null;
  return {
    kind,
    ...(around.guild && { world: toWorld(around.guild, account) }),
    ...(around.place && { room: toRoom(around.place, account) }),
    entity,
    isAgent: true,
  };
}

/** A server is there, or is called or led differently now. */
export function toWorldChange(hearer: Hearer, { guild }: Pick<Around, "guild">): PlatformChange | null {
  return guild ? { kind: "world", world: toWorld(guild, hearer.account) } : null;
}

/** A channel or thread is there, or is called differently now. */
export function toRoomChange(hearer: Hearer, { guild, place }: Pick<Around, "guild" | "place">): PlatformChange {
  const { account } = hearer;
  return { kind: "room", ...(guild && { world: toWorld(guild, account) }), room: toRoom(place, account) };
}
