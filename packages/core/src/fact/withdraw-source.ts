import type { Fact } from "./fact.ts";

/** What is left of some facts when one message is no longer a source: those that say something else now, and those that go. */
export type Withdrawn = { readonly changed: readonly Fact[]; readonly goneIds: readonly string[] };

/**
 * Takes a message away from under the facts it told. What was said elsewhere too stays, by its other sources; what only it said
 * goes, and the versions around it join: the older one holds again where nothing newer ended it.
 */
export function withdrawSource(facts: readonly Fact[], memoryId: string): Withdrawn {
  const now = new Map(facts.map((fact) => [fact.id, fact]));
  const changed = new Set<string>();
  const goneIds: string[] = [];
  const put = (fact: Fact): void => {
    now.set(fact.id, fact);
    changed.add(fact.id);
  };
  for (const { id } of facts) {
    const fact = now.get(id);
    if (!fact?.sourceIds.includes(memoryId)) continue;
    const sourceIds = fact.sourceIds.filter((source) => source !== memoryId);
    const [first] = sourceIds;
    if (first !== undefined) {
      const sourceMemoryId = fact.sourceMemoryId === memoryId ? first : fact.sourceMemoryId;
      put({ ...fact, sourceIds, sourceMemoryId, times: Math.max(sourceIds.length, fact.times - 1) });
      continue;
    }
    now.delete(id);
    goneIds.push(id);
    for (const other of now.values()) {
      const joined = withoutVersion(other, fact, now);
      if (joined) put(joined);
    }
  }
  return { changed: [...changed].flatMap((id) => now.get(id) ?? []), goneIds };
}

/** A fact beside one that goes; null when it did not know of it. */
function withoutVersion(other: Fact, gone: Fact, now: ReadonlyMap<string, Fact>): Fact | null {
  if (other.supersededBy === gone.id) {
    const { supersededBy: _newer, validUntil: _until, ...held } = other;
    const newer = gone.supersededBy === undefined ? undefined : now.get(gone.supersededBy);
    if (newer) return { ...held, supersededBy: newer.id, validUntil: Math.max(other.validFrom, newer.validFrom) };
    // An end that was told of the one that goes says nothing about this one.
    return held;
  }
  if (other.supersedes !== gone.id) return null;
  const { supersedes: _older, ...rest } = other;
  return gone.supersedes !== undefined && now.has(gone.supersedes) ? { ...rest, supersedes: gone.supersedes } : rest;
}
