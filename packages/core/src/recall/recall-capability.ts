import type { Capability, CapabilityParts } from "../capability/capability.ts";
import type { MemoryType } from "../memory/memory.ts";
import { createEmbedder } from "./embedder.ts";
import { createEmbeddingHealth, type EmbeddingHealth } from "./query-vector.ts";
import { createRecallProvider } from "./recall-provider.ts";
import { recallSettings } from "./recall-settings.ts";
import type { SpokenWords } from "./spoken-words.ts";

/** What is given a vector where there is an embedding model. */
export const embeddedTypes: readonly MemoryType[] = ["message", "fact", "fragment", "summary", "episode"];

/** Remembering beyond the conversation's window: vectors in the background, and what matters to a message found again. */
export function createRecallCapability(
  parts: CapabilityParts,
  given: { readonly health?: EmbeddingHealth; readonly spoken?: SpokenWords } = {},
): Capability {
  const { agentId, character, clock, events, log, models, store } = parts;
  const health = given.health ?? createEmbeddingHealth(clock);
  const model = () => models().TEXT_EMBEDDING ?? null;
  const embedder = createEmbedder({
    agentId,
    embeddings: store.embeddings,
    model,
    types: embeddedTypes,
    health,
    clock,
    log,
  });
  const settings = recallSettings(character);
  const spoken = given.spoken && { spoken: given.spoken };
  let stopListening: (() => void) | null = null;
  return {
    name: "recall",
    providers: [createRecallProvider({ agentId, store, model, health, clock, log, settings, ...spoken })],
    start() {
      stopListening = events.on(() => embedder.wake());
      embedder.start();
    },
    async stop() {
      stopListening?.();
      await embedder.stop();
    },
  };
}
