import type { Channel, Guild, World } from "./world.ts";

/** Permission bits by name. @see https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
export const permissionBits = {
  CREATE_INSTANT_INVITE: 1n << 0n,
  KICK_MEMBERS: 1n << 1n,
  BAN_MEMBERS: 1n << 2n,
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_AUDIT_LOG: 1n << 7n,
  STREAM: 1n << 9n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  SEND_TTS_MESSAGES: 1n << 12n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  USE_EXTERNAL_EMOJIS: 1n << 18n,
  CONNECT: 1n << 20n,
  SPEAK: 1n << 21n,
  MUTE_MEMBERS: 1n << 22n,
  DEAFEN_MEMBERS: 1n << 23n,
  MOVE_MEMBERS: 1n << 24n,
  USE_VAD: 1n << 25n,
  CHANGE_NICKNAME: 1n << 26n,
  MANAGE_NICKNAMES: 1n << 27n,
  MANAGE_ROLES: 1n << 28n,
  MANAGE_WEBHOOKS: 1n << 29n,
  MANAGE_GUILD_EXPRESSIONS: 1n << 30n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  CREATE_PRIVATE_THREADS: 1n << 36n,
  USE_EXTERNAL_STICKERS: 1n << 37n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
  MODERATE_MEMBERS: 1n << 40n,
  SEND_VOICE_MESSAGES: 1n << 46n,
  SEND_POLLS: 1n << 49n,
  PIN_MESSAGES: 1n << 51n,
  BYPASS_SLOWMODE: 1n << 52n,
} as const;

/** A permission as Discord names it. */
export type Permission = keyof typeof permissionBits;

/** Every permission at once. */
const allPermissions = Object.values(permissionBits).reduce((all, bit) => all | bit, 0n);

/** What everybody may do in a new guild. */
export const ordinaryPermissions = permissionsOf([
  "CREATE_INSTANT_INVITE",
  "ADD_REACTIONS",
  "STREAM",
  "VIEW_CHANNEL",
  "SEND_MESSAGES",
  "EMBED_LINKS",
  "ATTACH_FILES",
  "READ_MESSAGE_HISTORY",
  "USE_EXTERNAL_EMOJIS",
  "USE_EXTERNAL_STICKERS",
  "CONNECT",
  "SPEAK",
  "USE_VAD",
  "CHANGE_NICKNAME",
  "USE_APPLICATION_COMMANDS",
  "CREATE_PUBLIC_THREADS",
  "CREATE_PRIVATE_THREADS",
  "SEND_MESSAGES_IN_THREADS",
  "SEND_VOICE_MESSAGES",
  "SEND_POLLS",
]);

/** What the two people of a direct message may do. */
const directPermissions = permissionsOf([
  "ADD_REACTIONS",
  "VIEW_CHANNEL",
  "SEND_MESSAGES",
  "EMBED_LINKS",
  "ATTACH_FILES",
  "READ_MESSAGE_HISTORY",
  "USE_EXTERNAL_EMOJIS",
  "USE_EXTERNAL_STICKERS",
  "USE_APPLICATION_COMMANDS",
  "PIN_MESSAGES",
]);

/** The bits of these permissions. */
export function permissionsOf(names: readonly Permission[]): bigint {
  return names.reduce((bits, name) => bits | permissionBits[name], 0n);
}

/** Whether bits hold a permission. */
export function holds(bits: bigint, name: Permission): boolean {
  return (bits & permissionBits[name]) !== 0n;
}

/** What a user may do in a guild, before any channel has its say. */
export function guildPermissions(guild: Guild, userId: string): bigint {
  const member = guild.members.get(userId);
  if (!member) return 0n;
  if (guild.ownerId === userId) return allPermissions;
  let bits = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roleIds) bits |= guild.roles.get(roleId)?.permissions ?? 0n;
  return holds(bits, "ADMINISTRATOR") ? allPermissions : bits;
}

/**
 * What a user may do in a channel; 0 when it cannot be seen.
 * @see https://discord.com/developers/docs/topics/permissions#permission-overwrites
 */
export function channelPermissions(world: World, channel: Channel, userId: string): bigint {
  if (channel.guildId === null) return channel.recipientIds.includes(userId) ? directPermissions : 0n;
  const guild = world.guilds.get(channel.guildId);
  if (!guild) return 0n;
  const base = guildPermissions(guild, userId);
  if (base === allPermissions) return base;
  if (channel.thread) return threadPermissions(world, channel, userId);
  return withoutTheImplied(overwritten({ guild, channel, userId }, base));
}

function threadPermissions(world: World, thread: Channel, userId: string): bigint {
  const parent = world.channels.get(thread.parentId ?? "");
  if (!parent) return 0n;
  const bits = channelPermissions(world, parent, userId);
  const isClosed = thread.type === 12 && !thread.thread?.members.has(userId) && !holds(bits, "MANAGE_THREADS");
  return isClosed ? 0n : bits;
}

type Asked = { readonly guild: Guild; readonly channel: Channel; readonly userId: string };

function overwritten({ guild, channel, userId }: Asked, base: bigint): bigint {
  const everyone = channel.overwrites.get(guild.id);
  let bits = everyone ? (base & ~everyone.deny) | everyone.allow : base;
  let allow = 0n;
  let deny = 0n;
  for (const roleId of guild.members.get(userId)?.roleIds ?? []) {
    const overwrite = channel.overwrites.get(roleId);
    allow |= overwrite?.allow ?? 0n;
    deny |= overwrite?.deny ?? 0n;
  }
  bits = (bits & ~deny) | allow;
  const own = channel.overwrites.get(userId);
  return own ? (bits & ~own.deny) | own.allow : bits;
}

/** Who cannot see a channel can do nothing in it. @see https://discord.com/developers/docs/topics/permissions#implicit-permissions */
function withoutTheImplied(bits: bigint): bigint {
  if (!holds(bits, "VIEW_CHANNEL")) return 0n;
  if (holds(bits, "SEND_MESSAGES")) return bits;
  const implied = permissionsOf(["MENTION_EVERYONE", "SEND_TTS_MESSAGES", "ATTACH_FILES", "EMBED_LINKS"]);
  return holds(bits, "SEND_MESSAGES_IN_THREADS") ? bits : bits & ~implied;
}
