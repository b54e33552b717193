import type { PrivilegedIntent } from "./intents.ts";
import type { LimitOptions } from "./rate-limits.ts";

/** Milliseconds since 1970; a test may hand in one that stands still. */
export type Clock = { now(): number };

/** A bot that may log in. */
export type BotOptions = {
  readonly token: string;
  /** Its user name; "Bot" when absent. */
  readonly name?: string;
  readonly displayName?: string;
  /** What its page in the developer portal has switched on; everything when absent. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** How many shards `GET /gateway/bot` recommends; 1 when absent. */
  readonly shards?: number;
  /** How many shards may identify at once every five seconds; 1 when absent. */
  readonly maxConcurrency?: number;
};

/** What a simulator is made of. Everything may be absent. */
export type DiscordSimulatorOptions = {
  readonly host?: string;
  /** Any free port when absent. */
  readonly port?: number;
  /** One bot with the token "token" when absent. */
  readonly bots?: readonly BotOptions[];
  /** The computer's clock when absent. Ids, rate limits, nonces, interactions and sessions go by it. */
  readonly clock?: Clock;
  /** At least 0, below 1; session ids and tokens are made of it. `Math.random` when absent. */
  readonly random?: () => number;
  /** Rate limits as Discord has them when absent; `false` for none. */
  readonly limits?: LimitOptions | false;
  /** How often a bot must send a heartbeat, in milliseconds; 41,250 when absent. */
  readonly heartbeatIntervalMs?: number;
  /** How many events a session keeps for a resume; 2,000 when absent. */
  readonly replayEvents?: number;
  /** How long a session without a connection can be resumed, in milliseconds; 3 minutes when absent. */
  readonly sessionTtlMs?: number;
  /** How long an enforced nonce is remembered, in milliseconds; 5 minutes when absent. */
  readonly nonceTtlMs?: number;
  /** How many messages a channel keeps, oldest dropped first; 10,000 when absent. */
  readonly keptMessages?: number;
  /** How many past requests `requests` shows; 10,000 when absent. */
  readonly keptRequests?: number;
  /** The largest file, in bytes; 10 MiB when absent. */
  readonly limitFileBytes?: number;
  /** Told of a defect of the simulator itself. */
  readonly onDefect?: (error: unknown) => void;
};
