import type { Log } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import type { Client, ClientOptions } from "discord.js";
import { fatalClose, toClientError } from "./errors.ts";
import type { Place } from "./inbound.ts";
import { idOf, recordOf, recordsOf } from "./read.ts";

/** What Discord tells about its places without being asked: held by the connection, as it is now. */
export interface Directory {
  /** A channel or thread of a server; null when it is not known (direct messages never are). */
  place(id: string): Place | null;
  guild(id: string): { readonly id: string; readonly name: string; readonly ownerId: string } | null;
  role(
    guildId: string,
    roleId: string,
  ): { readonly name: string; readonly isAdmin: boolean; readonly isOwn: boolean } | null;
  /** Whether the bot may read what was said there before. */
  isReadable(channelId: string): boolean;
}

/** An open connection. */
export type Gateway = { readonly directory: Directory; close(): Promise<void> };

/** Who is told. */
export type GatewayListener = {
  /** One event as it came, in order within a shard. */
  readonly onEvent: (name: string, data: unknown, directory: Directory) => void;
  /** A connection ended for good after it stood. */
  readonly onFatal: (error: ClientError) => void;
};

/** What connecting needs. */
export type GatewayOptions = {
  readonly token: string;
  readonly api: string | undefined;
  readonly shards: "auto" | number;
  readonly statusText: string | null;
  /** Privileged intents the application has switched on. */
  readonly hasMembers: boolean;
  readonly hasContent: boolean;
  readonly log: Log;
};

/**
 * Events that change what the directory knows: these alone are left to the library, and only when whole. All others are ours
 * to read, and the library neither parses nor keeps them.
 */
const structural: Readonly<Record<string, (data: unknown) => boolean>> = {
  READY: () => true,
  RESUMED: () => true,
  GUILD_CREATE: isWholeGuild,
  GUILD_UPDATE: hasId,
  GUILD_DELETE: hasId,
  CHANNEL_CREATE: isGuildChannel,
  CHANNEL_UPDATE: isGuildChannel,
  CHANNEL_DELETE: isGuildChannel,
  THREAD_CREATE: isGuildChannel,
  THREAD_UPDATE: isGuildChannel,
  THREAD_DELETE: isGuildChannel,
  GUILD_ROLE_CREATE: isWholeRole,
  GUILD_ROLE_UPDATE: isWholeRole,
  GUILD_ROLE_DELETE: (data) => idOf(recordOf(data)["guild_id"]) !== null && idOf(recordOf(data)["role_id"]) !== null,
  GUILD_MEMBER_UPDATE: (data) => idOf(recordOf(data)["guild_id"]) !== null && hasId(recordOf(data)["user"]),
};

function hasId(data: unknown): boolean {
  return idOf(recordOf(data)["id"]) !== null;
}

function isGuildChannel(data: unknown): boolean {
  const { guild_id: guildId, type } = recordOf(data);
  return hasId(data) && idOf(guildId) !== null && typeof type === "number";
}

function isRole(data: unknown): boolean {
  return hasId(data) && /^\d+$/.test(String(recordOf(data)["permissions"]));
}

function isWholeRole(data: unknown): boolean {
  return idOf(recordOf(data)["guild_id"]) !== null && isRole(recordOf(data)["role"]);
}

function isWholeGuild(data: unknown): boolean {
  const { channels, roles, members } = recordOf(data);
  const isWhole = Array.isArray(roles) && recordsOf(roles).every(isRole) && Array.isArray(channels);
  return (
    hasId(data) && isWhole && recordsOf(channels).every(hasId) && recordsOf(members).every(({ user }) => hasId(user))
  );
}

/** Connects; resolves when every shard is ready. @throws ClientError, `unavailable` when trying again may help. */
export async function connectGateway(
  options: GatewayOptions,
  listener: GatewayListener,
  signal: AbortSignal,
): Promise<Gateway> {
  const library = await import("discord.js");
  const client: Client = new library.Client(toClientOptions(library, options));
  const { log } = options;
  const directory = toDirectory(client, library.PermissionFlagsBits);
  const close = async (): Promise<void> => {
    client.removeAllListeners("raw");
    await client.destroy();
  };
  try {
    await stand(
      client,
      options,
      { ...listener, onEvent: (name, data) => listener.onEvent(name, data, directory) },
      signal,
    );
  } catch (error) {
    await close();
    throw toClientError(error);
  }
  log.info({ shards: client.ws.shards.size, guilds: client.guilds.cache.size }, "connected to Discord");
  return { directory, close };
}

type Told = { readonly onEvent: (name: string, data: unknown) => void } & Pick<GatewayListener, "onFatal">;

/** Until the connection stands. The library tells of a refusal by an event only. */
function stand(client: Client, { token, log }: GatewayOptions, listener: Told, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStanding = false;
    const onAbort = (): void => reject(new ClientError("aborted", "Connecting to Discord was called off."));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    client.on("raw", (packet: { t: string; d: unknown }) => {
      const { t: name, d: data } = packet;
      const isForLibrary = structural[name]?.(data) === true;
      if (!isForLibrary) packet.t = "NOT_FOR_THE_LIBRARY";
      listener.onEvent(name, data);
    });
    client.on("error", (error) => log.warn({ error: error.message }, "the connection to Discord has trouble"));
    client.on("shardError", (error, shard) =>
      log.warn({ shard, error: error.message }, "a connection to Discord failed; it comes back"),
    );
    client.on("shardDisconnect", ({ code }, shard) => {
      const error = fatalClose(code);
      if (!error) return log.warn({ shard, code }, "a connection to Discord was closed");
      if (isStanding) listener.onFatal(error);
      else reject(error);
    });
    client.on("shardReconnecting", (shard) => log.debug({ shard }, "reconnecting to Discord"));
    client.once("clientReady", () => {
      isStanding = true;
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    client.login(token.trim()).catch(reject);
  });
}

type Library = typeof import("discord.js");

/** What is kept is bounded: places and roles are, people only the last few, messages not at all. */
function toClientOptions(library: Library, options: GatewayOptions): ClientOptions {
  const { GatewayIntentBits: bits, Options, ActivityType } = library;
  const { shards, statusText, api, hasMembers, hasContent } = options;
  return {
    intents: [
      bits.Guilds,
      bits.GuildMessages,
      bits.GuildMessageReactions,
      bits.DirectMessages,
      bits.DirectMessageReactions,
      ...(hasMembers ? [bits.GuildMembers] : []),
      ...(hasContent ? [bits.MessageContent] : []),
    ],
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ApplicationCommandManager: 0,
      ApplicationEmojiManager: 0,
      AutoModerationRuleManager: 0,
      BaseGuildEmojiManager: 0,
      DMMessageManager: 0,
      EntitlementManager: 0,
      GuildBanManager: 0,
      GuildEmojiManager: 0,
      GuildInviteManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
      GuildMessageManager: 0,
      GuildScheduledEventManager: 0,
      GuildStickerManager: 0,
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      StageInstanceManager: 0,
      ThreadMemberManager: 0,
      UserManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
      VoiceStateManager: 0,
    }),
    sweepers: Options.DefaultSweeperSettings,
    rest: { version: "10", ...(api !== undefined && { api }) },
    ...(shards === "auto" ? { shards } : { shards: [...Array(shards).keys()], shardCount: shards }),
    ...(statusText !== null && {
      presence: { activities: [{ name: "status", type: ActivityType.Custom, state: statusText }] },
    }),
  };
}

function toDirectory(client: Client, permission: Library["PermissionFlagsBits"]): Directory {
  const channelOf = (id: string) => client.channels.cache.get(id);
  return {
    place(id) {
      const channel = channelOf(id);
      if (!channel || channel.isDMBased()) return null;
      const { parent } = channel;
      const topic = "topic" in channel ? channel.topic : null;
      return {
        id,
        type: channel.type,
        name: channel.name,
        guildId: channel.guildId,
        ...(topic !== null && topic !== "" && { topic }),
        ...(parent && { parentId: parent.id, parentName: parent.name, parentType: parent.type }),
      };
    },
    guild(id) {
      const guild = client.guilds.cache.get(id);
      return guild ? { id, name: guild.name, ownerId: guild.ownerId } : null;
    },
    role(guildId, roleId) {
      const role = client.guilds.cache.get(guildId)?.roles.cache.get(roleId);
      if (!role) return null;
      const { name, permissions, tags } = role;
      return {
        name,
        isAdmin: permissions.has(permission.Administrator),
        isOwn: tags?.botId !== undefined && tags.botId === client.user?.id,
      };
    },
    isReadable(channelId) {
      const channel = channelOf(channelId);
      if (!channel || channel.isDMBased()) return true;
      const me = channel.guild.members.me;
      return me === null || channel.permissionsFor(me).has(permission.ViewChannel | permission.ReadMessageHistory);
    },
  };
}
