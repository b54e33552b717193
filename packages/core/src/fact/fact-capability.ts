import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { createEmbeddingHealth, type EmbeddingHealth } from "../recall/query-vector.ts";
import { recallSettings } from "../recall/recall-settings.ts";
import { createFactChanges } from "./changed-messages.ts";
import { createFactsEvaluator } from "./extract-facts.ts";
import { createFactsProvider } from "./facts-provider.ts";
import { createForgetHandler, createForgetMe, forgetKind } from "./forget-me.ts";
import { linkActions, newLinkCode } from "./link-account.ts";
import { movedWrites } from "./moved-room.ts";
import { createRelationshipsProvider } from "./relationships-provider.ts";
import { createWhatDoYouKnow } from "./what-do-you-know.ts";

/**
 * Knowing people: noting what they say, telling it where it matters, and letting each of them see it, link their accounts and
 * have it forgotten. `health` is told by the part that embeds; without it facts are found by words alone. With `settings.facts` false nothing is noted or told; seeing and forgetting stay.
 */
export function createFactCapability(
  parts: CapabilityParts,
  given: { readonly health?: EmbeddingHealth } = {},
): Capability {
  const { agentId, character, clock, events, log, models, store, wakeJobs } = parts;
  const settings = recallSettings(character);
  const model = () => models().TEXT_EMBEDDING ?? null;
  const health = given.health ?? createEmbeddingHealth(clock);
  const forgetting = { agentId, store, events, clock, log, wakeJobs };
  const isOn = character.settings.facts !== false;
  const extract = { agentId, character, store, models, events, clock, log };
  const changes = createFactChanges({ agentId, store, clock, log, extract: isOn ? extract : null });
  return {
    name: "facts",
    actions: [
      createWhatDoYouKnow({ agentId, store, settings, clock }),
      createForgetMe(forgetting),
      ...linkActions({ agentId, store, clock, newCode: newLinkCode }),
    ],
    providers: isOn
      ? [
          createRelationshipsProvider({ agentId, store, scope: settings.scope }),
          createFactsProvider({ agentId, store, model, health, clock, log, settings }),
        ]
      : [],
    evaluators: isOn ? [createFactsEvaluator(extract)] : [],
    jobs: { [forgetKind]: createForgetHandler(forgetting), ...changes.jobs },
    onChange: (change) =>
      change.kind === "moved" ? movedWrites(change, { agentId, store }) : changes.writesFor(change),
  };
}
