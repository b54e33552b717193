import type { Character, Client, ClientParts, PlatformSettings } from "@troupe/core";
import type { Config } from "../config.ts";

/** What a platform's client is made from. */
export type ClientMaking = {
  readonly agentId: string;
  readonly character: Character;
  /** The character's settings for this platform. */
  readonly settings: PlatformSettings;
  readonly config: Config;
  readonly parts: ClientParts;
  /** The credentials by the name of their variable; all of `Platform.credentials` are there, or all of the others. */
  readonly credentials: Readonly<Record<string, string>>;
};

/** What looking at a platform needs. */
type ClientExamining = Omit<ClientMaking, "parts"> & {
  readonly parts: Pick<ClientParts, "clock" | "log">;
  /** An agent of this home is at work, and connected there. */
  readonly isRunning: boolean;
  readonly signal: AbortSignal;
};

/** One thing that was looked at on a platform; no secret is in it. */
export type PlatformFinding = { readonly ok: boolean; readonly message: string; readonly remedy?: string };

/** A platform a character can live on besides the terminal. */
export type Platform = {
  /** As clients and character files call it. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** The variables without which nobody is there; the first tells one account from another. */
  readonly credentials: readonly [string, ...string[]];
  /** Others that will do where those are not there: another way of signing in. */
  readonly otherCredentials?: readonly [string, ...string[]];
  /** Loads what the platform needs, and makes the client. @throws ConfigError naming the setting and the remedy. */
  create(making: ClientMaking): Promise<Client>;
  /** Looks at the account without changing anything: the token, rights, who else is connected. */
  examine?(examining: ClientExamining): Promise<readonly PlatformFinding[]>;
};
