import type { Capability, CapabilityParts } from "../capability/capability.ts";
import type { KnowledgeSource } from "../character/character.ts";
import { errorMessage, isAbort } from "../errors.ts";
import { createEmbeddingHealth, type EmbeddingHealth } from "../recall/query-vector.ts";
import type { SpokenWords } from "../recall/spoken-words.ts";
import { type AddedSource, addedSources } from "./added-sources.ts";
import type { KnowledgeAccess } from "./knowledge-access.ts";
import { createKnowledgeProvider, type KnowledgeSettings } from "./knowledge-provider.ts";
import { createLibrary, knowledgeKind, type Library } from "./library.ts";
import type { SharedKnowledge } from "./shared-knowledge.ts";
import { isShared, sourceKey } from "./source-key.ts";

/** What knowing things needs beside an agent's parts. */
export type KnowledgeParts = {
  readonly access: KnowledgeAccess;
  /** The character's sources, as the access understands them: with absolute paths. */
  readonly sources: readonly KnowledgeSource[];
  /** What all agents of the home know; one object for all of them. */
  readonly shared: SharedKnowledge;
  /** How the embedding model is doing, as recall keeps it; without it nobody waits for the model before it answered here. */
  readonly health?: EmbeddingHealth;
  /** What recordings that come with messages say, where somebody listens to them. */
  readonly spoken?: SpokenWords;
  /** Told once how to look again for what changed. */
  readonly onStart?: (check: () => Promise<void>) => void;
};

/** Sources are looked at again while the agent runs: edited files are read within the hour. */
const checkMs = 60 * 60 * 1_000;
const queryTimeoutMs = 1_500;

/** What the character knows out of documents: read in the background, found again when it matters. */
export function createKnowledgeCapability(parts: CapabilityParts, given: KnowledgeParts): Capability {
  const { agentId, character, clock, events, log, models, store, wakeJobs } = parts;
  const { access, sources, shared, onStart } = given;
  const own = sources.filter((source) => !isShared(source));
  const model = () => models().TEXT_EMBEDDING ?? null;
  const library = createLibrary({
    ...{ ownerId: agentId, store, access, clock, log, wakeJobs },
    sources: async () => unique([...own, ...(await addedSources(store.keyValues, agentId))]),
    onRead: () => events.emit({ type: "KNOWLEDGE_READ" }),
  });
  const stopping = new AbortController();
  let checking: Promise<void> = Promise.resolve();
  const check = (): Promise<void> => checkBoth([library, shared.library], stopping.signal);
  const keepChecking = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await check();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!isAbort(error))
          log.error(
            { error: errorMessage(error) },
            "whether documents changed could not be looked at; trying again later",
          );
      }
      await clock.sleep(checkMs, stopping.signal).catch(() => undefined);
    }
  };
  return {
    name: "knowledge",
    jobs: { [knowledgeKind]: library.job },
    providers: [
      createKnowledgeProvider({
        ...{ agentId, store, clock, log, model, timeoutMs: queryTimeoutMs },
        health: given.health ?? createEmbeddingHealth(clock),
        ...(given.spoken && { spoken: given.spoken }),
        settings: knowledgeSettings(character.settings.knowledge),
        mayKnow: () => library.mayKnow() || shared.library.mayKnow(),
      }),
    ],
    async start() {
      await shared.join({ agentId, sources: sources.filter(isSharedSource), model });
      onStart?.(check);
      checking = keepChecking();
    },
    async stop(graceMs) {
      stopping.abort();
      await checking;
      await shared.leave(agentId, graceMs);
    },
  };
}

async function checkBoth(libraries: readonly Pick<Library, "check">[], signal: AbortSignal): Promise<void> {
  for (const library of libraries) await library.check(signal);
}

function isSharedSource(source: KnowledgeSource): source is AddedSource {
  return isShared(source);
}

function unique(sources: readonly KnowledgeSource[]): readonly KnowledgeSource[] {
  return [...new Map(sources.map((source) => [sourceKey(source), source])).values()];
}

/** From `settings.knowledge`: five fragments within 1,500 tokens unless the character says otherwise. */
function knowledgeSettings(choice: Partial<KnowledgeSettings> | undefined): KnowledgeSettings {
  return { limit: choice?.limit ?? 5, tokens: choice?.tokens ?? 1_500 };
}
