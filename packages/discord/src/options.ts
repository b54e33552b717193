import type { PlatformSettings } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import { idOf } from "./read.ts";

/** One bot's connection to Discord for one agent. */
export type DiscordOptions = {
  /** The bot's token, from the developer portal. */
  readonly token: string;
  readonly agentId: string;
  readonly agentName: string;
  /** The character's settings for Discord. */
  readonly settings?: PlatformSettings;
  /** Where the REST API is, when it is not Discord's own: `http://127.0.0.1:4000/api`. The gateway's address comes from it. */
  readonly rest?: { readonly api?: string };
  /** How the account is called before Discord has said its id; the agent's name when absent. */
  readonly account?: string;
  /** Connections side by side, each with its share of the servers: a number, or as many as Discord recommends. One when absent. */
  readonly shards?: "auto" | number;
  /** Reads, but sends nothing. */
  readonly dryRun?: boolean;
  /** All requests together; 50 when absent, which is what Discord allows unless it has agreed to more. */
  readonly requestsPerSecond?: number;
  /** How long one request may take; 15 s when absent. */
  readonly timeoutMs?: number;
};

/** Whom an answer may notify. */
type Notified = "users" | "roles" | "everyone" | "reply";

/** What of a character's settings only this client knows, with what holds when it says nothing. */
export type DiscordSettings = {
  /** The channel messages are forwarded to; without one there is no RETWEET. */
  readonly forwardTo: string | null;
  /** What LIKE reacts with: an emoji, or `name:id` of a server's own. */
  readonly likeEmoji: string;
  /** Answers in a channel open a thread at the message. */
  readonly answerInThread: boolean;
  /** Shown beside the name. */
  readonly statusText: string | null;
  /** Nobody when empty. */
  readonly allowedMentions: readonly Notified[];
  /** Where answers show which message they answer; in direct messages, unless `all`, only when something came in between. */
  readonly repliesIn: "all" | "groups" | "none";
  /** What is older is remembered, not answered, when it is met while catching up. */
  readonly answerWithinMs: number;
  /** Messages of one room that are fetched after an outage, the newest ones; 0 fetches none. */
  readonly catchUpLimit: number;
};

const notified: readonly Notified[] = ["users", "roles", "everyone", "reply"];
const dayMs = 24 * 60 * 60 * 1000;

/** Reads them. @throws ConfigError naming the setting and what it may be. */
export function readSettings(settings: PlatformSettings = {}): DiscordSettings {
  return {
    forwardTo: readId(settings, "forwardTo"),
    likeEmoji: readText(settings, "likeEmoji", 100) ?? "❤️",
    answerInThread: readFlag(settings, "answerInThread"),
    statusText: readText(settings, "statusText", 128),
    allowedMentions: readNotified(settings["allowedMentions"]),
    repliesIn: readReplies(settings["repliesIn"]),
    answerWithinMs: readNumber(settings, "answerWithinMs", { usual: dayMs, most: 365 * dayMs }),
    catchUpLimit: readNumber(settings, "catchUpLimit", { usual: 500, most: 10_000 }),
  };
}

/** Checks what stands in the way of any connection. @throws ConfigError naming the option and the remedy. */
export function checkOptions({ token, shards }: DiscordOptions): void {
  if (token.trim() === "" || /\s/.test(token.trim())) {
    throw wrong("DISCORD_API_TOKEN is empty or contains spaces; copy the bot's token from the developer portal.");
  }
  if (shards !== undefined && shards !== "auto" && !(Number.isInteger(shards) && shards >= 1 && shards <= 16_384)) {
    throw wrong(`shards is ${shards}; it must be "auto" or a whole number from 1.`);
  }
}

function readId(settings: PlatformSettings, name: string): string | null {
  const value = settings[name];
  if (value === undefined) return null;
  const id = idOf(typeof value === "number" ? String(value) : value);
  if (id === null) throw wrong(`${path(name)} must be a channel's id: digits, in quotation marks.`);
  return id;
}

function readText(settings: PlatformSettings, name: string, longest: number): string | null {
  const value = settings[name];
  if (value === undefined) return null;
  if (typeof value !== "string" || value.trim() === "" || value.length > longest) {
    throw wrong(`${path(name)} must be a text of 1 to ${longest} characters.`);
  }
  return value.trim();
}

function readFlag(settings: PlatformSettings, name: string): boolean {
  const value = settings[name];
  if (value === undefined || value === "false") return false;
  if (value === "true" || typeof value === "boolean") return value === "true" || value === true;
  throw wrong(`${path(name)} must be true or false.`);
}

function readNumber(
  settings: PlatformSettings,
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  const value = settings[name];
  if (value === undefined) return usual;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= most) return number;
  throw wrong(`${path(name)} must be a whole number from 0 to ${most}.`);
}

function readNotified(value: unknown): readonly Notified[] {
  if (value === undefined) return [];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.map((one) => {
    const known = notified.find((name) => name === one);
    if (!known) throw wrong(`${path("allowedMentions")} may contain ${notified.join(", ")} and nothing else.`);
    return known;
  });
}

function readReplies(value: unknown = "groups"): DiscordSettings["repliesIn"] {
  if (value === "all" || value === "groups" || value === "none") return value;
  throw wrong(`${path("repliesIn")} must be all, groups or none.`);
}

const path = (name: string): string => `platforms.discord.${name}`;

function wrong(message: string): ConfigError {
  return new ConfigError("invalid", message);
}
