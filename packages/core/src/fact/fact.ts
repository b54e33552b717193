import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory/memory.ts";

/** Something that was said to be so, about a person or about the world of a conversation, and for how long. */
export type Fact = {
  readonly id: string;
  readonly roomId: string;
  /** The person it is about; the room's id when it is about no one who speaks there. */
  readonly subjectId: string;
  /** The claim, one sentence. */
  readonly text: string;
  /** What kind of thing it says, normalised: "home city". */
  readonly key?: string;
  /** What it says of that: "Oslo". */
  readonly value?: string;
  /** Epoch milliseconds; by when it was said unless that was told. */
  readonly validFrom: number;
  readonly validUntil?: number;
  /** How sure it is, 0..1. */
  readonly confidence: number;
  /** How much it matters, 0..1. */
  readonly salience: number;
  /** How often it was said, at least 1. */
  readonly times: number;
  /** Who said it first. */
  readonly saidById: string;
  /** Said in direct messages: no business of a group. */
  readonly isPrivate: boolean;
  /** The message that said it first, the run in which it was noted, and every message that said it. */
  readonly sourceMemoryId: string;
  readonly sourceRunId: string;
  readonly sourceIds: readonly string[];
  /** Facts of which it is the newer, or the older, version. */
  readonly supersedes?: string;
  readonly supersededBy?: string;
  readonly createdAt: number;
};

/** Of a person's many sources so many are kept with a fact. */
const mostSources = 50;

/** A fact as it is remembered: of whom it is about, or of who said it when it is about no one. */
export function toMemory(fact: Fact, agentId: string): Memory {
  return {
    id: fact.id,
    agentId,
    roomId: fact.roomId,
    entityId: isAboutNobody(fact) ? fact.saidById : fact.subjectId,
    type: "fact",
    content: { text: fact.text },
    createdAt: fact.createdAt,
    runId: fact.sourceRunId,
    metadata: toMetadata(fact),
  };
}

function isAboutNobody({ subjectId, roomId }: Fact): boolean {
  return subjectId === roomId;
}

/** What is kept with a fact's words. What is about no one is about its room, whatever the platform calls that some day. */
export function toMetadata(fact: Fact): JsonObject {
  const { id: _id, roomId: _room, text: _text, createdAt: _at, sourceIds, subjectId, ...kept } = fact;
  const subject = isAboutNobody(fact) ? { isAboutRoom: true } : { subjectId };
  return { ...kept, ...subject, sourceIds: sourceIds.slice(-mostSources) };
}

/** The fact a memory stands for; null when it is none that can be read. */
export function fromMemory({ id, roomId, entityId, type, content, createdAt, runId, metadata }: Memory): Fact | null {
  if (type !== "fact" || content.text.trim() === "") return null;
  const text = (name: string): string | undefined => {
    const value = metadata?.[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = metadata?.[name];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  };
  const [key, value] = [text("key"), text("value")];
  const validUntil = number("validUntil");
  const [supersedes, supersededBy] = [text("supersedes"), text("supersededBy")];
  const listed = metadata?.["sourceIds"];
  const sourceMemoryId = text("sourceMemoryId") ?? "";
  return {
    id,
    roomId,
    subjectId: metadata?.["isAboutRoom"] === true ? roomId : (text("subjectId") ?? entityId),
    text: content.text,
    validFrom: number("validFrom") ?? createdAt,
    confidence: share(number("confidence"), 0.5),
    salience: share(number("salience"), 0.5),
    times: Math.max(1, number("times") ?? 1),
    saidById: text("saidById") ?? entityId,
    isPrivate: metadata?.["isPrivate"] !== false,
    sourceMemoryId,
    sourceRunId: text("sourceRunId") ?? runId ?? "",
    sourceIds: Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : [sourceMemoryId],
    createdAt,
    ...(key !== undefined && { key }),
    ...(value !== undefined && { value }),
    ...(validUntil !== undefined && { validUntil }),
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { supersededBy }),
  };
}

function share(given: number | undefined, otherwise: number): number {
  return given === undefined ? otherwise : Math.min(1, Math.max(0, given));
}

/** Whether it holds at a time. */
export function holdsAt({ validUntil }: Pick<Fact, "validUntil">, at: number): boolean {
  return validUntil === undefined || validUntil > at;
}

/** Words without case and punctuation, for comparing what people say. */
export function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}

/** What the same kind of thing is called otherwise. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  "home city": ["city", "home", "home town", "hometown", "residence", "location", "lives in", "place of residence"],
  job: ["work", "profession", "occupation", "job title", "works as"],
  employer: ["company", "workplace", "works at", "works for"],
  name: ["first name", "full name", "is called"],
  age: ["years old"],
  birthday: ["date of birth", "birth date", "birthdate"],
  "marital status": ["relationship status"],
  country: ["home country", "country of residence"],
};

const canonicalKeys = new Map(Object.entries(otherNames).flatMap(([key, names]) => names.map((name) => [name, key])));
/** Of these a person has one at a time; of anything else there may be several. */
const singleKeys: ReadonlySet<string> = new Set([...Object.keys(otherNames), "time zone", "pronouns"]);
const longestKey = 40;

/** A kind of thing under its usual name; undefined when nothing is left of it. */
export function normaliseKey(key: string): string | undefined {
  const named = [...plain(key)].slice(0, longestKey).join("").trim();
  return named === "" ? undefined : (canonicalKeys.get(named) ?? named);
}

/** Whether a person has but one of this kind at a time, so that a second one replaces the first. */
export function isSingle(key: string | undefined): boolean {
  return key !== undefined && singleKeys.has(key);
}
