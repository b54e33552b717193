import type { Character } from "../character/character.ts";

/** How a character keeps episodes. */
export type EpisodeSettings = {
  /** In which runs: those that think in steps, all of them, or none. */
  readonly keep: "steps" | "always" | "never";
  /** Shown of them at most; 0: none. */
  readonly limit: number;
  /** Kept of one room or context at most; the oldest go first. */
  readonly most: number;
  /** Older ones go; absent: age does not matter. */
  readonly maxAgeMs?: number;
  /** The small model writes them, where it can; else they are the digest of what happened. */
  readonly isSummed: boolean;
};

const dayMs = 86_400_000;

/** From `settings.episodes`, with the defaults filled in. */
export function episodeSettings({ settings }: Pick<Character, "settings">): EpisodeSettings {
  const { keep = "steps", limit = 3, most = 500, maxAgeDays, summarise = false } = settings.episodes ?? {};
  return { keep, limit, most, isSummed: summarise, ...(maxAgeDays !== undefined && { maxAgeMs: maxAgeDays * dayMs }) };
}
