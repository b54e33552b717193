import type { Store } from "@troupe/core";
import {
  type AddedSource,
  addedSources,
  type KnowledgeRecord,
  readRecords,
  sharedOwnerId,
  sourceKey,
  sourceName,
} from "@troupe/core/knowledge";
import type { Player } from "./players.ts";

/** Who knows something: a character, or all of them (null). */
export type KnowledgeOwner = { readonly ownerId: string; readonly player: Player | null };

/** A document or a directory, and whose it is. One that was added and not looked at yet has no record. */
export type KnownDocument = KnowledgeOwner & {
  readonly key: string;
  readonly source: string;
  readonly isAdded: boolean;
  readonly record: KnowledgeRecord | null;
};

/** The characters and, last, the owner of what all of them know. */
export function ownersOf(players: readonly Player[]): readonly KnowledgeOwner[] {
  return [...players.map((player) => ({ ownerId: player.agentId, player })), { ownerId: sharedOwnerId, player: null }];
}

/** Everything an owner knows: sources in the order of their addresses, the files of a directory behind it. */
export async function readKnown(store: Store, owner: KnowledgeOwner): Promise<readonly KnownDocument[]> {
  const [records, added] = await Promise.all([
    readRecords(owner.ownerId, store),
    addedSources(store.keyValues, owner.ownerId),
  ]);
  const addedKeys = new Map(added.map((source): [string, AddedSource] => [sourceKey(source), source]));
  const known = [...records.values()].map(
    (record): KnownDocument => ({
      ...owner,
      ...{ key: record.key, source: record.source, record },
      isAdded: addedKeys.has(record.sourceKey),
    }),
  );
  const unread = [...addedKeys].filter(([key]) => !records.has(key));
  const waiting = unread.map(
    ([key, source]): KnownDocument => ({ ...owner, key, source: sourceName(source), isAdded: true, record: null }),
  );
  return [...known, ...waiting].toSorted((left, right) => (left.key < right.key ? -1 : 1));
}
