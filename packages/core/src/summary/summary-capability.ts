import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { historyBudget } from "../prompt/history.ts";
import { createSummaryChanges } from "./changed-messages.ts";
import { createSummariesEvaluator } from "./summarise-room.ts";
import { summaryProviders } from "./summary-providers.ts";

/**
 * Long conversations: their older part is summed up beside them, stands before what is shown, and can be had word for word. With
 * `settings.summaries` false nothing of it: the window simply moves.
 */
export function createSummaryCapability(parts: CapabilityParts): Capability {
  const { agentId, character, clock, events, log, models, store } = parts;
  if (character.settings.summaries === false) return { name: "summaries" };
  const budget = historyBudget(character.settings);
  const summarising = { agentId, character, clock, events, log, models, store, budget };
  const changes = createSummaryChanges(summarising);
  return {
    name: "summaries",
    providers: summaryProviders({ agentId, character, store }),
    evaluators: [createSummariesEvaluator(summarising)],
    jobs: changes.jobs,
    onChange: changes.writesFor,
  };
}
