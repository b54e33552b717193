import type { Character, Client, Clock, CreateCapability, Log, Store } from "@troupe/core";
import type { SharedKnowledge } from "@troupe/core/knowledge";
import type { EmbeddingHealth, SpokenWords } from "@troupe/core/recall";
import { createAttachmentAccess } from "./attachment-access.ts";
import { createKnowledgeAccess } from "./knowledge-access.ts";
import { resolveSources } from "./resolve-sources.ts";

/** What knowing documents is made of; one for the agents of a home. */
export type KnowingParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
  /** Pages at private and local addresses may be known, too; files that come with messages never are fetched from there. */
  readonly allowPrivate?: boolean;
};

/** An agent that is to know documents. */
export type Knower = {
  readonly agentId: string;
  readonly character: Character;
  /** Of the character's file. */
  readonly path: string;
  readonly clients: readonly Client[];
  readonly health: () => Promise<EmbeddingHealth>;
  readonly spoken: () => Promise<SpokenWords>;
};

/** The documents of the agents of one process. */
export type Knowing = {
  /** Knowing documents, and looking at what comes with messages. */
  capabilities(knower: Knower): readonly CreateCapability[];
  /** Looks again for what changed: for one agent, or for all. False when that agent does not run here. */
  check(agentId: string | null): Promise<boolean>;
};

/** Makes it; everything large is loaded when the first agent starts. */
export function createKnowing({ store, clock, log, owner, allowPrivate = false }: KnowingParts): Knowing {
  const access = createKnowledgeAccess({ allowPrivate });
  const checks = new Map<string, () => Promise<void>>();
  let shared: SharedKnowledge | null = null;
  return {
    capabilities: ({ agentId, character, path, clients, health, spoken }) => [
      async (parts) => {
        const { createKnowledgeCapability, createSharedKnowledge } = await import("@troupe/core/knowledge");
        shared ??= createSharedKnowledge({ store, access, clock, log, owner });
        return createKnowledgeCapability(parts, {
          ...{ access, shared, health: await health(), spoken: await spoken() },
          sources: resolveSources(character.knowledge, path),
          onStart: (check) => void checks.set(agentId, check),
        });
      },
      async (parts) => {
        const { createAttachmentsCapability } = await import("@troupe/core/attachment");
        return createAttachmentsCapability(parts, {
          ...{ access: createAttachmentAccess(), clients, spoken: await spoken() },
        });
      },
    ],
    async check(agentId) {
      const wanted = agentId === null ? [...checks.values()] : [checks.get(agentId)].flatMap((check) => check ?? []);
      for (const check of wanted) await check();
      return wanted.length > 0;
    },
  };
}
