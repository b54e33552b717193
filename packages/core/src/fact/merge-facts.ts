import { type Fact, holdsAt, isSingle, plain } from "./fact.ts";

/** Something just said, to be held against what is known. */
export type Claim = {
  /** The id of the fact it becomes when it is new. */
  readonly id: string;
  readonly roomId: string;
  readonly subjectId: string;
  readonly text: string;
  readonly key?: string;
  readonly value?: string;
  readonly confidence: number;
  readonly salience: number;
  /** The known fact that holds no longer because of it. */
  readonly replaces?: string;
  /** When it began to hold, and when it ended, where that was told. */
  readonly since?: number;
  readonly until?: number;
  readonly saidById: string;
  readonly saidAt: number;
  readonly isPrivate: boolean;
  readonly sourceMemoryId: string;
  readonly sourceRunId: string;
};

/** What is known after claims were taken in; `changed` are the ids of those that are new or say something else than before. */
export type Merged = { readonly facts: readonly Fact[]; readonly changed: ReadonlySet<string> };

const surest = 0.99;

/**
 * Takes claims in, in the order in which they were said. One that is known already makes it surer; one that contradicts ends
 * what held until then, which stays as the older version; anything else is added. The same claim of the same message a second
 * time changes nothing.
 */
export function mergeClaims(known: readonly Fact[], claims: readonly Claim[]): Merged {
  const facts = new Map(known.map((fact) => [fact.id, fact]));
  const changed = new Set<string>();
  for (const claim of claims) {
    for (const fact of mergeClaim([...facts.values()], claim)) {
      facts.set(fact.id, fact);
      changed.add(fact.id);
    }
  }
  return { facts: [...facts.values()], changed };
}

/** The facts that are new or changed. */
function mergeClaim(known: readonly Fact[], claim: Claim): readonly Fact[] {
  const about = known.filter(({ subjectId }) => subjectId === claim.subjectId);
  const alike = about.filter((fact) => saysTheSame(fact, claim));
  if (alike.some(({ sourceIds }) => sourceIds.includes(claim.sourceMemoryId))) return [];
  const same = alike.find((fact) => holdsAt(fact, claim.saidAt));
  if (same) return [confirmed(same, claim)];
  const fresh = toFact(claim);
  if (fresh.validUntil !== undefined) return [fresh];
  const rivals = about.filter((fact) => fact.validUntil === undefined && contradicts(fact, claim));
  const later = rivals.find(({ validFrom }) => claim.since === undefined && claim.saidAt < validFrom);
  if (later) {
    const older = { ...fresh, validUntil: later.validFrom, supersededBy: later.id };
    return later.supersedes === undefined ? [older, { ...later, supersedes: fresh.id }] : [older];
  }
  const [newest] = rivals.toSorted((left, right) => right.validFrom - left.validFrom);
  const ended = rivals.map((fact) => ({
    ...fact,
    validUntil: Math.max(fact.validFrom, fresh.validFrom),
    supersededBy: fresh.id,
  }));
  return [newest ? { ...fresh, supersedes: newest.id } : fresh, ...ended];
}

function saysTheSame(fact: Fact, { key, value, text }: Claim): boolean {
  if (plain(fact.text) === plain(text)) return true;
  const isSameKind = fact.key !== undefined && fact.key === key;
  return isSameKind && fact.value !== undefined && value !== undefined && plain(fact.value) === plain(value);
}

function contradicts(fact: Fact, { key, replaces }: Claim): boolean {
  return fact.id === replaces || (isSingle(key) && fact.key === key);
}

/** Said once more: each telling takes away a share of what doubt was left. */
function confirmed(fact: Fact, { confidence, salience, sourceMemoryId, until }: Claim): Fact {
  const surer = Math.min(surest, 1 - (1 - fact.confidence) * (1 - confidence));
  return {
    ...fact,
    confidence: Math.max(fact.confidence, surer),
    salience: Math.max(fact.salience, salience),
    times: fact.times + 1,
    sourceIds: [...fact.sourceIds, sourceMemoryId],
    ...(until !== undefined && { validUntil: Math.max(fact.validFrom, until) }),
  };
}

function toFact(claim: Claim): Fact {
  const { since, until, saidAt, replaces: _replaces, ...kept } = claim;
  const validFrom = since ?? Math.min(saidAt, until ?? saidAt);
  return {
    ...kept,
    validFrom,
    ...(until !== undefined && { validUntil: Math.max(validFrom, until) }),
    times: 1,
    sourceIds: [claim.sourceMemoryId],
    createdAt: saidAt,
  };
}
