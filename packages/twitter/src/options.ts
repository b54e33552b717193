import type { PlatformSettings } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import type { SignIn } from "./sign-in.ts";

/** The four keys of OAuth 1.0a, as the developer console shows them. */
export type TwitterKeys = {
  readonly appKey: string;
  readonly appSecret: string;
  /** Begins with the account's id. */
  readonly accessToken: string;
  readonly accessSecret: string;
};

/** One account. */
export type TwitterOptions = {
  /** Four keys, or a sign-in by OAuth 2.0 with PKCE. */
  readonly credentials: TwitterKeys | SignIn;
  readonly agentId: string;
  readonly agentName: string;
  /** What the character talks about: what it posts about, and searches for. */
  readonly topics?: readonly string[];
  /** The character's settings for this platform. */
  readonly settings: PlatformSettings;
  /** The account's id on X; read from the access token, or asked for, unless it is said. */
  readonly account?: string;
  /** Another server in X's place, in plain HTTP: `http://127.0.0.1:8082`. */
  readonly apiRoot?: string;
  /** Reads but never writes. */
  readonly dryRun?: boolean;
  /** How long an answer is waited for; 30 seconds when absent. */
  readonly requestTimeoutMs?: number;
};

/**
 * The account's id, which every access token begins with.
 * @throws ConfigError when it is no access token; the token is not in the message.
 */
export function accountOf({ accessToken }: Pick<TwitterKeys, "accessToken">): string {
  const [, id] = /^(\d{1,19})-[\w-]+$/.exec(accessToken.trim()) ?? [];
  if (id !== undefined) return id;
  throw new ConfigError(
    "invalid",
    "TWITTER_ACCESS_TOKEN is no access token: it looks like 1234567890-AbC…; make one under Keys and tokens in X's developer console.",
  );
}
