import type { JsonObject, JsonValue } from "../json.ts";
import type { Memory } from "../memory/memory.ts";
import type { EntryBody } from "../run/entry.ts";
import type { Forgetting, Forgotten } from "../store/forgetting.ts";
import { dropVectors } from "./memory-recall.ts";
import { roomNow, type Tables } from "./memory-tables.ts";

/** What stands where a text stood. */
const tombstone = "forgotten";
/** A text this long says enough to be looked for wherever it may stand. */
const longTextLength = 16;
const pieceLength = 64;
const derivedTypes: readonly string[] = ["fact", "summary", "episode"];

/** Everything that is to go, by what it is called and by what it says. */
type Doomed = {
  readonly memories: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  readonly ids: readonly string[];
  readonly mentions: (text: string) => boolean;
  /** The same, and what was answered. */
  readonly mentionsAnswers: (text: string) => boolean;
};

/** Forgets in tables of which the caller keeps a copy until it succeeded; see the contract. */
export function forget(tables: Tables, forgetting: Forgetting, now: number): Forgotten {
  const doomed = collect(tables, forgetting);
  const { parts, runs } = forgetJournal(tables, doomed);
  const counts = {
    runs,
    parts,
    deliveries: forgetDeliveries(tables, doomed, { forgetting, now }),
    relationships: forgetRelationships(tables, forgetting),
    tasks: forgetTasks(tables, doomed, forgetting),
  };
  forgetInputs(tables, doomed, forgetting);
  forgetJobsAndValues(tables, doomed);
  forgetNames(tables, forgetting);
  return { ...counts, ...forgetMemories(tables, doomed.memories) };
}

function collect(tables: Tables, forgetting: Forgetting): Doomed {
  const all = [...tables.memories.values()].map(({ memory }) => memory);
  const asked = askedMemories(tables, forgetting);
  const runs = runsAnswering(tables, asked);
  if (forgetting.type === "room") {
    const room = roomNow(tables, forgetting.roomId);
    for (const { row } of tables.runs.values()) if (roomNow(tables, row.contextId) === room) runs.add(row.id);
  }
  const isAnswer = ({ type, runId }: Memory): boolean => type === "message" && runId !== undefined && runs.has(runId);
  const answers = all.filter((memory) => !asked.has(memory.id) && isAnswer(memory));
  const said = withDerived(all, asked, answers);
  for (const { id, type, runId } of all) {
    if (asked.has(id) && type === "message" && runId !== undefined) runs.add(runId);
  }
  const texts = all.filter(({ id }) => said.has(id)).flatMap(textsOf);
  const names = forgetting.type === "entity" ? [tables.entities.get(forgetting.entityId)?.name ?? ""] : [];
  const memories = new Set([...said, ...idsOf(answers)]);
  return {
    memories,
    runs,
    ids: [...memories, ...runs, ...(forgetting.type === "entity" ? [forgetting.entityId] : [])],
    mentions: createMentions(texts, names),
    mentionsAnswers: createMentions([...texts, ...answers.flatMap(textsOf)], names),
  };
}

function askedMemories(tables: Tables, forgetting: Forgetting): Set<string> {
  const all = [...tables.memories.values()].map(({ memory }) => memory);
  switch (forgetting.type) {
    case "entity":
      return idsOf(
        all.filter(({ entityId, metadata }) => [entityId, metadata?.["subjectId"]].includes(forgetting.entityId)),
      );
    case "memories":
      return idsOf(all.filter(({ id }) => forgetting.ids.includes(id)));
    case "room":
      return idsOf(all.filter(({ roomId }) => roomId === roomNow(tables, forgetting.roomId)));
  }
}

/** Facts, summaries and episodes made of what goes, and what was made of those again. */
function withDerived(all: readonly Memory[], asked: ReadonlySet<string>, answers: readonly Memory[]): Set<string> {
  const found = new Set(asked);
  const sources = new Set([...asked, ...idsOf(answers)]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const memory of all) {
      if (!isMadeOf(memory, sources)) continue;
      found.add(memory.id);
      sources.add(memory.id);
    }
  }
  return found;
}

function isMadeOf({ type, metadata }: Memory, sources: ReadonlySet<string>): boolean {
  if (!derivedTypes.includes(type)) return false;
  const named = [metadata?.["sourceMemoryId"], metadata?.["sourceIds"]].flat();
  return named.some((id) => typeof id === "string" && sources.has(id));
}

function runsAnswering(tables: Tables, memories: ReadonlySet<string>): Set<string> {
  const runs = new Set<string>();
  for (const { entry } of tables.entries.values()) {
    if (entry.body.type !== "input") continue;
    if (entry.body.inputs.some(({ memoryId }) => memories.has(memoryId))) runs.add(entry.runId);
  }
  return runs;
}

function textsOf({ content: { text, thought, attachments = [], command } }: Memory): readonly string[] {
  const shown = attachments.flatMap(({ url, title, description }) => [url, title, description]);
  const parameters = Object.values(command?.parameters ?? {});
  return [text, thought, ...shown, ...parameters].filter((one) => typeof one === "string");
}

/** Whether a text holds one of those that are forgotten, or names who is. */
function createMentions(texts: readonly string[], names: readonly string[]): (text: string) => boolean {
  const pieces = texts.flatMap((text) => piecesOf(text.trim()));
  const called = names.filter((name) => name !== "");
  return (text) =>
    [text, text.replaceAll("&lt;", "<"), text.replaceAll('\\"', '"').replaceAll("\\n", "\n")].some(
      (reading) =>
        pieces.some((piece) => reading.includes(piece)) ||
        called.some((name) => reading.includes(`from="${name}"`) || (name.length >= 5 && hasWord(reading, name))),
    );
}

function piecesOf(text: string): readonly string[] {
  if (text.length < longTextLength) return [];
  const count = Math.max(1, Math.floor(text.length / pieceLength));
  return Array.from({ length: count }, (_, at) => text.slice(at * pieceLength, (at + 1) * pieceLength));
}

function hasWord(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "u").test(text);
}

/**
 * A part goes when it holds a forgotten text, or when only forgotten runs refer to it. Texts are taken out of entries. How many
 * parts went, and how many runs can no longer be replayed because of it.
 */
function forgetJournal(tables: Tables, doomed: Doomed): { readonly parts: number; readonly runs: number } {
  const { runs, mentions, mentionsAnswers } = doomed;
  const gone = new Set([...tables.parts].filter(([, text]) => mentionsAnswers(text)).map(([hash]) => hash));
  const marked = new Set(runs);
  const theirs = new Set<string>();
  const others = new Set<string>();
  for (const [key, { contextId, entry }] of tables.entries) {
    const isTheirs = runs.has(entry.runId);
    for (const part of partsOf(entry.body)) {
      (isTheirs ? theirs : others).add(part);
      if (gone.has(part)) marked.add(entry.runId);
    }
    if (!isTheirs && !stringsIn(JSON.parse(JSON.stringify(entry.body))).some(mentions)) continue;
    marked.add(entry.runId);
    tables.entries.set(key, { contextId, entry: { ...entry, body: withoutTexts(entry.body) } });
  }
  for (const hash of theirs) if (!others.has(hash)) gone.add(hash);
  const parts = [...gone].filter((hash) => tables.parts.delete(hash)).length;
  return { parts, runs: [...marked].filter((id) => markForgotten(tables, id)).length };
}

function markForgotten({ runs }: Tables, id: string): boolean {
  const stored = runs.get(id);
  if (!stored || stored.row.isForgotten) return false;
  const { reason, ...kept } = stored.row;
  runs.set(id, { ...stored, row: { ...kept, ...(reason !== undefined && { reason: tombstone }), isForgotten: true } });
  return true;
}

function partsOf(body: EntryBody): readonly string[] {
  if (body.type === "prompt") return body.parts.map(({ part }) => part);
  return body.type === "model_answer" ? [body.part] : [];
}

/** What an entry says without its texts: names, numbers and links between entries stay. */
const keptMembers: ReadonlySet<string> = new Set(
  `type purpose model parts part finishReason usage plugin callId parentCallId name origin keywords refused kind deliveries
  key state platformId code where outcome rule decision inputs evaluator verdict`.split(/\s+/),
);

function withoutTexts(body: EntryBody): EntryBody {
  const kept = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (keptMembers.has(name) || typeof value === "number" || typeof value === "boolean") return [[name, value]];
    if (name === "providers" && Array.isArray(value)) return [[name, value.map(withoutFailure)]];
    return name === "reason" || name === "message" ? [[name, tombstone]] : [];
  });
  // Only members that every type may lack, or a sentence's words, were changed.
  return Object.fromEntries(kept) as EntryBody;
}

function withoutFailure(provider: string | { readonly name: string; readonly failed?: string }): unknown {
  if (typeof provider === "string" || provider.failed === undefined) return provider;
  return { ...provider, failed: tombstone };
}

function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}

function forgetDeliveries(
  tables: Tables,
  { runs, mentions }: Doomed,
  { forgetting, now }: { readonly forgetting: Forgetting; readonly now: number },
): number {
  const room = forgetting.type === "room" ? roomNow(tables, forgetting.roomId) : undefined;
  let count = 0;
  for (const [key, { no, row }] of tables.deliveries) {
    const { delivery, state } = row;
    const isTheirs = runs.has(delivery.runId) || delivery.roomId === room || mentions(delivery.content.text);
    if (!isTheirs || (row.error === tombstone && delivery.content.text === "")) continue;
    const isOver = state === "sent" || state === "failed";
    const gone = { ...delivery, content: { text: "" } };
    const next = { ...row, delivery: gone, isOpen: false, state: isOver ? state : "failed", updatedAt: now } as const;
    tables.deliveries.set(key, { no, row: { ...next, error: tombstone } });
    count += 1;
  }
  return count;
}

function forgetRelationships({ relationships }: Tables, forgetting: Forgetting): number {
  if (forgetting.type !== "entity") return 0;
  const theirs = [...relationships].filter(([, { fromId, toId }]) => [fromId, toId].includes(forgetting.entityId));
  for (const [key] of theirs) relationships.delete(key);
  return theirs.length;
}

function forgetTasks(tables: Tables, doomed: Doomed, forgetting: Forgetting): number {
  const theirs = [...tables.tasks.values()].filter(
    (task) =>
      (forgetting.type === "entity" && task.entityId === forgetting.entityId) ||
      (forgetting.type === "room" && task.roomId === roomNow(tables, forgetting.roomId)) ||
      isNamed(doomed, { name: task.name, payload: task.payload, lastError: task.lastError }),
  );
  for (const { id } of theirs) tables.tasks.delete(id);
  return theirs.length;
}

function isNamed({ ids, mentions }: Doomed, value: JsonObject): boolean {
  const words = new Set(JSON.stringify(value).split(/[^\p{L}\p{N}_-]+/u));
  return ids.some((id) => words.has(id)) || stringsIn(value).some(mentions);
}

/** What waits is ended; what a run that is not over has taken up already is left to it. */
function forgetInputs(tables: Tables, { memories }: Doomed, forgetting: Forgetting): void {
  const taken = new Set<string>();
  for (const { contextId, entry } of tables.entries.values()) {
    if (entry.body.type !== "input" || tables.runs.get(entry.runId)?.row.endedAt !== undefined) continue;
    for (const { seq } of entry.body.inputs) taken.add(JSON.stringify([contextId, seq]));
  }
  for (const [key, input] of tables.inputs) {
    const isTheirs = forgetting.type === "entity" && input.row.entityId === forgetting.entityId;
    if (!isTheirs && !memories.has(input.row.memoryId)) continue;
    const { reason: _, ...kept } = input.row;
    const row = isTheirs ? { ...kept, entityId: "" } : kept;
    const isEnded = row.state === "waiting" && !taken.has(key);
    tables.inputs.set(key, {
      ...input,
      row: isEnded ? { ...row, state: "done", outcome: "ignored", reason: tombstone } : row,
    });
  }
}

function forgetJobsAndValues(tables: Tables, doomed: Doomed): void {
  for (const [id, stored] of tables.jobs) {
    if (stored.doneAt !== undefined || !isNamed(doomed, { payload: stored.row.payload, error: stored.row.error }))
      continue;
    const { error: _, ...row } = { ...stored.row, payload: {} };
    const isRunning = row.state === "running";
    tables.jobs.set(id, isRunning ? { ...stored, row } : { ...stored, row, doneAt: row.updatedAt });
  }
  for (const [place, { value }] of tables.values) {
    if (isNamed(doomed, { place, value })) tables.values.delete(place);
  }
}

/** The person's row, and the names of rooms that are called after them or were forgotten themselves. */
function forgetNames(tables: Tables, forgetting: Forgetting): void {
  const theirs = forgetting.type === "entity" ? tables.entities.get(forgetting.entityId)?.name : undefined;
  const here = forgetting.type === "room" ? roomNow(tables, forgetting.roomId) : undefined;
  if (forgetting.type === "entity") tables.entities.delete(forgetting.entityId);
  for (const [id, stored] of tables.rooms) {
    if (id !== here && (theirs === undefined || stored.room.name !== theirs)) continue;
    const { name: _name, data: _data, ...room } = stored.room;
    tables.rooms.set(id, { ...stored, room });
  }
}

function forgetMemories(
  tables: Tables,
  ids: ReadonlySet<string>,
): Pick<Forgotten, "memories" | "facts" | "embeddings"> {
  let facts = 0;
  let embeddings = 0;
  for (const id of ids) {
    if (tables.memories.get(id)?.memory.type === "fact") facts += 1;
    embeddings += dropVectors(tables, id);
    tables.memories.delete(id);
  }
  return { memories: ids.size - facts, facts, embeddings };
}

function idsOf(memories: readonly Memory[]): Set<string> {
  return new Set(memories.map(({ id }) => id));
}
