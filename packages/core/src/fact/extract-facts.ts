import type { Character } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import { type ErrorCode, ModelError } from "../errors.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import type { Exchange } from "../plugin/plugin.ts";
import type { RoomRow, Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { type AskDataParts, askData } from "./ask-data.ts";
import { type ExtractInput, extractPrompt, extractSchema, type FoundClaim, readExtract } from "./extract-prompt.ts";
import { type Fact, fromMemory, plain, toMemory, toMetadata } from "./fact.ts";
import { type Claim, mergeClaims } from "./merge-facts.ts";
import { relationWrites } from "./merge-relations.ts";
import { accountsOf } from "./person.ts";
import { maySettle } from "./visible-facts.ts";

/** What noting facts needs. */
export type ExtractParts = AskDataParts & {
  readonly agentId: string;
  readonly character: Character;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
};

/** Under the room's id: which of its newest messages were looked at. They are not looked at in the order in which they came. */
const seenNamespace = "facts";
/** Messages looked at together at most; of more than these the oldest are passed over. */
const mostMessages = 40;
/** Where the agent only listens, it waits for so many before it asks a model. */
const enoughUnanswered = 8;
const mostPeople = 20;
const mostKnown = 40;
const mostFacts = 300;
const answerTokens = 1_500;
/** Less than this says nothing worth noting. */
const fewestCharacters = 6;

/** FACTS: notes what was said about people and their world since it last looked into the room. */
export function createFactsEvaluator(parts: ExtractParts): RegisteredEvaluator {
  return {
    name: "FACTS",
    description: "Notes what people say about themselves, each other and their world.",
    similes: ["EXTRACT_FACTS"],
    alwaysRun: true,
    isStateless: true,
    async validate({ message, responses }) {
      if (parts.character.settings.facts === false) return false;
      if (responses.length > 0) return true;
      return (await lookInto(message.roomId, parts)).unread.length >= enoughUnanswered;
    },
    run: (exchange, signal) => look(exchange, parts, signal),
  };
}

/** The newest messages of a room, oldest first, and those of them that nobody has looked at. */
type Look = { readonly recent: readonly Memory[]; readonly unread: readonly Memory[] };

async function lookInto(roomId: string, { agentId, store }: ExtractParts): Promise<Look> {
  const [kept, recent] = await Promise.all([
    store.keyValues.get(agentId, seenNamespace, roomId),
    store.memories.recent(agentId, { roomId, limit: mostMessages, withoutWaiting: true }),
  ]);
  const seen = new Set(kept?.value.split(" "));
  return { recent, unread: recent.filter((memory) => !seen.has(markOf(memory))) };
}

/**
 * By what a message is known again. Not its id: what names a forgotten message goes with it, and then others' messages would be
 * looked at again and tell anew what was forgotten.
 */
function markOf({ id }: Pick<Memory, "id">): string {
  return id.replaceAll("-", "").slice(0, 16);
}

async function look(exchange: Exchange, parts: ExtractParts, signal: AbortSignal): Promise<void> {
  const { agentId, store, log } = parts;
  const { roomId } = exchange.message;
  const [{ recent, unread: messages }, room] = await Promise.all([
    lookInto(roomId, parts),
    store.rooms.room(agentId, roomId),
  ]);
  if (messages.length === 0 || !room) return;
  if (messages.some((memory) => isTelling(memory, agentId))) {
    const noted = await tryToNote({ runId: exchange.runId, reading: exchange.runId, room, messages }, parts, signal);
    if (noted === null) return;
    const { writes, facts } = noted;
    // What was forgotten while the model thought, or says something else now, is not noted after all.
    if (!(await saySame(messages, parts))) return;
    if (writes.length > 0) await store.admin.write(agentId, writes);
    if (facts > 0) log.info({ roomId, runId: exchange.runId, facts }, "noted facts");
  }
  await store.keyValues.set(agentId, seenNamespace, roomId, { value: recent.map(markOf).join(" ") });
}

/** Whether all of the messages are there and say what they said. */
async function saySame(messages: readonly Memory[], { agentId, store }: ExtractParts): Promise<boolean> {
  const found = await store.memories.get(
    agentId,
    messages.map(({ id }) => id),
  );
  const now = new Map(found.map(({ id, content }) => [id, content.text]));
  return messages.every(({ id, content }) => now.get(id) === content.text);
}

/** A message says something else now: it is looked at again with the next exchange, if it was looked at before. */
export async function markAsUnread(
  memoryId: string,
  roomId: string,
  { agentId, store }: Pick<ExtractParts, "agentId" | "store">,
): Promise<void> {
  const kept = await store.keyValues.get(agentId, seenNamespace, roomId);
  const mark = markOf({ id: memoryId });
  const marks = kept?.value.split(" ") ?? [];
  if (!kept || !marks.includes(mark)) return;
  const value = marks.filter((one) => one !== mark).join(" ");
  // Whoever looked meanwhile has looked at it as it is now.
  await store.keyValues.set(agentId, seenNamespace, roomId, { value, ifVersion: kept.version });
}

/** What was looked at in a room was looked at under its new id, too. */
export async function moveMarks(
  fromRoomId: string,
  toRoomId: string,
  { agentId, store }: Pick<ExtractParts, "agentId" | "store">,
): Promise<void> {
  const [kept, there] = await Promise.all(
    [fromRoomId, toRoomId].map((roomId) => store.keyValues.get(agentId, seenNamespace, roomId)),
  );
  if (!kept) return;
  const value = there ? `${there.value} ${kept.value}` : kept.value;
  await store.keyValues.set(agentId, seenNamespace, toRoomId, { value });
}

/** Notes what one message says now, whatever was noted of it before is withdrawn. @throws ModelError when the model is away. */
export async function lookAgain(
  { message, reading }: { readonly message: Memory; readonly reading: string },
  parts: ExtractParts,
  signal: AbortSignal,
): Promise<void> {
  const { agentId, store, log } = parts;
  const room = await store.rooms.room(agentId, message.roomId);
  if (!room || !isTelling(message, agentId)) return;
  const answered = await store.inbox.find(agentId, message.id);
  const noted = await tryToNote({ runId: answered?.runId ?? "", reading, room, messages: [message] }, parts, signal);
  if (!noted || !(await saySame([message], parts))) return;
  if (noted.writes.length > 0) await store.admin.write(agentId, noted.writes);
  log.info({ roomId: message.roomId, facts: noted.facts }, "noted what a message says since it was edited");
}

/** Whether somebody said something of which there could be a fact. */
function isTelling({ entityId, content }: Memory, agentId: string): boolean {
  return entityId !== agentId && content.command === undefined && plain(content.text).length >= fewestCharacters;
}

/** What only a person can mend is no reason to try again and again: the next exchange does. Null when it could not be noted. */
const forOperators: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unauthorized", "not_found", "invalid"]);

async function tryToNote(heard: Heard, parts: ExtractParts, signal: AbortSignal): Promise<Noted | null> {
  try {
    return await note(heard, parts, signal);
  } catch (error) {
    if (!(error instanceof ModelError) || !forOperators.has(error.code)) throw error;
    const about = { runId: heard.runId, roomId: heard.room.room.id };
    parts.log.warn({ ...about, code: error.code, error: error.message }, "no facts could be noted; see to the model");
    return null;
  }
}

type Noted = { readonly writes: readonly Write[]; readonly facts: number };

/** `reading` tells this look from others at the same messages: the id of what was withdrawn is never used again. */
type Heard = {
  readonly runId: string;
  readonly reading: string;
  readonly room: RoomRow;
  readonly messages: readonly Memory[];
};

async function note(
  { runId, reading, room, messages }: Heard,
  parts: ExtractParts,
  signal: AbortSignal,
): Promise<Noted> {
  const { agentId, character, store, log } = parts;
  const [known, everybody] = await Promise.all([knownFacts(room, messages, parts), peopleIn(room, messages, parts)]);
  const bots = new Set(everybody.filter(({ isBot }) => isBot === true).map(({ id }) => id));
  const input: ExtractInput = {
    agentId,
    agentName: character.name,
    people: everybody.filter(({ id }) => !bots.has(id)),
    known: known.slice(0, mostKnown),
    messages: messages.filter(({ content, entityId }) => content.command === undefined && !bots.has(entityId)),
  };
  const about = { runId, roomId: room.room.id };
  const question = { messages: extractPrompt(input), schema: extractSchema, maxTokens: answerTokens, ...about };
  const answer = await askData(question, parts, signal);
  if (answer === null) {
    log.warn(about, "the model's facts could not be read; nothing is noted");
    return { writes: [], facts: 0 };
  }
  const { claims, relations } = readExtract(answer, input);
  const isPrivate = room.room.channelType === "dm";
  const { facts, changed } = mergeClaims(
    known,
    claims.map((claim) => toClaim(claim, { runId, reading, isPrivate })),
  );
  const before = new Set(known.map(({ id }) => id));
  const writes = facts
    .filter(({ id }) => changed.has(id))
    .map((fact): Write => {
      if (!before.has(fact.id)) return { type: "memory.put", memory: toMemory(fact, agentId) };
      return { type: "memory.edit", id: fact.id, metadata: toMetadata(fact) };
    });
  const stands = await relationWrites(relations, { agentId, relationships: store.relationships, clock: parts.clock });
  return { writes: [...writes, ...stands], facts: writes.length };
}

/** The people who spoke, those of these messages first. */
async function peopleIn(
  { room }: RoomRow,
  messages: readonly Memory[],
  parts: ExtractParts,
): Promise<ExtractInput["people"]> {
  const { agentId, store } = parts;
  const all = await store.rooms.participants(agentId, { roomId: room.id, limit: mostPeople });
  const speaking = new Set(messages.map(({ entityId }) => entityId));
  const people = all.filter(({ id }) => id !== agentId);
  return [...people.filter(({ id }) => speaking.has(id)), ...people.filter(({ id }) => !speaking.has(id))];
}

/** What is known of this room, and in direct messages of the person's others; the newest first. */
async function knownFacts(room: RoomRow, messages: readonly Memory[], parts: ExtractParts): Promise<readonly Fact[]> {
  const { agentId, store } = parts;
  const speakers = [...new Set(messages.map(({ entityId }) => entityId))].filter((id) => id !== agentId);
  const isDirect = room.room.channelType === "dm";
  const accounts = isDirect
    ? (await Promise.all(speakers.map((id) => accountsOf(id, { agentId, relationships: store.relationships })))).flat()
    : speakers;
  const memories = await store.memories.list(agentId, {
    types: ["fact"],
    limit: mostFacts,
    scope: { roomIds: [room.room.id], ...(isDirect && { entityIds: accounts }) },
  });
  return memories.flatMap((memory) => fromMemory(memory) ?? []).filter((fact) => maySettle(fact, { room, accounts }));
}

function toClaim(
  { aboutId, source, ...found }: FoundClaim,
  { runId, reading, isPrivate }: Pick<Heard, "runId" | "reading"> & { readonly isPrivate: boolean },
): Claim {
  const subjectId = aboutId ?? source.roomId;
  return {
    ...found,
    id: deriveId("memory", "fact", source.id, subjectId, plain(found.text), reading),
    roomId: source.roomId,
    subjectId,
    saidById: source.entityId,
    saidAt: source.createdAt,
    isPrivate,
    sourceMemoryId: source.id,
    sourceRunId: runId,
  };
}
