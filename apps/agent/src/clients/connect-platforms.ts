import type { Client, Command, Log, Store } from "@troupe/core";
import { platformSettings } from "@troupe/core/character";
import { createClientState } from "@troupe/core/client";
import { systemClock } from "@troupe/core/clock";
import { errorMessage } from "@troupe/core/errors";
import type { Role } from "../compose.ts";
import type { Config } from "../config.ts";
import { findAccount } from "./find-credentials.ts";
import type { Platform } from "./platform.ts";

/** What connecting needs. */
export type ConnectParts = {
  readonly platforms: readonly Platform[];
  readonly config: Config;
  readonly log: Log;
  readonly store: Pick<Store, "keyValues">;
  /** What people may ask this agent for by name. */
  readonly commandsOf: (agentId: string) => readonly Command[];
  /** Resolves when an agent knows all its commands. */
  readonly whenReady: (agentId: string) => Promise<void>;
  /** Tells a person why a character is not on a platform. */
  readonly tell: (message: string) => void;
};

/**
 * The clients of each character, by agent id: a platform is connected where its credentials are and the character does not say
 * no. What is wrong with one is told, and the others go on. Each account speaks for one character only.
 */
export async function connectPlatforms(
  roles: readonly Role[],
  parts: ConnectParts,
): Promise<ReadonlyMap<string, readonly Client[]>> {
  const clients = new Map<string, Client[]>(roles.map(({ agentId }) => [agentId, []]));
  for (const platform of parts.platforms) {
    const taken = new Map<string, string>();
    for (const role of byEagerness(roles, platform, parts)) {
      const client = await connectOne(role, platform, { ...parts, taken });
      if (client) clients.get(role.agentId)?.push(client);
    }
  }
  return clients;
}

/** Who brings credentials of its own, or says outright that it wants to be there, comes before the others. */
export function byEagerness<Who extends Pick<Role, "character">>(
  roles: readonly Who[],
  platform: Platform,
  { config }: Pick<ConnectParts, "config">,
): readonly Who[] {
  const eagerness = ({ character }: Who): number => {
    const found = findAccount(platform, { character, config });
    const isOwn = found.ok && found.own;
    return (isOwn ? 2 : 0) + (platformSettings(character, platform.name).enabled === true ? 1 : 0);
  };
  return roles.toSorted((left, right) => eagerness(right) - eagerness(left));
}

type Connecting = ConnectParts & { readonly taken: Map<string, string> };

async function connectOne(
  { agentId, character }: Role,
  platform: Platform,
  { config, log, store, commandsOf, whenReady, tell, taken }: Connecting,
): Promise<Client | null> {
  const { name, title, credentials } = platform;
  const settings = platformSettings(character, name);
  if (settings.enabled === false) return null;
  const found = findAccount(platform, { character, config });
  if (!found.ok) {
    if (settings.enabled === true || found.hasSome) tell(missingText(character.name, title, found.missing));
    return null;
  }
  const { account } = found;
  const holder = taken.get(account);
  if (holder !== undefined) {
    if (settings.enabled !== true) return null;
    tell(
      `${character.name} is not on ${title}: ${holder} speaks for that account already; give ${character.name} its own ${credentials[0]} under secrets`,
    );
    return null;
  }
  const state = createClientState({ agentId, platform: name, account: "default", keyValues: store.keyValues });
  const own = { log: log.child({ agentId, character: character.name, platform: name }), clock: systemClock };
  const asked = { commands: () => commandsOf(agentId), whenReady: () => whenReady(agentId) };
  const clientParts = { ...own, random: Math.random, state, ...asked };
  try {
    const client = await platform.create({
      agentId,
      character,
      settings,
      config,
      parts: clientParts,
      credentials: found.values,
    });
    taken.set(account, character.name);
    return client;
  } catch (error) {
    tell(`${character.name} is not on ${title}: ${errorMessage(error)}`);
    return null;
  }
}

/** Why a character is not on a platform, and what to do about it. */
export function missingText(name: string, title: string, missing: readonly string[]): string {
  return `${name} is not on ${title}: ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set; put ${missing.length === 1 ? "it" : "them"} into .env, or say "enabled": false under platforms in the character's file`;
}
