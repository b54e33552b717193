import type { Clock } from "./options.ts";
import { createSnowflakes } from "./snowflake.ts";

/** A person or a bot. */
export type User = {
  readonly id: string;
  username: string;
  globalName: string | null;
  readonly isBot: boolean;
  /** Whether bots may write to them; a bot is answered 50007 otherwise. */
  acceptsDirectMessages: boolean;
};

/** A bot's application: what its token stands for. Its id is its user's. */
export type Application = {
  readonly id: string;
  readonly user: User;
  readonly token: string;
  readonly ownerId: string;
  /** The bits of the privileged intents switched on in the developer portal. */
  privilegedBits: number;
  readonly shards: number;
  readonly maxConcurrency: number;
};

/** A role of a guild; the one with the guild's own id is everybody's. */
export type Role = {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  color: number;
  isHoisted: boolean;
  isMentionable: boolean;
  /** The bot the role was made for. */
  readonly botId: string | null;
};

/** Somebody in a guild. */
export type Member = {
  readonly userId: string;
  nick: string | null;
  roleIds: readonly string[];
  readonly joinedMs: number;
};

/** A custom emoji of a guild. */
export type Emoji = { readonly id: string; readonly name: string; readonly isAnimated: boolean };

/** A sticker of a guild. */
export type Sticker = { readonly id: string; readonly name: string; readonly description: string };

/** A server. */
export type Guild = {
  readonly id: string;
  name: string;
  ownerId: string;
  systemChannelId: string | null;
  isAvailable: boolean;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  readonly emojis: Map<string, Emoji>;
  readonly stickers: Map<string, Sticker>;
};

/** What a role or a member may do otherwise than in the rest of the guild. */
export type Overwrite = {
  readonly id: string;
  /** 0: a role; 1: a member. */
  readonly type: 0 | 1;
  readonly allow: bigint;
  readonly deny: bigint;
};

/** What only a thread has. */
export type ThreadState = {
  readonly ownerId: string;
  readonly members: Map<string, number>;
  isArchived: boolean;
  isLocked: boolean;
  isInvitable: boolean;
  autoArchiveMinutes: number;
  archivedMs: number;
  totalMessages: number;
  appliedTagIds: readonly string[];
};

/** A label of a forum's posts. */
type ForumTag = { readonly id: string; readonly name: string; readonly isModerated: boolean };

/**
 * A place where people talk. `type` is Discord's number: 0 text, 1 direct, 2 voice, 4 category, 5 announcement,
 * 10 announcement thread, 11 thread, 12 private thread, 15 forum.
 * @see https://discord.com/developers/docs/resources/channel#channel-object-channel-types
 */
export type Channel = {
  readonly id: string;
  readonly type: number;
  readonly guildId: string | null;
  name: string | null;
  topic: string | null;
  parentId: string | null;
  position: number;
  isAgeRestricted: boolean;
  slowmodeSeconds: number;
  readonly overwrites: Map<string, Overwrite>;
  /** The two people of a direct message. */
  readonly recipientIds: readonly string[];
  readonly tags: ForumTag[];
  readonly thread: ThreadState | null;
  /** Ordered by id. */
  readonly messages: Message[];
  lastMessageId: string | null;
  lastPinMs: number | null;
  /** When each person last spoke, for the slow mode. */
  readonly lastSaidMs: Map<string, number>;
};

/** A file of a message. */
export type Attachment = {
  readonly id: string;
  readonly channelId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly description: string | null;
  readonly isSpoiler: boolean;
  readonly bytes: Uint8Array;
};

/** Who reacted with one emoji, in order. */
export type Reaction = {
  readonly emoji: { readonly id: string | null; readonly name: string };
  readonly userIds: string[];
};

/** What a message points at: 0 a reply or a system message's subject, 1 a forward. */
export type Reference = {
  readonly type: 0 | 1;
  readonly messageId: string | null;
  readonly channelId: string;
  readonly guildId: string | null;
};

/** Something said, or a system message. Live: an edit shows in it. */
export type Message = {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly authorId: string;
  /** The application whose interaction it answers. */
  readonly applicationId: string | null;
  /** @see https://discord.com/developers/docs/resources/message#message-object-message-types */
  readonly type: number;
  content: string;
  embeds: readonly unknown[];
  components: readonly unknown[];
  attachments: readonly Attachment[];
  readonly stickers: readonly Sticker[];
  mentionIds: readonly string[];
  mentionRoleIds: readonly string[];
  mentionsEveryone: boolean;
  readonly reference: Reference | null;
  readonly snapshots: readonly Snapshot[];
  readonly interaction: InteractionMetadata | null;
  flags: number;
  readonly isSpokenAloud: boolean;
  readonly nonce: string | number | null;
  readonly createdMs: number;
  editedMs: number | null;
  pinnedMs: number | null;
  readonly reactions: Reaction[];
};

/** What a forward keeps of the message it copies. */
export type Snapshot = Pick<
  Message,
  | "content"
  | "embeds"
  | "components"
  | "attachments"
  | "stickers"
  | "mentionIds"
  | "mentionRoleIds"
  | "flags"
  | "type"
  | "createdMs"
  | "editedMs"
>;

/** The interaction a message answers. */
export type InteractionMetadata = {
  readonly id: string;
  readonly type: number;
  readonly userId: string;
  readonly name: string | null;
};

/** A registered command, in Discord's own shape. */
export type Command = {
  readonly id: string;
  readonly application_id: string;
  readonly guild_id?: string;
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
  readonly default_member_permissions: string | null;
  readonly dm_permission: boolean;
  readonly contexts: readonly number[] | null;
  readonly integration_types: readonly number[];
  readonly name_localizations: Readonly<Record<string, string>> | null;
  readonly description_localizations: Readonly<Record<string, string>> | null;
  readonly nsfw: boolean;
  readonly version: string;
};

/** A parameter of a command, in Discord's own shape. */
export type CommandOption = {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly autocomplete?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly options?: readonly CommandOption[];
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly channel_types?: readonly number[];
};

/** Something that happened, as bots and watchers are told. */
export type WorldEvent = {
  /** As in the gateway's `t`. */
  readonly name: string;
  readonly guildId: string | null;
  /** Only who can view it is told; null: everybody in the guild. */
  readonly channelId: string | null;
  /** Only these bots are told, whatever they may view; null when the rules above decide. */
  readonly onlyFor: readonly string[] | null;
  /** What one bot is told; null: nothing. */
  readonly payload: (viewer: Viewer) => unknown;
  readonly subject: EventSubject;
};

/** A bot looking at something. */
export type Viewer = { readonly userId: string; readonly seesContent: boolean; readonly seesMembers: boolean };

/** What an event was about, for whoever waits for it. */
export type EventSubject =
  | { readonly type: "message" | "edit" | "deletion"; readonly message: Message }
  | {
      readonly type: "reaction" | "unreaction";
      readonly message: Message;
      readonly userId: string;
      readonly emoji: string;
    }
  | { readonly type: "typing"; readonly channelId: string; readonly userId: string }
  | { readonly type: "thread"; readonly channelId: string }
  | { readonly type: "interaction"; readonly interactionId: string }
  | { readonly type: "other" };

/** Everything there is. */
export type World = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly keptMessages: number;
  readonly users: Map<string, User>;
  /** By id. */
  readonly applications: Map<string, Application>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  readonly attachments: Map<string, Attachment>;
  /** By application id, or application and guild id with a slash between. */
  readonly commands: Map<string, Map<string, Command>>;
  /** Where files are fetched from; known once the server listens. */
  baseUrl: string;
  emit(event: WorldEvent): void;
  /** The function it returns ends it. */
  listen(listener: (event: WorldEvent) => void): () => void;
};

/** Makes an empty world. */
export function createWorld(options: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly keptMessages: number;
}): World {
  const listeners = new Set<(event: WorldEvent) => void>();
  return {
    ...options,
    newId: createSnowflakes(options.clock),
    users: new Map(),
    applications: new Map(),
    guilds: new Map(),
    channels: new Map(),
    attachments: new Map(),
    commands: new Map(),
    baseUrl: "",
    emit(event) {
      for (const listener of [...listeners]) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Letters and digits for tokens and session ids. */
export function randomText(world: World, length: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length }, () => letters[Math.floor(world.random() * letters.length)] ?? "a").join("");
}
