import type { EmbeddingModel } from "../model/embedding-model.ts";
import { defaultWeights, type Recalled } from "../recall/fuse.ts";
import { type RecallParts, recall } from "../recall/recall.ts";
import { type FragmentRecord, knowledgeRoomId, sharedOwnerId, toFragment } from "./knowledge-record.ts";

/** A fragment that matters to a question, and why. */
export type FoundFragment = Recalled & {
  readonly fragment: FragmentRecord;
  /** What the document says there, without what was put in front of it. */
  readonly text: string;
  readonly isShared: boolean;
};

/** What was found, best first. `withoutVectors` says why the meaning did not count, when it did not. */
export type FoundKnowledge = { readonly found: readonly FoundFragment[]; readonly withoutVectors?: string };

/** Documents are not worth less for being older. */
const weights = { ...defaultWeights, recency: 0, salience: 0 };
/** Something comes up for every question; what is far behind the best, by its words and by its meaning, does not matter. */
const leastShareOfWords = 0.4;
const leastShareOfMeaning = 0.75;

/** Looks in what an agent knows and in what all agents know. @throws the signal's reason, StoreError. */
export async function findKnowledge(
  { text, limit }: { readonly text: string; readonly limit: number },
  parts: RecallParts,
  signal: AbortSignal,
): Promise<FoundKnowledge> {
  const model = parts.model && askOnce(parts.model);
  const looked = await Promise.all(
    [parts.agentId, sharedOwnerId].map((ownerId) => {
      const scope = { roomIds: [knowledgeRoomId(ownerId)] };
      const query = { text, limit: limit * 2, scope, types: ["fragment"] as const, weights };
      return recall(query, { ...parts, agentId: ownerId, model }, signal);
    }),
  );
  const found = looked
    .flatMap((one) => one.found)
    .flatMap((recalled) => toFound(recalled) ?? [])
    .toSorted((left, right) => right.score - left.score);
  const bestText = Math.max(0, ...found.map(({ why }) => why.text?.score ?? 0));
  const bestMeaning = Math.max(0, ...found.map(({ why }) => why.vector?.similarity ?? 0));
  const matters = found.filter(
    ({ why: { text, vector } }) =>
      (text && text.score >= bestText * leastShareOfWords) ||
      (vector && vector.similarity >= bestMeaning * leastShareOfMeaning),
  );
  const withoutVectors = looked.find((one) => one.withoutVectors !== undefined)?.withoutVectors;
  // The same words in two documents, or in one that is known twice, are shown once.
  const seen = new Set<string>();
  const unique = matters.filter(({ fragment: { hash } }) => !seen.has(hash) && seen.add(hash));
  return { found: unique.slice(0, limit), ...(withoutVectors !== undefined && { withoutVectors }) };
}

function toFound(recalled: Recalled): FoundFragment | null {
  const { memory } = recalled;
  const fragment = toFragment(memory);
  if (!fragment) return null;
  const isShared = memory.agentId === sharedOwnerId;
  return { ...recalled, fragment, text: memory.content.text.slice(fragment.lead), isShared };
}

/** Both places are asked the same question: its vector is paid for once. */
function askOnce(model: EmbeddingModel): EmbeddingModel {
  const asked = new Map<string, ReturnType<EmbeddingModel["embed"]>>();
  return {
    id: model.id,
    maxBatch: model.maxBatch,
    embed(texts, signal) {
      const key = JSON.stringify(texts);
      const answer = asked.get(key) ?? model.embed(texts, signal);
      asked.set(key, answer);
      return answer;
    },
  };
}
