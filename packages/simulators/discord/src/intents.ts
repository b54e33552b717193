/** Intent bits by name. @see https://discord.com/developers/docs/events/gateway#list-of-intents */
const intentBits = {
  GUILDS: 1 << 0,
  GUILD_MEMBERS: 1 << 1,
  GUILD_MODERATION: 1 << 2,
  GUILD_EXPRESSIONS: 1 << 3,
  GUILD_INTEGRATIONS: 1 << 4,
  GUILD_WEBHOOKS: 1 << 5,
  GUILD_INVITES: 1 << 6,
  GUILD_VOICE_STATES: 1 << 7,
  GUILD_PRESENCES: 1 << 8,
  GUILD_MESSAGES: 1 << 9,
  GUILD_MESSAGE_REACTIONS: 1 << 10,
  GUILD_MESSAGE_TYPING: 1 << 11,
  DIRECT_MESSAGES: 1 << 12,
  DIRECT_MESSAGE_REACTIONS: 1 << 13,
  DIRECT_MESSAGE_TYPING: 1 << 14,
  MESSAGE_CONTENT: 1 << 15,
  GUILD_SCHEDULED_EVENTS: 1 << 16,
  AUTO_MODERATION_CONFIGURATION: 1 << 20,
  AUTO_MODERATION_EXECUTION: 1 << 21,
  GUILD_MESSAGE_POLLS: 1 << 24,
  DIRECT_MESSAGE_POLLS: 1 << 25,
} as const;

type IntentName = keyof typeof intentBits;

const privileged = ["GUILD_MEMBERS", "GUILD_PRESENCES", "MESSAGE_CONTENT"] as const;

/** An intent that must be switched on in the developer portal before a bot may ask for it. */
export type PrivilegedIntent = (typeof privileged)[number];

/** The bits of these intents; of every privileged one when none are named. */
export function privilegedBits(names: readonly PrivilegedIntent[] = privileged): number {
  return names.reduce((bits, name) => bits | intentBits[name], 0);
}

const knownBits = Object.values(intentBits).reduce((bits, bit) => bits | bit, 0);

/** The close code these intents deserve, null when they are fine. `allowed` are the bits of the privileged ones the bot has. */
export function judgeIntents(intents: unknown, allowed: number): 4013 | 4014 | null {
  if (typeof intents !== "number" || !Number.isInteger(intents) || intents < 0 || intents > knownBits) return 4013;
  if ((intents & ~knownBits) !== 0) return 4013;
  return (intents & privilegedBits() & ~allowed) === 0 ? null : 4014;
}

/** Whether bits hold an intent. */
export function hasIntent(bits: number, name: IntentName): boolean {
  return (bits & intentBits[name]) !== 0;
}

/** In a guild, and in direct messages; null where nothing is needed. */
type Needed = readonly [inGuild: IntentName | null, direct: IntentName | null];

const guilds: Needed = ["GUILDS", "GUILDS"];
const messages: Needed = ["GUILD_MESSAGES", "DIRECT_MESSAGES"];
const reactions: Needed = ["GUILD_MESSAGE_REACTIONS", "DIRECT_MESSAGE_REACTIONS"];
const members: Needed = ["GUILD_MEMBERS", "GUILD_MEMBERS"];

const neededFor: Readonly<Record<string, Needed>> = {
  GUILD_CREATE: guilds,
  GUILD_UPDATE: guilds,
  GUILD_DELETE: guilds,
  GUILD_ROLE_CREATE: guilds,
  GUILD_ROLE_UPDATE: guilds,
  GUILD_ROLE_DELETE: guilds,
  CHANNEL_CREATE: guilds,
  CHANNEL_UPDATE: guilds,
  CHANNEL_DELETE: guilds,
  CHANNEL_PINS_UPDATE: ["GUILDS", "DIRECT_MESSAGES"],
  THREAD_CREATE: guilds,
  THREAD_UPDATE: guilds,
  THREAD_DELETE: guilds,
  THREAD_MEMBER_UPDATE: guilds,
  THREAD_MEMBERS_UPDATE: guilds,
  GUILD_MEMBER_ADD: members,
  GUILD_MEMBER_REMOVE: members,
  GUILD_EMOJIS_UPDATE: ["GUILD_EXPRESSIONS", null],
  GUILD_STICKERS_UPDATE: ["GUILD_EXPRESSIONS", null],
  MESSAGE_CREATE: messages,
  MESSAGE_UPDATE: messages,
  MESSAGE_DELETE: messages,
  MESSAGE_DELETE_BULK: messages,
  MESSAGE_REACTION_ADD: reactions,
  MESSAGE_REACTION_REMOVE: reactions,
  MESSAGE_REACTION_REMOVE_ALL: reactions,
  MESSAGE_REACTION_REMOVE_EMOJI: reactions,
  TYPING_START: ["GUILD_MESSAGE_TYPING", "DIRECT_MESSAGE_TYPING"],
};

/** Whether a session with these intents is sent this event. */
export function isWanted(bits: number, event: { readonly name: string; readonly isDirect: boolean }): boolean {
  const needed = neededFor[event.name]?.[event.isDirect ? 1 : 0];
  return !needed || hasIntent(bits, needed);
}
