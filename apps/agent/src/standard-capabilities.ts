import type { Approvals, CreateCapability } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import type { EmbeddingHealth, SpokenWords } from "@troupe/core/recall";
import type { Knower, Knowing } from "./knowledge/knowing.ts";

/** Whose capabilities, and what agents share. */
export type CapableAgent = Omit<Knower, "health" | "spoken"> & {
  readonly knowing: Knowing;
  /** Who has people asked before something goes out, where that is wanted. */
  readonly approvals?: Approvals | null;
};

/** What every character can do beside talking, in the order of its beginning; each is loaded when an agent starts. */
export function standardCapabilities({ knowing, approvals, ...agent }: CapableAgent): readonly CreateCapability[] {
  let known: EmbeddingHealth | undefined;
  const health = async (): Promise<EmbeddingHealth> => {
    const { createEmbeddingHealth } = await import("@troupe/core/recall");
    known ??= createEmbeddingHealth(systemClock);
    return known;
  };
  let words: SpokenWords | undefined;
  const spoken = async (): Promise<SpokenWords> => {
    const { createSpokenWords } = await import("@troupe/core/recall");
    words ??= createSpokenWords();
    return words;
  };
  return [
    async (parts) => {
      const { createRecallCapability } = await import("@troupe/core/recall");
      return createRecallCapability(parts, { health: await health(), spoken: await spoken() });
    },
    async (parts) => (await import("@troupe/core/fact")).createFactCapability(parts, { health: await health() }),
    async (parts) => (await import("@troupe/core/summary")).createSummaryCapability(parts),
    async (parts) => (await import("@troupe/core/episode")).createEpisodeCapability(parts, { health: await health() }),
    async (parts) => {
      const tasks = (await import("@troupe/core/task")).createTaskCapability(parts);
      if (tasks.planning) approvals?.begin(tasks.planning);
      return approvals ? { ...tasks, stop: () => approvals.end() } : tasks;
    },
    ...knowing.capabilities({ ...agent, health, spoken }),
  ];
}
