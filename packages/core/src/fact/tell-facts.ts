import { escapeMessageText } from "../state/escape.ts";
import { type Fact, holdsAt, isSingle } from "./fact.ts";

/** A fact with what held before it, the newest first. */
export type Version = { readonly fact: Fact; readonly before: readonly Fact[] };

/** What holds, and what held and was followed by nothing. */
export type Told = { readonly current: readonly Version[]; readonly former: readonly Fact[] };

const mostEarlier = 2;
const longestText = 300;

/**
 * Puts facts in versions: of several that a person has but one of, the newest holds. `ownerOf` names whom a subject belongs to,
 * so that one person's accounts count as one. What is surest and matters most stands first.
 */
export function toVersions(facts: readonly Fact[], now: number, ownerOf: (subjectId: string) => string): Told {
  const newestFirst = facts.toSorted((left, right) => right.validFrom - left.validFrom || byId(left, right));
  const slots = new Map<string, Fact>();
  const current: Fact[] = [];
  const past: Fact[] = [];
  for (const fact of newestFirst) {
    const slot = slotOf(fact, ownerOf);
    if (!holdsAt(fact, now) || (slot !== null && slots.has(slot))) {
      past.push(fact);
      continue;
    }
    if (slot !== null) slots.set(slot, fact);
    current.push(fact);
  }
  const used = new Set<string>();
  const versions = current.map((fact) => {
    const before = past.filter((older) => isBefore(older, fact, ownerOf)).slice(0, mostEarlier);
    for (const { id } of before) used.add(id);
    return { fact, before };
  });
  return {
    current: versions.toSorted((left, right) => weight(right.fact) - weight(left.fact) || byId(left.fact, right.fact)),
    former: past.filter(({ id }) => !used.has(id)),
  };
}

/** One line about what holds: `Mona lives in Oslo. (since May 2026; before: Rome, until May 2026)`. */
export function versionLine({ fact, before }: Version): string {
  const earlier = before.map(({ value, text, validUntil, validFrom }) => {
    const until = validUntil ?? Math.max(validFrom, fact.validFrom);
    return `${short(value ?? text)}, until ${monthOf(until)}`;
  });
  const remarks = [
    ...(fact.confidence < 0.5 ? ["perhaps"] : []),
    ...(before.length > 0 ? [`since ${monthOf(fact.validFrom)}`, `before: ${earlier.join("; ")}`] : []),
  ];
  return `${short(fact.text)}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`;
}

/** One line about what holds no longer. */
export function formerLine(fact: Fact): string {
  return `${short(fact.text)} (no longer${fact.validUntil === undefined ? "" : `, since ${monthOf(fact.validUntil)}`})`;
}

function slotOf({ subjectId, key }: Fact, ownerOf: (subjectId: string) => string): string | null {
  return isSingle(key) ? JSON.stringify([ownerOf(subjectId), key]) : null;
}

function isBefore(older: Fact, fact: Fact, ownerOf: (subjectId: string) => string): boolean {
  if (older.supersededBy === fact.id || fact.supersedes === older.id) return true;
  return isSingle(fact.key) && slotOf(older, ownerOf) === slotOf(fact, ownerOf);
}

function weight({ confidence, salience, times }: Fact): number {
  return confidence + salience + Math.min(times, 5) / 10;
}

function byId({ id: left }: Fact, { id: right }: Fact): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function short(text: string): string {
  const all = [...escapeMessageText(text.replace(/\s+/gu, " ").trim())];
  return all.length <= longestText ? all.join("") : `${all.slice(0, longestText).join("")} …`;
}

const months = "January February March April May June July August September October November December".split(" ");

/** `May 2026`. */
function monthOf(at: number): string {
  const date = new Date(at);
  return `${months[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}
