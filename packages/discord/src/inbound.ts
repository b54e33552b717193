import type { ChannelType, Content, Entity, Inbound, JsonObject, MentionContext, Room, World } from "@troupe/core";
import { entityIdOf, messageMemoryId, roomIdOf, worldIdOf } from "@troupe/core/memory";
import { contentParts } from "./message-parts.ts";
import {
  idAt,
  idOf,
  isNewer,
  madeAt,
  numberOf,
  type Raw,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
  timeOf,
} from "./read.ts";
import type { Names } from "./text.ts";

/** Whose ears: the account is the bot's user id. */
export type Hearer = { readonly agentId: string; readonly agentName: string; readonly account: string };

/** A place to talk, as Discord numbers its kinds. @see https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export type Place = {
  readonly id: string;
  readonly type: number;
  readonly name?: string;
  readonly topic?: string;
  readonly guildId?: string;
  readonly parentId?: string;
  readonly parentName?: string;
  readonly parentType?: number;
};

/** A server. `adminIds`: whoever is known to hold Administrator there. */
export type GuildView = {
  readonly id: string;
  readonly name?: string;
  readonly ownerId?: string;
  readonly adminIds: readonly string[];
};

/** What is known around a message. */
export type Around = {
  readonly place: Place;
  readonly guild?: GuildView;
  readonly roleName: (id: string) => string | null;
  readonly channelName: (id: string) => string | null;
  /** Whether a role is the one Discord made for this bot alone. */
  readonly isOwnRole: (id: string) => boolean;
};

/** Kinds of messages that people (and programs) write: plain, a reply, a command's answer, a context menu's. */
const spokenTypes: ReadonlySet<number> = new Set([0, 19, 20, 23]);

/**
 * The event of a message, from the gateway or from REST; null when nobody said anything: our own, a system message, one
 * without an author or an id. Never throws.
 */
export function toInbound(payload: unknown, hearer: Hearer, around: Around, isLate = false): Inbound | null {
  const message = recordOf(payload);
  const id = idOf(message["id"]);
  const entity = authorOf(message, hearer);
  if (id === null || !entity || entity.platformId === hearer.account) return null;
  if (!spokenTypes.has(numberOf(message["type"]) ?? 0)) return null;
  const { agentId, account } = hearer;
  const room = toRoom(around.place, account, entity.name);
  const world = around.guild && toWorld(around.guild, account);
  return {
    eventId: id,
    kind: "message",
    ...(world && { world }),
    room,
    entity,
    memory: {
      id: messageMemoryId({ platform: "discord", account, room: room.platformId, message: id }),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content: toContent(message, { hearer, around, channelType: room.channelType }),
      createdAt: timeOf(message["timestamp"]) ?? madeAt(id),
      platformId: id,
      metadata: { ...metadataOf(message, around.place), ...(isLate && { late: true }) },
    },
  };
}

/** What a message says now, and which it is; null for ours, for what was not edited, and for what is not whole. */
export function toEdit(
  payload: unknown,
  hearer: Hearer,
  around: Around,
): { readonly roomId: string; readonly memoryId: string; readonly content: Content } | null {
  const message = recordOf(payload);
  if (timeOf(message["edited_timestamp"]) === null || typeof message["content"] !== "string") return null;
  const inbound = toInbound(payload, hearer, around);
  return inbound && { roomId: inbound.room.id, memoryId: inbound.memory.id, content: inbound.memory.content };
}

/** Who wrote a message; null when nobody is named. */
function authorOf(message: Raw, { account }: Hearer): Entity | null {
  const isWebhook = idOf(message["webhook_id"]) !== null;
  return toEntity(message["author"], message["member"], account, isWebhook);
}

/** A person or a bot, by the name others see: nickname, else display name, else user name. */
export function toEntity(user: unknown, member: unknown, account: string, isProgram = false): Entity | null {
  const person = recordOf(user);
  const platformId = idOf(person["id"]);
  if (platformId === null) return null;
  const username = textOf(person["username"]);
  const name = displayName(person, recordOf(member)) ?? "somebody";
  return {
    id: entityIdOf("discord", account, platformId),
    platform: "discord",
    account,
    platformId,
    name,
    isBot: isProgram || person["bot"] === true,
    ...(username !== null && { data: { username } }),
  };
}

function displayName(user: Raw, member: Raw): string | null {
  return textOf(member["nick"]) ?? textOf(user["global_name"]) ?? textOf(user["username"]);
}

const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);
const forumTypes: ReadonlySet<number> = new Set([15, 16]);

/** The kind of a place: a post in a forum is `forum`, another thread `thread`. */
function channelTypeOf({ type, parentType }: Pick<Place, "type" | "parentType">): ChannelType {
  if (type === 1) return "dm";
  if (forumTypes.has(type)) return "forum";
  if (!threadTypes.has(type)) return "group";
  return parentType !== undefined && forumTypes.has(parentType) ? "forum" : "thread";
}

/** A room; direct messages are called after the other side. */
export function toRoom(place: Place, account: string, otherName?: string): Room {
  const { id, guildId, parentId, parentName, topic } = place;
  const channelType = channelTypeOf(place);
  const name = channelType === "dm" ? otherName : place.name;
  const data: JsonObject = {
    type: place.type,
    ...(parentId !== undefined && { parentPlatformId: parentId }),
    ...(parentName !== undefined && { parentName }),
    ...(topic !== undefined && { topic }),
  };
  return {
    id: roomIdOf("discord", account, id),
    ...(guildId !== undefined && { worldId: worldIdOf("discord", account, guildId) }),
    platform: "discord",
    account,
    platformId: id,
    channelType,
    ...(name !== undefined && { name }),
    data,
  };
}

/** A server as a world. */
export function toWorld({ id, name, ownerId, adminIds }: GuildView, account: string): World {
  return {
    id: worldIdOf("discord", account, id),
    platform: "discord",
    account,
    platformId: id,
    ...(name !== undefined && { name }),
    data: { ...(ownerId !== undefined && { ownerId }), adminIds },
  };
}

type Understanding = { readonly hearer: Hearer; readonly around: Around; readonly channelType: ChannelType };

function toContent(message: Raw, { hearer, around, channelType }: Understanding): Content {
  const { text, attachments } = contentParts(message, namesIn(message, hearer, around));
  const replyTo = replyTargetOf(message);
  const { account } = hearer;
  const { id: room, guildId } = around.place;
  return {
    text,
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo !== null && { inReplyTo: messageMemoryId({ platform: "discord", account, room, message: replyTo }) }),
    source: "discord",
    url: `https://discord.com/channels/${guildId ?? "@me"}/${room}/${idOf(message["id"]) ?? ""}`,
    channelType,
    mentionContext: toMentionContext(message, hearer, around),
  };
}

/** The names to put in place of ids: those of the people who are mentioned come with the message. */
function namesIn(message: Raw, { account, agentName }: Hearer, around: Around): Names {
  const people = new Map<string, string>();
  for (const user of recordsOf(message["mentions"])) {
    const name = displayName(user, recordOf(user["member"]));
    const id = idOf(user["id"]);
    if (id !== null && name !== null) people.set(id, name);
  }
  people.set(account, agentName);
  return {
    user: (id) => people.get(id) ?? null,
    role: (id) => (around.isOwnRole(id) ? agentName : around.roleName(id)),
    channel: around.channelName,
  };
}

/** The message in the same room that this one answers. A forward (type 1) is no answer. */
function replyTargetOf(message: Raw): string | null {
  const reference = recordOf(message["message_reference"]);
  return (numberOf(reference["type"]) ?? 0) === 0 ? idOf(reference["message_id"]) : null;
}

function toMentionContext(message: Raw, { account }: Hearer, { isOwnRole }: Around): MentionContext {
  const content = textOf(message["content"]) ?? "";
  const named = recordsOf(message["mentions"]).flatMap(({ id }) => idOf(id) ?? []);
  const roles = textsOf(message["mention_roles"]);
  const author = idOf(recordOf(message["author"])["id"]);
  const answered = idOf(recordOf(recordOf(message["referenced_message"])["author"])["id"]);
  const repliesToAgent = answered === account;
  const isWritten = content.includes(`<@${account}>`) || content.includes(`<@!${account}>`);
  // A reply that notifies names whom it answers, too: that alone is no mention.
  const mentionsAgent = isWritten || (named.includes(account) && !repliesToAgent) || roles.some(isOwnRole);
  const isToOther = answered !== null && answered !== account && answered !== author;
  const mentionsOther = isToOther || named.some((id) => id !== account && id !== author);
  const mentionsEveryone = message["mention_everyone"] === true || roles.some((id) => !isOwnRole(id));
  return {
    mentionsAgent,
    repliesToAgent,
    ...(mentionsOther && !mentionsAgent && !repliesToAgent && { mentionsOther }),
    ...(mentionsEveryone && { mentionsEveryone }),
  };
}

function metadataOf(message: Raw, { id, guildId, parentId, type }: Place): JsonObject {
  const replyTo = replyTargetOf(message);
  const webhookId = idOf(message["webhook_id"]);
  return {
    channelId: id,
    messageId: idOf(message["id"]) ?? "",
    authorId: idOf(recordOf(message["author"])["id"]) ?? "",
    ...(guildId !== undefined && { guildId }),
    ...(threadTypes.has(type) && { threadId: id, ...(parentId !== undefined && { parentId }) }),
    ...(replyTo !== null && { replyToMessageId: replyTo }),
    ...(webhookId !== null && { webhookId }),
  };
}

/** Whether a message was written longer ago than is answered without being asked again. */
export function isTooLate(messageId: string, now: number, maxAgeMs: number): boolean {
  return !isNewer(messageId, idAt(now - maxAgeMs));
}
