import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { createEmbeddingHealth, type EmbeddingHealth } from "../recall/query-vector.ts";
import { recallSettings } from "../recall/recall-settings.ts";
import { episodeSettings } from "./episode-settings.ts";
import { createEpisodesProvider } from "./episodes-provider.ts";
import { createEpisodesEvaluator } from "./record-episode.ts";

/**
 * Keeping what happened in each run, and bringing up what is like the question. `health` is told by the part that embeds; without it
 * episodes are found by words alone. With `settings.episodes.keep` "never" nothing is kept or shown.
 */
export function createEpisodeCapability(
  parts: CapabilityParts,
  given: { readonly health?: EmbeddingHealth } = {},
): Capability {
  const { agentId, character, clock, events, log, models, store } = parts;
  const settings = episodeSettings(character);
  if (settings.keep === "never") return { name: "episodes" };
  const model = () => models().TEXT_EMBEDDING ?? null;
  const health = given.health ?? createEmbeddingHealth(clock);
  const { timeoutMs } = recallSettings(character);
  const agentName = character.name;
  return {
    name: "episodes",
    providers: [createEpisodesProvider({ agentId, store, model, health, clock, log, timeoutMs, settings })],
    evaluators: [createEpisodesEvaluator({ agentId, agentName, store, models, events, clock, log, settings })],
  };
}
