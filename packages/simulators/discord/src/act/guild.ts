import { announceTo } from "../announce.ts";
import { announceChannel, keepChannel, removeChannel } from "../channels.ts";
import { addMember, announceMember, removeMember } from "../guilds.ts";
import { toEmoji, toGuild, toGuildCreate, toRole, toSticker } from "../payload.ts";
import { ordinaryPermissions, type Permission, permissionsOf } from "../permissions.ts";
import type { Guild, Overwrite, Role } from "../world.ts";
import { createChannelView, type PermissionChange, type SimulatedChannel } from "./channel.ts";
import type { Stage } from "./stage.ts";

const types = { text: 0, voice: 2, category: 4, announcement: 5, forum: 15 } as const;

type Named = { readonly id: string };

/** A new channel. */
export type ChannelOptions = {
  readonly name: string;
  /** "text" when absent. */
  readonly type?: keyof typeof types;
  readonly category?: Named;
  readonly topic?: string;
  readonly isAgeRestricted?: boolean;
  readonly slowmodeSeconds?: number;
  /** Names of a forum's labels. */
  readonly tags?: readonly string[];
  /** What somebody may do otherwise than in the rest of the guild; the guild itself stands for everybody. */
  readonly permissions?: readonly (PermissionChange & { readonly for: Named })[];
};

/** A new role. */
export type RoleOptions = {
  readonly name: string;
  readonly permissions?: readonly Permission[];
  readonly isMentionable?: boolean;
  readonly isHoisted?: boolean;
  readonly color?: number;
};

/** How somebody joins. */
type JoinOptions = {
  readonly nick?: string;
  readonly roles?: readonly Named[];
  /** For a bot: what its own role allows, beside what everybody may do. */
  readonly permissions?: readonly Permission[];
};

/** A server, to be furnished from outside. */
export type SimulatedGuild = {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  createChannel(options: ChannelOptions): SimulatedChannel;
  createRole(options: RoleOptions): { readonly id: string; readonly name: string };
  createEmoji(name: string): { readonly id: string; readonly name: string };
  createSticker(name: string, description?: string): { readonly id: string; readonly name: string };
  /** Lets a person or a bot in. */
  add(member: Named, options?: JoinOptions): void;
  /** Throws a person or a bot out. */
  remove(member: Named): void;
  /** Gives a member another nickname, other roles, or both. */
  change(member: Named, change: { readonly nick?: string | null; readonly roles?: readonly Named[] }): void;
  /** What everybody may do from now on. */
  setEveryonePermissions(permissions: readonly Permission[]): void;
  rename(name: string): void;
  /** Joins are announced in this channel from now on. */
  welcomeIn(channel: Named): void;
  /** An outage: bots lose sight of the guild, or see it again. */
  setAvailable(isAvailable: boolean): void;
  delete(): void;
};

/** Makes a guild with its owner in it and nobody else. */
export function createGuild(
  { world }: Stage,
  { name, ownerId }: { readonly name: string; readonly ownerId: string },
): Guild {
  const id = world.newId();
  const everyone: Role = {
    id,
    name: "@everyone",
    permissions: ordinaryPermissions,
    position: 0,
    color: 0,
    isHoisted: false,
    isMentionable: false,
    botId: null,
  };
  const guild: Guild = {
    id,
    name,
    ownerId,
    systemChannelId: null,
    isAvailable: true,
    roles: new Map([[id, everyone]]),
    members: new Map(),
    emojis: new Map(),
    stickers: new Map(),
  };
  world.guilds.set(id, guild);
  addMember(world, guild, { userId: ownerId });
  return guild;
}

/** Makes the outside view of a guild. */
export function createGuildView(stage: Stage, guild: Guild): SimulatedGuild {
  const { world } = stage;
  const announceGuild = (): void =>
    announceTo(world, guild.id, { name: "GUILD_UPDATE", payload: () => toGuild(guild) });
  return {
    id: guild.id,
    get name() {
      return guild.name;
    },
    get ownerId() {
      return guild.ownerId;
    },
    createChannel: (options) => createChannel(stage, guild, options),
    createRole: (options) => createRole(stage, guild, { ...options, botId: null }),
    createEmoji(name) {
      const emoji = { id: world.newId(), name, isAnimated: false };
      guild.emojis.set(emoji.id, emoji);
      const payload = (): unknown => ({ guild_id: guild.id, emojis: [...guild.emojis.values()].map(toEmoji) });
      announceTo(world, guild.id, { name: "GUILD_EMOJIS_UPDATE", payload });
      return emoji;
    },
    createSticker(name, description = "") {
      const sticker = { id: world.newId(), name, description };
      guild.stickers.set(sticker.id, sticker);
      const payload = (): unknown => ({
        guild_id: guild.id,
        stickers: [...guild.stickers.values()].map((one) => toSticker(guild, one)),
      });
      announceTo(world, guild.id, { name: "GUILD_STICKERS_UPDATE", payload });
      return sticker;
    },
    add: (member, options = {}) => add(stage, guild, { ...options, userId: member.id }),
    remove: ({ id }) => removeMember(world, guild, id),
    change({ id }, { nick, roles }) {
      const member = guild.members.get(id);
      if (!member) throw new Error(`${id} is no member of ${guild.name}: add them first`);
      if (nick !== undefined) member.nick = nick;
      if (roles) member.roleIds = roles.map((role) => role.id);
      announceMember(world, guild, member);
    },
    setEveryonePermissions(permissions) {
      const everyone = guild.roles.get(guild.id);
      if (!everyone) return;
      everyone.permissions = permissionsOf(permissions);
      announceTo(world, guild.id, {
        name: "GUILD_ROLE_UPDATE",
        payload: () => ({ guild_id: guild.id, role: toRole(everyone) }),
      });
    },
    rename(name) {
      guild.name = name;
      announceGuild();
    },
    welcomeIn({ id }) {
      guild.systemChannelId = id;
      announceGuild();
    },
    setAvailable: (isAvailable) => setAvailable(stage, guild, isAvailable),
    delete: () => removeGuild(stage, guild),
  };
}

function createChannel(stage: Stage, guild: Guild, options: ChannelOptions): SimulatedChannel {
  const { world } = stage;
  const overwrites = (options.permissions ?? []).map(({ for: { id }, allow = [], deny = [] }): [string, Overwrite] => [
    id,
    { id, type: guild.roles.has(id) ? 0 : 1, allow: permissionsOf(allow), deny: permissionsOf(deny) },
  ]);
  const position = [...world.channels.values()].filter((channel) => channel.guildId === guild.id).length;
  const channel = keepChannel(world, {
    type: types[options.type ?? "text"],
    guildId: guild.id,
    name: options.name,
    topic: options.topic ?? null,
    parentId: options.category?.id ?? null,
    position,
    isAgeRestricted: options.isAgeRestricted ?? false,
    slowmodeSeconds: options.slowmodeSeconds ?? 0,
    overwrites: new Map(overwrites),
    tags: (options.tags ?? []).map((name) => ({ id: world.newId(), name, isModerated: false })),
  });
  announceChannel(world, channel, "CREATE");
  return createChannelView(stage, channel);
}

function createRole({ world }: Stage, guild: Guild, options: RoleOptions & { readonly botId: string | null }): Role {
  const role: Role = {
    id: world.newId(),
    name: options.name,
    permissions: permissionsOf(options.permissions ?? []),
    position: guild.roles.size,
    color: options.color ?? 0,
    isHoisted: options.isHoisted ?? false,
    isMentionable: options.isMentionable ?? false,
    botId: options.botId,
  };
  guild.roles.set(role.id, role);
  announceTo(world, guild.id, {
    name: "GUILD_ROLE_CREATE",
    payload: () => ({ guild_id: guild.id, role: toRole(role) }),
  });
  return role;
}

function add(
  stage: Stage,
  guild: Guild,
  { userId, nick, roles = [], permissions }: JoinOptions & { readonly userId: string },
): void {
  const { world } = stage;
  const user = world.users.get(userId);
  if (!user) throw new Error(`nobody has the id ${userId}: make them with createUser or createBot first`);
  const roleIds = roles.map((role) => role.id);
  if (permissions && user.isBot)
    roleIds.push(createRole(stage, guild, { name: user.username, permissions, botId: userId }).id);
  addMember(world, guild, { userId, nick: nick ?? null, roleIds });
}

function setAvailable({ world }: Stage, guild: Guild, isAvailable: boolean): void {
  if (guild.isAvailable === isAvailable) return;
  guild.isAvailable = isAvailable;
  if (isAvailable)
    announceTo(world, guild.id, { name: "GUILD_CREATE", payload: (viewer) => toGuildCreate(world, guild, viewer) });
  else announceTo(world, guild.id, { name: "GUILD_DELETE", payload: () => ({ id: guild.id, unavailable: true }) });
}

function removeGuild({ world }: Stage, guild: Guild): void {
  announceTo(world, guild.id, { name: "GUILD_DELETE", payload: () => ({ id: guild.id }) });
  guild.members.clear();
  for (const channel of [...world.channels.values()]) if (channel.guildId === guild.id) removeChannel(world, channel);
  world.guilds.delete(guild.id);
}
