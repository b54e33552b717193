import type { JsonValue, PlatformSettings } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import type { Rates } from "./budget.ts";

/** How long a text may be, in UTF-16 code units after Telegram has read the markup. */
export const textLimit = 4_096;

/** Where Telegram is to bring updates, instead of being asked for them. */
export type TelegramWebhook = {
  /** The address Telegram calls: HTTPS, reachable from outside. */
  readonly url: string;
  /** Where to listen; without it nothing listens, and requests are handed to `handleWebhook`. */
  readonly port?: number;
  /** The interface to listen on; every one when absent. */
  readonly host?: string;
  /** What Telegram says with every request, 1..256 of `[A-Za-z0-9_-]`; made of the token when absent. */
  readonly secretToken?: string;
};

/** One bot. */
export type TelegramOptions = {
  /** As BotFather gives it: `<id>:<secret>`. */
  readonly token: string;
  readonly agentId: string;
  readonly agentName: string;
  /** The character's settings for this platform. */
  readonly settings: PlatformSettings;
  /** The bot's own id; read from the token unless it is said. */
  readonly account?: string;
  /** Another Bot API server; `https://api.telegram.org` when absent. */
  readonly apiRoot?: string;
  readonly webhook?: TelegramWebhook;
  /** Reads but never writes. */
  readonly dryRun?: boolean;
  /** What may be sent how often; Telegram's published limits when absent, `false` for a server of one's own without any. */
  readonly rates?: Rates | false;
  /** How long a question for updates stays open; 50 seconds when absent. */
  readonly pollMs?: number;
  /** How long any other answer is waited for; 30 seconds when absent. */
  readonly requestTimeoutMs?: number;
};

/** What is done about a message of which nobody knows whether it arrived. */
type UnknownPolicy = "resend" | "hold";

/** The part of the character's settings that this client itself goes by. */
export type TelegramSettings = {
  /** By chat or room id; `*` for all others. */
  readonly onUnknown: ReadonlyMap<string, UnknownPolicy>;
  /** What is older is remembered, not answered. */
  readonly answerWithinMs: number;
  /** The chat, or `chat/topic`, that RETWEET forwards to; without it there is none. */
  readonly forwardTo: string | undefined;
  /** What LIKE puts to a message. */
  readonly likeEmoji: string;
  /** Where answers point at the message they answer. */
  readonly repliesIn: "all" | "groups" | "none";
};

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Reads what a character's file says under `platforms.telegram`.
 * @throws ConfigError naming the setting and what it may be.
 */
export function readSettings(settings: PlatformSettings): TelegramSettings {
  return {
    onUnknown: readUnknown(settings["onUnknown"]),
    answerWithinMs: readDuration(settings["answerWithinMs"]),
    forwardTo: readRoom(settings["forwardTo"]),
    likeEmoji: readEmoji(settings["likeEmoji"]),
    repliesIn: readWord("repliesIn", settings["repliesIn"] ?? "all", ["all", "groups", "none"]),
  };
}

/**
 * The bot's id, which every token begins with.
 * @throws ConfigError when it is no token; the token is not in the message.
 */
export function botIdOf(token: string): string {
  const [, id] = /^(\d{1,20}):[\w-]+$/.exec(token.trim()) ?? [];
  if (id !== undefined) return id;
  throw new ConfigError(
    "invalid",
    "TELEGRAM_BOT_TOKEN is no bot token: it looks like 123456789:AAH…; ask @BotFather for it with /token.",
  );
}

const refuse = (name: string, must: string): ConfigError =>
  new ConfigError("invalid", `platforms.telegram.${name} ${must}; correct it in the character's file.`);

function readWord<T extends string>(name: string, value: JsonValue, words: readonly T[]): T {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw refuse(name, `must be one of ${words.map((word) => `"${word}"`).join(", ")}`);
}

function readUnknown(value: JsonValue | undefined): ReadonlyMap<string, UnknownPolicy> {
  if (value === undefined) return new Map();
  const policy = (name: string, one: JsonValue | undefined) => readWord(name, one ?? null, ["resend", "hold"] as const);
  if (typeof value === "string") return new Map([["*", policy("onUnknown", value)]]);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refuse("onUnknown", 'must be "resend", "hold", or an object with one of them for each chat id');
  }
  return new Map(Object.entries(value).map(([chat, one]) => [chat, policy(`onUnknown["${chat}"]`, one)]));
}

function readDuration(value: JsonValue | undefined): number {
  const duration = value === undefined ? dayMs : Number(value);
  if (typeof value !== "boolean" && value !== null && Number.isFinite(duration) && duration >= 0) return duration;
  throw refuse("answerWithinMs", "must be a number of milliseconds, 0 or more");
}

function readRoom(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const room = typeof value === "number" ? String(value) : value;
  if (typeof room === "string" && /^(-?\d{1,20}|@\w{4,32})(\/\d{1,15})?$/.test(room)) return room;
  throw refuse(
    "forwardTo",
    'must be a chat\'s id such as "-1001234567890", with "/<topic>" behind it for a topic, or "@name"',
  );
}

function readEmoji(value: JsonValue | undefined): string {
  if (value === undefined) return "👍";
  if (typeof value === "string" && value.trim() !== "" && value.length <= 16) return value.trim();
  throw refuse("likeEmoji", "must be one emoji that Telegram has as a reaction, such as 👍 or ❤");
}
