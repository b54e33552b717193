import type { PlatformChange } from "../inbox/change.ts";
import { cleanText } from "../inbox/to-accepted.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { JsonObject } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Write } from "../store/writes.ts";
import { coveredBy, type SummariseParts, summariesOf, sumUpMessages } from "./summarise-room.ts";
import { type Summary, summaryId } from "./summary.ts";

/** What to write with a change, and who does the jobs of it. */
export type SummaryChanges = {
  writesFor(change: PlatformChange): Promise<readonly Write[]>;
  readonly jobs: Readonly<Record<string, JobHandler>>;
};

/** The kind of the jobs that sum up anew what a changed message was part of. */
const anewKind = "summary.anew";

/**
 * Looks after summaries whose messages change. What was made of such a message goes at once, in the change's own transaction, so
 * that no prompt tells it any more; the rest of its span is summed up anew in the background.
 */
export function createSummaryChanges(parts: SummariseParts): SummaryChanges {
  let changes = 0;
  return {
    async writesFor(change) {
      changes += 1;
      const found = await changedMessages(change, parts);
      const rooms = Map.groupBy(found, ({ roomId }) => roomId);
      const writes = [...rooms].map(([roomId, messages]) =>
        writesIn(roomId, { ids: new Set(messages.map(({ id }) => id)), nth: String(changes) }, parts),
      );
      return (await Promise.all(writes)).flat();
    },
    jobs: { [anewKind]: { run: (payload, signal) => sumUpAnew(payload, parts, signal), isResumable: true } },
  };
}

async function changedMessages(change: PlatformChange, { agentId, store }: SummariseParts): Promise<readonly Memory[]> {
  if (change.kind === "removed") return store.memories.get(agentId, change.memoryIds);
  if (change.kind !== "edited") return [];
  const before = await store.memories.get(agentId, [change.memoryId]);
  return before.filter(({ content }) => content.text !== cleanText(change.content.text));
}

async function writesIn(
  roomId: string,
  { ids, nth }: { readonly ids: ReadonlySet<string>; readonly nth: string },
  { agentId, store, clock }: SummariseParts,
): Promise<readonly Write[]> {
  const summaries = await summariesOf(roomId, { agentId, store });
  const stale = summaries.filter(({ level, sourceIds }) => level === 1 && sourceIds.some((id) => ids.has(id)));
  const runAt = clock.now();
  return [
    ...withWholes(stale, summaries).map(({ id }): Write => ({ type: "memory.remove", id })),
    ...stale.map(({ id, sourceIds }): Write => {
      const payload: JsonObject = {
        roomId,
        sourceIds: [...sourceIds],
        revision: deriveId("context", id, String(runAt), nth),
      };
      const job = {
        id: deriveId("context", anewKind, id),
        kind: anewKind,
        payload,
        runAt,
        queue: deriveId("context", anewKind, roomId),
      };
      return { type: "job.put", job };
    }),
  ];
}

/** Those summaries, and every one they went into. */
function withWholes(parts: readonly Summary[], all: readonly Summary[]): readonly Summary[] {
  const gone = new Set(parts);
  for (const one of gone) {
    for (const whole of all) if (whole.level === 2 && whole.sourceIds.includes(one.id)) gone.add(whole);
  }
  return [...gone];
}

/** Sums up what is left of a span, as far as nothing else stands for it by now. */
async function sumUpAnew(payload: JsonObject, parts: SummariseParts, signal: AbortSignal): Promise<void> {
  const { agentId, store } = parts;
  const { sourceIds: named, revision } = payload;
  const roomNow = await store.rooms.room(agentId, String(payload["roomId"]));
  if (!roomNow || !Array.isArray(named)) return;
  const roomId = roomNow.room.id;
  const covered = coveredBy(await summariesOf(roomId, { agentId, store }));
  const found = await store.memories.get(
    agentId,
    named.filter((id) => typeof id === "string"),
  );
  const there = new Map(found.map((memory) => [memory.id, memory]));
  const span = named.flatMap((id) => there.get(String(id)) ?? []).filter(({ id }) => !covered.has(id));
  if (span.length === 0) return;
  // The id of what went is never used again.
  const id = summaryId(roomId, [...span.map((memory) => memory.id), String(revision)]);
  await sumUpMessages(span, { id, roomId, runId: "" }, parts, signal);
}
