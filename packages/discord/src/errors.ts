import type { SendResult } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";
import { numberOf, recordOf, textOf } from "./read.ts";

/** What a request failed with, as far as it tells; see {@link readFailure}. */
export type Failure =
  /** Discord answered with a refusal; `code` is Discord's own, 0 when there is none. */
  | { readonly type: "refused"; readonly status: number; readonly code: number; readonly words: string }
  /** A limit that lasts too long to wait for. */
  | { readonly type: "limited"; readonly retryInMs: number }
  /** Discord has trouble of its own; what was asked may have been done. */
  | { readonly type: "troubled"; readonly status: number }
  /** The request never left. */
  | { readonly type: "unreachable"; readonly reason: string }
  /** It left, and no answer came. */
  | { readonly type: "cut"; readonly reason: string };

/** Nothing has been sent when a connection fails with one of these. */
const neverLeft: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Reads an error of discord.js, of the system or of a program. */
export function readFailure(error: unknown): Failure {
  const { name, status, code, rawError, retryAfter, timeToReset, sublimitTimeout, cause, message } = fieldsOf(error);
  if (typeof name === "string" && name.startsWith("RateLimitError")) {
    const waits = [retryAfter, timeToReset, sublimitTimeout].map((value) => numberOf(value) ?? 0);
    return { type: "limited", retryInMs: Math.max(1_000, ...waits) };
  }
  const http = numberOf(status);
  if (http !== null && http >= 500) return { type: "troubled", status: http };
  if (http !== null) {
    const words = textOf(recordOf(rawError)["message"]) ?? `HTTP ${http}`;
    return { type: "refused", status: http, code: numberOf(code) ?? 0, words };
  }
  if (typeof message === "string" && message.startsWith("Expected token to be set")) {
    return { type: "refused", status: 401, code: 0, words: "401: Unauthorized" };
  }
  const systemCode = textOf(code) ?? textOf(fieldsOf(cause)["code"]) ?? "";
  if (neverLeft.has(systemCode)) return { type: "unreachable", reason: systemCode };
  return { type: "cut", reason: systemCode === "" ? errorMessage(error) : systemCode };
}

/** Errors keep some of their fields where spreading does not find them. */
function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (typeof error !== "object" || error === null) return {};
  // Every field is read as unknown and checked before use.
  return error as Readonly<Record<string, unknown>>;
}

/** What can be done about a refusal, by Discord's code. @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const remedies: Readonly<Record<number, string>> = {
  10003: "the channel is gone",
  10008: "the message is gone",
  10014: "the emoji is not known there; set platforms.discord.likeEmoji to one that is",
  30010: "the message has as many kinds of reactions as Discord allows",
  40005: "the file is larger than Discord allows there",
  40058: "a forum takes posts, not messages",
  50001: "the bot cannot see it; grant View Channel in the channel's settings",
  50005: "somebody else wrote that message",
  50006: "there is nothing to show in it",
  50007: "the person takes no direct messages from the bot",
  50008: "nobody can write in that kind of channel",
  50013:
    "the bot lacks a permission there (Send Messages, Send Messages in Threads, Attach Files, Add Reactions …); grant it in the channel's settings",
  50083: "the thread is archived",
  50278: "the person shares no server with the bot",
  90001: "the person has blocked the bot",
  160002: "the bot lacks Read Message History; grant it in the channel's settings",
  160005: "the thread is locked",
};

const unauthorizedWaitMs = 60_000;
const troubledWaitMs = 2_000;

/** What became of a send that failed; `what` names it: "a message to room 42". */
export function toSendResult(error: unknown, what: string): SendResult {
  const failure = readFailure(error);
  switch (failure.type) {
    case "limited":
      return {
        type: "not-sent",
        retryInMs: failure.retryInMs,
        error: `Discord's rate limit holds up ${what} for ${Math.ceil(failure.retryInMs / 1000)} s.`,
      };
    case "unreachable":
      return {
        type: "not-sent",
        retryInMs: troubledWaitMs,
        error: `Discord could not be reached for ${what} (${failure.reason}); trying again.`,
      };
    case "troubled":
      return { type: "unknown", error: `Discord answered ${what} with ${failure.status}; it may have arrived.` };
    case "cut":
      return { type: "unknown", error: `The connection was cut before Discord answered ${what} (${failure.reason}).` };
    case "refused":
      return refusedResult(failure, what);
  }
}

function refusedResult(failure: Extract<Failure, { type: "refused" }>, what: string): SendResult {
  const { status, code, words } = failure;
  if (status === 401) {
    const error = `Discord refused ${what}: the token is not valid any more; set DISCORD_API_TOKEN to a new one and start again.`;
    return { type: "not-sent", retryInMs: unauthorizedWaitMs, error };
  }
  if (status === 429)
    return { type: "not-sent", retryInMs: troubledWaitMs, error: `Discord's rate limit holds up ${what}.` };
  const remedy = remedies[code];
  return { type: "rejected", error: `Discord refused ${what}: ${remedy ?? words} (${code === 0 ? status : code}).` };
}

/** Whether an error says that a thing is not there, or not for us: nothing to be tried again. */
export function isRefused(error: unknown, ...codes: readonly number[]): boolean {
  const failure = readFailure(error);
  return failure.type === "refused" && (codes.length === 0 || codes.includes(failure.code));
}

/** What keeps a client from connecting. `unauthorized` and `invalid` are final; `unavailable` may pass. */
export function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  const failure = readFailure(error);
  const isToken = failure.type === "refused" && failure.status === 401;
  if (isToken || fieldsOf(error)["code"] === "TokenInvalid") {
    return new ClientError("unauthorized", badToken, { cause: error });
  }
  const why =
    failure.type === "refused" ? failure.words : failure.type === "troubled" ? `status ${failure.status}` : "";
  const detail = failure.type === "unreachable" || failure.type === "cut" ? failure.reason : why;
  return new ClientError(
    "unavailable",
    `Discord could not be reached (${detail || "rate limit"}); check the network.`,
    {
      cause: error,
      ...(failure.type === "limited" && { retryAfterMs: failure.retryInMs }),
    },
  );
}

const badToken =
  "Discord refuses the bot's token: set DISCORD_API_TOKEN to the one of Bot > Reset Token in the developer portal.";

/** After these close codes no connection comes back. @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const fatalCloses: Readonly<Record<number, readonly [code: "unauthorized" | "invalid", remedy: string]>> = {
  4004: ["unauthorized", badToken],
  4010: ["invalid", 'Discord refuses the shard\'s number; start with shards: "auto".'],
  4011: [
    "invalid",
    'Discord wants this bot sharded: it is in too many servers for one connection; start with shards: "auto".',
  ],
  4012: ["invalid", "Discord refuses the gateway's version; update Troupe."],
  4013: ["invalid", "Discord does not know an intent that was asked for; update Troupe."],
  4014: [
    "invalid",
    "Discord refuses a privileged intent: switch on Message Content Intent (and Server Members Intent) under Bot in the developer portal.",
  ],
};

/** The error of a connection that Discord closed for good; null when it will come back. */
export function fatalClose(code: number): ClientError | null {
  const known = fatalCloses[code];
  return known ? new ClientError(known[0], `${known[1]} (closed with ${code})`) : null;
}
