import type { Approvals, Character, Client, Log, Store } from "@troupe/core";
import { platformSettings } from "@troupe/core/character";
import { systemClock } from "@troupe/core/clock";

/** Whose clients are guarded. */
export type Guarded = {
  readonly agentId: string;
  readonly character: Character;
  readonly clients: readonly Client[];
  readonly store: Store;
  readonly log: Log;
};

/**
 * A character's clients, with a guard where people must agree to what goes out (`approval` of a platform), and what has them
 * asked; nothing is loaded where nobody must. @throws ConfigError when a character's file does not say clearly what is meant.
 */
export async function guardClients({ agentId, character, clients, store, log }: Guarded): Promise<{
  readonly clients: readonly Client[];
  readonly approvals: Approvals | null;
}> {
  const isWanted = clients.some(({ platform }) => platformSettings(character, platform)["approval"] !== undefined);
  if (!isWanted) return { clients, approvals: null };
  const { createApprovals } = await import("@troupe/core");
  const own = log.child({ agentId, character: character.name });
  const approvals = createApprovals({ agentId, character, store, clock: systemClock, random: Math.random, log: own });
  return { clients: clients.map((client) => approvals.guard(client)), approvals };
}
