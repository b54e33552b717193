import type { Clock } from "../clock.ts";
import type { PlatformChange } from "../inbox/change.ts";
import { cleanText } from "../inbox/to-accepted.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { JobToDo } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { type ExtractParts, lookAgain, markAsUnread } from "./extract-facts.ts";
import { type Fact, fromMemory, toMetadata } from "./fact.ts";
import { accountsOf } from "./person.ts";
import { withdrawSource } from "./withdraw-source.ts";

/** The kinds of the jobs that withdraw what a message told, and read anew one that says something else now. */
const withdrawKind = "facts.withdraw";
const rereadKind = "facts.reread";

/** What looking after changed messages needs. */
export type ChangedParts = {
  readonly agentId: string;
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** Null where nothing is noted: then what was noted before is withdrawn and nothing read anew. */
  readonly extract: ExtractParts | null;
};

/** What to write with a change, and who does the jobs of it. */
export type FactChanges = {
  writesFor(change: PlatformChange): Promise<readonly Write[]>;
  readonly jobs: Readonly<Record<string, JobHandler>>;
};

const pageSize = 300;

/** Looks after facts whose messages change; see {@link FactChanges}. */
export function createFactChanges(parts: ChangedParts): FactChanges {
  let changes = 0;
  return {
    async writesFor(change) {
      const found = await changedMessages(change, parts);
      changes += 1;
      const nth = String(changes);
      return found.map((memory) => toWithdraw(memory, { isEdited: change.kind === "edited", nth }, parts));
    },
    jobs: {
      [withdrawKind]: { run: (payload) => withdraw(payload, parts) },
      [rereadKind]: { run: (payload, signal) => reread(payload, parts, signal), isResumable: true },
    },
  };
}

/**
 * The messages that are about to say something else or to go. Asked before the change is written, so that an edit that leaves the
 * words alone (a link that got its preview) costs nothing.
 */
async function changedMessages(change: PlatformChange, { agentId, store }: ChangedParts): Promise<readonly Memory[]> {
  if (change.kind === "removed") return store.memories.get(agentId, change.memoryIds);
  if (change.kind !== "edited") return [];
  const before = await store.memories.get(agentId, [change.memoryId]);
  return before.filter(({ content }) => content.text !== cleanText(change.content.text));
}

function toWithdraw(
  { id, roomId, entityId }: Memory,
  { isEdited, nth }: { readonly isEdited: boolean; readonly nth: string },
  { clock }: ChangedParts,
): Write {
  const runAt = clock.now();
  // The same words may come back again and again: every change is work of its own.
  const jobId = deriveId("context", withdrawKind, id, String(runAt), nth);
  const payload: JsonObject = { jobId, memoryId: id, roomId, entityId, isEdited };
  const queue = deriveId("context", withdrawKind, id);
  return { type: "job.put", job: { id: jobId, kind: withdrawKind, payload, runAt, queue } };
}

/** Withdraws what the message told, and has it read anew when it told something and still stands. */
async function withdraw(payload: JsonObject, parts: ChangedParts): Promise<void> {
  const { agentId, store, clock, log } = parts;
  const memoryId = String(payload["memoryId"]);
  const roomId = String(payload["roomId"]);
  const isEdited = payload["isEdited"] === true;
  const known = await factsAround(memoryId, { roomId, entityId: String(payload["entityId"]) }, parts);
  const { changed, goneIds } = withdrawSource(known, memoryId);
  const hasTold = changed.length + goneIds.length > 0;
  const writes: Write[] = [
    ...changed.map((fact): Write => ({ type: "memory.edit", id: fact.id, metadata: toMetadata(fact) })),
    ...goneIds.map((id): Write => ({ type: "memory.remove", id })),
  ];
  if (hasTold && isEdited && parts.extract) {
    const id = deriveId("context", rereadKind, String(payload["jobId"]));
    const job: JobToDo = { id, kind: rereadKind, payload: { memoryId, reading: id }, runAt: clock.now() };
    writes.push({ type: "job.put", job });
  }
  if (writes.length > 0) await store.admin.write(agentId, writes);
  if (hasTold)
    log.info({ roomId, withdrawn: goneIds.length, kept: changed.length }, "facts lost a message they came from");
  // It told nothing so far: whether it does now is looked at with the next exchange.
  else if (isEdited) await markAsUnread(memoryId, roomId, parts);
}

/** Every fact the message may have told: of its room, and of its writer's accounts. */
async function factsAround(
  memoryId: string,
  { roomId, entityId }: { readonly roomId: string; readonly entityId: string },
  { agentId, store }: ChangedParts,
): Promise<readonly Fact[]> {
  const entityIds = await accountsOf(entityId, { agentId, relationships: store.relationships });
  const facts: Fact[] = [];
  for (let before: string | undefined; ; ) {
    const scope = { roomIds: [roomId], entityIds };
    const query = { types: ["fact"], limit: pageSize, scope, ...(before !== undefined && { before }) } as const;
    const page = await store.memories.list(agentId, query);
    facts.push(...page.flatMap((memory) => fromMemory(memory) ?? []));
    before = page.at(-1)?.id;
    if (page.length < pageSize || before === undefined) break;
  }
  const told = facts.filter(({ sourceIds }) => sourceIds.includes(memoryId));
  const near = new Set(told.flatMap(({ id, supersedes, supersededBy }) => [id, supersedes, supersededBy]));
  // Beside those it told, their versions.
  return facts.filter(({ id, supersedes, supersededBy }) =>
    [id, supersedes, supersededBy].some((one) => one !== undefined && near.has(one)),
  );
}

async function reread(
  payload: JsonObject,
  { agentId, store, extract }: ChangedParts,
  signal: AbortSignal,
): Promise<void> {
  if (!extract) return;
  const [message] = await store.memories.get(agentId, [String(payload["memoryId"])]);
  if (message) await lookAgain({ message, reading: String(payload["reading"]) }, extract, signal);
}
