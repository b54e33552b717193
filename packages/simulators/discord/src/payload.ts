import { hasIntent } from "./intents.ts";
import { channelPermissions, holds } from "./permissions.ts";
import { snowflakeMs } from "./snowflake.ts";
import type { Application, Channel, Emoji, Guild, Member, Role, Sticker, User, Viewer, World } from "./world.ts";

type Payload = Readonly<Record<string, unknown>>;

/** A time as Discord writes it. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000+00:00");
}

/** @see https://discord.com/developers/docs/resources/user#user-object */
export function toUser(user: User): Payload {
  return {
    id: user.id,
    username: user.username,
    discriminator: "0",
    global_name: user.globalName,
    avatar: null,
    avatar_decoration_data: null,
    banner: null,
    accent_color: null,
    public_flags: 0,
    flags: 0,
    ...(user.isBot ? { bot: true } : {}),
  };
}

/** Anybody by id, also who is gone. */
export function toUserById(world: World, userId: string): Payload {
  const user = world.users.get(userId);
  return user
    ? toUser(user)
    : { id: userId, username: "Deleted User", discriminator: "0", global_name: null, avatar: null };
}

/** Without the user. @see https://discord.com/developers/docs/resources/guild#guild-member-object */
export function toMember(member: Member): Payload {
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: [...member.roleIds],
    joined_at: toTimestamp(member.joinedMs),
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
    pending: false,
    communication_disabled_until: null,
  };
}

/** With the user. */
export function toFullMember(world: World, member: Member): Payload {
  return { ...toMember(member), user: toUserById(world, member.userId) };
}

/** @see https://discord.com/developers/docs/topics/permissions#role-object */
export function toRole(role: Role): Payload {
  return {
    id: role.id,
    name: role.name,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: role.isHoisted,
    icon: null,
    unicode_emoji: null,
    position: role.position,
    permissions: role.permissions.toString(),
    managed: role.botId !== null,
    mentionable: role.isMentionable,
    flags: 0,
    ...(role.botId === null ? {} : { tags: { bot_id: role.botId } }),
  };
}

/** @see https://discord.com/developers/docs/resources/emoji#emoji-object */
export function toEmoji(emoji: Emoji): Payload {
  return {
    id: emoji.id,
    name: emoji.name,
    roles: [],
    require_colons: true,
    managed: false,
    animated: emoji.isAnimated,
    available: true,
  };
}

/** @see https://discord.com/developers/docs/resources/sticker#sticker-object */
export function toSticker(guild: Guild, sticker: Sticker): Payload {
  return {
    id: sticker.id,
    name: sticker.name,
    description: sticker.description,
    tags: sticker.name,
    type: 2,
    format_type: 1,
    available: true,
    guild_id: guild.id,
  };
}

/** @see https://discord.com/developers/docs/resources/channel#channel-object */
export function toChannel(world: World, channel: Channel, viewerId: string | null = null): Payload {
  if (channel.type === 1) return toDirectChannel(world, channel, viewerId);
  if (channel.thread) return toThread(channel, viewerId);
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    parent_id: channel.parentId,
    nsfw: channel.isAgeRestricted,
    flags: 0,
    permission_overwrites: [...channel.overwrites.values()].map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.type,
      allow: overwrite.allow.toString(),
      deny: overwrite.deny.toString(),
    })),
    ...(channel.type === 4 ? {} : toTextFields(channel)),
    ...(channel.type === 2 ? { bitrate: 64_000, user_limit: 0, rtc_region: null } : {}),
    ...(channel.type === 15 ? toForumFields(channel) : {}),
  };
}

function toTextFields(channel: Channel): Payload {
  return {
    topic: channel.topic,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowmodeSeconds,
    ...(channel.lastPinMs === null ? {} : { last_pin_timestamp: toTimestamp(channel.lastPinMs) }),
  };
}

function toForumFields(channel: Channel): Payload {
  return {
    available_tags: channel.tags.map((tag) => ({
      id: tag.id,
      name: tag.name,
      moderated: tag.isModerated,
      emoji_id: null,
      emoji_name: null,
    })),
    default_reaction_emoji: null,
    default_sort_order: null,
    default_forum_layout: 0,
  };
}

function toDirectChannel(world: World, channel: Channel, viewerId: string | null): Payload {
  const others = channel.recipientIds.filter((id) => id !== viewerId);
  return {
    id: channel.id,
    type: 1,
    last_message_id: channel.lastMessageId,
    flags: 0,
    recipients: others.map((id) => toUserById(world, id)),
  };
}

function toThread(channel: Channel, viewerId: string | null): Payload {
  const { thread } = channel;
  if (!thread) return {};
  const joinedMs = viewerId === null ? undefined : thread.members.get(viewerId);
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId,
    owner_id: thread.ownerId,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowmodeSeconds,
    flags: 0,
    message_count: Math.max(0, channel.messages.length),
    total_message_sent: thread.totalMessages,
    member_count: Math.min(50, thread.members.size),
    applied_tags: [...thread.appliedTagIds],
    thread_metadata: {
      archived: thread.isArchived,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: toTimestamp(thread.archivedMs),
      locked: thread.isLocked,
      create_timestamp: toTimestamp(snowflakeMs(channel.id)),
      ...(channel.type === 12 ? { invitable: thread.isInvitable } : {}),
    },
    ...(joinedMs === undefined || viewerId === null ? {} : { member: toThreadMember(channel, viewerId) }),
  };
}

/** @see https://discord.com/developers/docs/resources/channel#thread-member-object */
export function toThreadMember(channel: Channel, userId: string): Payload {
  const joinedMs = channel.thread?.members.get(userId) ?? 0;
  return { id: channel.id, user_id: userId, join_timestamp: toTimestamp(joinedMs), flags: 0 };
}

/** What every answer about a guild holds. @see https://discord.com/developers/docs/resources/guild#guild-object */
export function toGuild(guild: Guild): Payload {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    owner_id: guild.ownerId,
    region: "deprecated",
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: "en-US",
    features: [],
    application_id: null,
    system_channel_id: guild.systemChannelId,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    max_members: 500_000,
    roles: [...guild.roles.values()].map(toRole),
    emojis: [...guild.emojis.values()].map(toEmoji),
    stickers: [...guild.stickers.values()].map((sticker) => toSticker(guild, sticker)),
  };
}

/** What a bot is told of a guild when it logs in or joins. @see https://discord.com/developers/docs/events/gateway-events#guild-create */
export function toGuildCreate(world: World, guild: Guild, viewer: Viewer): Payload {
  const visible = [...world.channels.values()].filter((channel) => channel.guildId === guild.id);
  const threads = visible.filter(
    (channel) => channel.thread && !channel.thread.isArchived && canView(world, channel, viewer.userId),
  );
  const own = guild.members.get(viewer.userId);
  // Without the privileged intent a bot is told of itself only.
  const members = viewer.seesMembers ? [...guild.members.values()] : own ? [own] : [];
  return {
    ...toGuild(guild),
    unavailable: false,
    large: false,
    joined_at: toTimestamp(own?.joinedMs ?? 0),
    member_count: guild.members.size,
    members: members.map((member) => toFullMember(world, member)),
    // Discord tells bots of channels they cannot view, too, but not of such threads.
    channels: visible.filter((channel) => !channel.thread).map((channel) => toChannel(world, channel, viewer.userId)),
    threads: threads.map((channel) => toChannel(world, channel, viewer.userId)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** A bot as the REST API sees it: what its page in the developer portal says counts, not what a session asked for. */
export function viewerOf(application: Application): Viewer {
  const { id, privilegedBits: bits } = application;
  return { userId: id, seesContent: hasIntent(bits, "MESSAGE_CONTENT"), seesMembers: hasIntent(bits, "GUILD_MEMBERS") };
}

/** Whether a user can view a channel. */
export function canView(world: World, channel: Channel, userId: string): boolean {
  return holds(channelPermissions(world, channel, userId), "VIEW_CHANNEL");
}

/** @see https://discord.com/developers/docs/resources/application#application-object */
export function toApplication(world: World, application: Application): Payload {
  const installed = [...world.guilds.values()].filter((guild) => guild.members.has(application.id)).length;
  return {
    id: application.id,
    name: application.user.globalName ?? application.user.username,
    icon: null,
    description: "",
    summary: "",
    type: null,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: application.id.padStart(64, "0"),
    flags: applicationFlags(application),
    approximate_guild_count: installed,
    owner: toUserById(world, application.ownerId),
    team: null,
    bot: toUser(application.user),
    redirect_uris: [],
    interactions_endpoint_url: null,
    integration_types_config: {
      "0": { oauth2_install_params: { scopes: ["applications.commands", "bot"], permissions: "0" } },
    },
  };
}

/** Which privileged intents a bot in fewer than a hundred guilds has switched on, as application flags. */
export function applicationFlags(application: Application): number {
  const limited = [
    [1 << 8, 1 << 13],
    [1 << 1, 1 << 15],
    [1 << 15, 1 << 19],
  ] as const;
  return limited.reduce((flags, [intent, flag]) => flags | (application.privilegedBits & intent ? flag : 0), 0);
}
