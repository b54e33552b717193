import type { Clock } from "../clock.ts";
import { createJobRunner, type JobRunner } from "../job/job-runner.ts";
import type { Log } from "../log.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";
import { createEmbedder, type Embedder } from "../recall/embedder.ts";
import { createEmbeddingHealth } from "../recall/query-vector.ts";
import type { Store } from "../store/store.ts";
import { type AddedSource, addedSources, namedSources, nameSources } from "./added-sources.ts";
import type { KnowledgeAccess } from "./knowledge-access.ts";
import { sharedOwnerId } from "./knowledge-record.ts";
import { createLibrary, knowledgeKind, type Library } from "./library.ts";
import { sourceKey } from "./source-key.ts";

/** What shared knowledge is made of; one for a home. */
export type SharedParts = {
  readonly store: Store;
  readonly access: KnowledgeAccess;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process among those that may hold a job. */
  readonly owner: string;
};

/** An agent that takes part in it: what its character names as known to all, and its embedding model. */
type Member = {
  readonly agentId: string;
  readonly sources: readonly AddedSource[];
  readonly model: () => EmbeddingModel | null;
};

/** What all agents of a home know. It belongs to none of them: it is read and embedded once, with jobs of its own. */
export type SharedKnowledge = {
  readonly library: Pick<Library, "check" | "mayKnow">;
  /** Takes part; the first one sets it to work. */
  join(member: Member): Promise<void>;
  /** The last one to leave ends it. */
  leave(agentId: string, graceMs: number): Promise<void>;
};

type Work = { readonly jobs: JobRunner; readonly embedder: Embedder };

/** Makes the shared knowledge of a home; nothing is read before somebody joins. */
export function createSharedKnowledge(parts: SharedParts): SharedKnowledge {
  const { store, access, clock, owner } = parts;
  const log = parts.log.child({ agentId: sharedOwnerId, character: "shared knowledge" });
  const members = new Map<string, Member>();
  let work: Work | null = null;
  let chosen: EmbeddingModel | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const alone = (task: () => Promise<void>): Promise<void> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
  const library = createLibrary({
    ownerId: sharedOwnerId,
    ...{ store, access, clock, log },
    sources: () => sharedSources(store),
    wakeJobs: () => work?.jobs.wake(),
    onRead: () => work?.embedder.wake(),
  });
  const begin = async (): Promise<void> => {
    const handlers = new Map([[knowledgeKind, library.job]]);
    const jobs = createJobRunner({
      ...{ agentId: sharedOwnerId, owner, jobs: store.jobs, clock, log },
      ...{ concurrency: 1, handlers },
    });
    const embedder = createEmbedder({
      ...{ agentId: sharedOwnerId, embeddings: store.embeddings, clock, log },
      ...{ model: () => chosen, types: ["fragment"], health: createEmbeddingHealth(clock) },
    });
    work = { jobs, embedder };
    await jobs.start();
    embedder.start();
  };

  return {
    library,
    join: (member) =>
      alone(async () => {
        await nameSources(store.keyValues, { ownerId: sharedOwnerId, agentId: member.agentId }, member.sources);
        members.set(member.agentId, member);
        chosen = await chooseModel([...members.values()], store);
        if (work) work.embedder.wake();
        else await begin();
      }),
    leave: (agentId, graceMs) =>
      alone(async () => {
        if (!members.delete(agentId) || members.size > 0 || !work) return;
        const { jobs, embedder } = work;
        work = null;
        await Promise.all([jobs.stop(graceMs), embedder.stop()]);
      }),
  };
}

/** What is shared now: added by hand, or named by characters. */
export async function sharedSources({ keyValues }: Pick<Store, "keyValues">): Promise<readonly AddedSource[]> {
  const [added, named] = await Promise.all([
    addedSources(keyValues, sharedOwnerId),
    namedSources(keyValues, sharedOwnerId),
  ]);
  const all = [...added, ...named.map(({ source }) => source)];
  return [...new Map(all.map((source) => [sourceKey(source), source])).values()];
}

/** Of the members' models the one that has embedded the most of it already, so that members of different models do not take turns. */
async function chooseModel(members: readonly Member[], { embeddings }: Store): Promise<EmbeddingModel | null> {
  const models = members.flatMap(({ model }) => model() ?? []);
  const counts = new Map((await embeddings.counts(sharedOwnerId)).map(({ model, count }) => [model, count]));
  const [most] = models.toSorted((left, right) => (counts.get(right.id) ?? 0) - (counts.get(left.id) ?? 0));
  return most ?? null;
}
