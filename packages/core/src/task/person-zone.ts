import type { Character } from "../character/character.ts";
import { platformSettings } from "../character/character.ts";
import type { KeyValues } from "../store/store.ts";

/** By whose clocks somebody lives, and whether they said so themselves. */
export type PersonZone = { readonly timeZone: string; readonly isTheirs: boolean };

/** What is remembered of people's clocks. */
export interface PersonZones {
  /** What they said; else the character's own zone on that platform, else UTC. */
  of(entityId: string, platform: string): Promise<PersonZone>;
  remember(entityId: string, timeZone: string): Promise<void>;
}

const namespace = "time-zone";

/** People's time zones, kept by entity. */
export function createPersonZones(parts: {
  readonly agentId: string;
  readonly character: Character;
  readonly keyValues: Pick<KeyValues, "get" | "set">;
}): PersonZones {
  const { agentId, character, keyValues } = parts;
  return {
    async of(entityId, platform) {
      const kept = await keyValues.get(agentId, namespace, entityId);
      if (kept) return { timeZone: kept.value, isTheirs: true };
      return { timeZone: platformSettings(character, platform).timeZone ?? "UTC", isTheirs: false };
    },
    async remember(entityId, timeZone) {
      await keyValues.set(agentId, namespace, entityId, { value: timeZone });
    },
  };
}
