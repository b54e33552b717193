import { type Character, silentLog } from "@troupe/core";
import { platformSettings } from "@troupe/core/character";
import { systemClock } from "@troupe/core/clock";
import { errorMessage } from "@troupe/core/errors";
import { deriveAgentId } from "@troupe/core/memory";
import { byEagerness, missingText } from "../clients/connect-platforms.ts";
import { findAccount } from "../clients/find-credentials.ts";
import type { Platform, PlatformFinding } from "../clients/platform.ts";
import type { Config } from "../config.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** How platforms are looked at. */
export type PlatformLook = {
  readonly platforms: readonly Platform[];
  readonly config: Config;
  /** No platform is asked. */
  readonly isOffline: boolean;
  /** An agent of this home is at work. */
  readonly isRunning: boolean;
  /** For each account. */
  readonly timeoutMs: number;
};

/**
 * Looks at the accounts of characters on platforms: that the credentials are there and accepted, and whatever else the platform
 * says of them. Changes nothing; no secret is in what it finds.
 */
export async function checkPlatforms(
  characters: readonly Character[],
  look: PlatformLook,
): Promise<readonly Finding[]> {
  const checks = look.platforms.flatMap((platform) => {
    const taken = new Map<string, string>();
    const roles = byEagerness(
      characters.map((character) => ({ character })),
      platform,
      look,
    );
    return roles.map(({ character }) => checkAccount(character, platform, { ...look, taken }));
  });
  return (await Promise.all(checks)).flat();
}

type AccountLook = PlatformLook & {
  /** The names of those who speak for an account. */
  readonly taken: Map<string, string>;
};

async function checkAccount(
  character: Character,
  platform: Platform,
  { config, isOffline, isRunning, timeoutMs, taken }: AccountLook,
): Promise<readonly Finding[]> {
  const { name, title, credentials } = platform;
  const subject = `${title} of ${character.name}`;
  const settings = platformSettings(character, name);
  if (settings.enabled === false) return [];
  const found = findAccount(platform, { character, config });
  if (!found.ok) {
    if (settings.enabled !== true && !found.hasSome) return [];
    return [broken(subject, missingText(character.name, title, found.missing))];
  }
  const { values, account } = found;
  const holder = taken.get(account);
  if (holder !== undefined) {
    if (settings.enabled !== true) return [];
    return [doubtful(subject, `${holder} speaks for that account already`, `give it its own ${credentials[0]}`)];
  }
  taken.set(account, character.name);
  if (isOffline || !platform.examine) return [fine(subject, `${Object.keys(values).join(", ")}: there (not asked)`)];
  const examining = {
    agentId: deriveAgentId(character),
    character,
    settings,
    config,
    credentials: values,
    isRunning,
    parts: { clock: systemClock, log: silentLog },
  };
  const findings = await examineInTime(platform, examining, timeoutMs);
  return findings.map((finding) => toFinding(subject, withoutSecrets(finding, Object.values(values))));
}

const shortestSecret = 6;

type Examining = Omit<Parameters<NonNullable<Platform["examine"]>>[0], "signal">;

async function examineInTime(
  platform: Platform,
  examining: Examining,
  timeoutMs: number,
): Promise<readonly PlatformFinding[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<never>((_, reject) => {
    const seconds = Math.round(timeoutMs / 1_000);
    const text = `${platform.title} did not answer within ${seconds} s; look at the network, or try again later`;
    signal.addEventListener("abort", () => reject(new Error(text)), { once: true });
  });
  try {
    return await Promise.race([platform.examine?.({ ...examining, signal }) ?? [], late]);
  } catch (error) {
    return [{ ok: false, message: errorMessage(error) }];
  }
}

function toFinding(subject: string, { ok, message, remedy }: PlatformFinding): Finding {
  if (!ok) return broken(subject, message, remedy);
  return fine(subject, remedy === undefined ? message : `${message} (${remedy.replace(/\.$/, "")})`);
}

function withoutSecrets({ ok, message, remedy }: PlatformFinding, secrets: readonly string[]): PlatformFinding {
  // Too short a value would be found in innocent words.
  const long = secrets.filter(({ length }) => length >= shortestSecret);
  const clean = (text: string): string => long.reduce((told, secret) => told.replaceAll(secret, "…"), text);
  return { ok, message: clean(message), ...(remedy !== undefined && { remedy: clean(remedy) }) };
}
