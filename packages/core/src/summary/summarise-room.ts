import type { Character } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import { ModelError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import type { HistoryBudget } from "../prompt/history.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { chooseSpan } from "./choose-span.ts";
import { fromMemory, type Summary, standing, summaryId, toMemory, toMetadata } from "./summary.ts";
import { spanText, summariesText } from "./summary-prompts.ts";
import { type WriteFor, type WriteParts, writeSummary } from "./write-summary.ts";

/** What summing up needs. */
export type SummariseParts = WriteParts & {
  readonly agentId: string;
  readonly character: Character;
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly budget: HistoryBudget;
};

/** How far back it looks for messages nothing stands for. */
const lookedBack = 240;
/** More spans than this wait for the next exchange. */
const mostSpans = 4;
/** When more than this many stand side by side, the oldest are summed up once more. */
const mostStanding = 5;
const mostSummaries = 200;
const pauseNamespace = "summary-pause";
/** After a failure a room is left alone for this long; until then the window simply moves. */
const pauseMs = 10 * 60_000;

/** SUMMARIES: writes down, in the background, what a room's window is about to leave behind. */
export function createSummariesEvaluator(parts: SummariseParts): RegisteredEvaluator {
  return {
    name: "SUMMARIES",
    description: "Sums up the older part of long conversations.",
    similes: [],
    alwaysRun: true,
    isStateless: true,
    async validate({ message: { roomId } }) {
      const { agentId, store } = parts;
      if ((await nextSpan(roomId, parts)).span.length === 0) return false;
      return (await store.keyValues.get(agentId, pauseNamespace, roomId)) === null;
    },
    run: ({ message, runId }, signal) => summariseRoom({ roomId: message.roomId, runId }, parts, signal),
  };
}

async function summariseRoom(about: WriteFor, parts: SummariseParts, signal: AbortSignal): Promise<void> {
  const { agentId, store, clock, log } = parts;
  try {
    for (let at = 0; at < mostSpans; at++) {
      const { span, summaries } = await nextSpan(about.roomId, parts);
      if (span.length === 0) break;
      const summary = await sumUpMessages(span, about, parts, signal);
      if (!summary) return;
      await sumUpSummaries([...summaries, summary], about, parts, signal);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    log.warn({ ...about, code: error.code }, "a conversation could not be summed up; its window moves on");
    const expiresAt = clock.now() + pauseMs;
    await store.keyValues.set(agentId, pauseNamespace, about.roomId, { value: error.code, expiresAt });
  }
}

/** The messages of a room that a summary stands for. */
export function coveredBy(summaries: readonly Summary[]): ReadonlySet<string> {
  return new Set(summaries.filter(({ level }) => level === 1).flatMap(({ sourceIds }) => sourceIds));
}

async function nextSpan(
  roomId: string,
  { agentId, store, budget }: SummariseParts,
): Promise<{ readonly span: readonly Memory[]; readonly summaries: readonly Summary[] }> {
  const messages = await store.memories.recent(agentId, { roomId, limit: lookedBack, withoutWaiting: true });
  if (messages.length <= budget.messages / 2) return { span: [], summaries: [] };
  const summaries = await summariesOf(roomId, { agentId, store });
  return { span: chooseSpan(messages, coveredBy(summaries), budget), summaries };
}

/** Every summary of a room, those that went into others included. */
export async function summariesOf(
  roomId: string,
  { agentId, store }: { readonly agentId: string; readonly store: Pick<Store, "memories"> },
): Promise<readonly Summary[]> {
  const query = { types: ["summary"], limit: mostSummaries, scope: { roomIds: [roomId] } } as const;
  return (await store.memories.list(agentId, query)).flatMap((memory) => fromMemory(memory) ?? []);
}

/** Null when some of it was forgotten meanwhile, or says something else now. `id`: where it is not to follow from the sources. */
export async function sumUpMessages(
  span: readonly Memory[],
  { id, ...about }: WriteFor & { readonly id?: string },
  parts: SummariseParts,
  signal: AbortSignal,
): Promise<Summary | null> {
  const [first, last] = [span[0], span.at(-1)];
  if (!first || !last) return null;
  const written = await writeSummary(spanText(span, parts.character.name), about, parts, signal);
  const sourceIds = span.map(({ id }) => id);
  const summary: Summary = {
    id: id ?? summaryId(about.roomId, sourceIds),
    roomId: about.roomId,
    fromId: first.id,
    toId: last.id,
    sourceIds,
    count: span.length,
    level: 1,
    from: first.createdAt,
    to: last.createdAt,
    ...written,
  };
  const now = await parts.store.memories.get(parts.agentId, sourceIds);
  const texts = new Map(now.map((memory) => [memory.id, memory.content.text]));
  if (span.some((memory) => texts.get(memory.id) !== memory.content.text)) return null;
  return (await keep(summary, [], about, parts)) ? summary : null;
}

/** Where many stand side by side, the oldest become one. */
async function sumUpSummaries(
  summaries: readonly Summary[],
  about: WriteFor,
  parts: SummariseParts,
  signal: AbortSignal,
): Promise<void> {
  const side = standing(summaries);
  if (side.length <= mostStanding) return;
  const old = side.slice(0, mostStanding - 1);
  const [first, last] = [old[0], old.at(-1)];
  if (!first || !last) return;
  const written = await writeSummary(summariesText(old, parts.character.name), about, parts, signal);
  const sourceIds = old.map(({ id }) => id);
  const whole: Summary = {
    id: summaryId(about.roomId, sourceIds),
    roomId: about.roomId,
    fromId: first.fromId,
    toId: last.toId,
    sourceIds,
    count: old.reduce((sum, { count }) => sum + count, 0),
    level: 2,
    from: first.from,
    to: last.to,
    ...written,
  };
  await keep(whole, old, about, parts);
}

/** Writes a summary, unless something it was made of was forgotten while the model wrote; says whether it did. */
async function keep(
  summary: Summary,
  replaced: readonly Summary[],
  about: WriteFor,
  { agentId, store, log }: SummariseParts,
): Promise<boolean> {
  const there = await store.memories.get(agentId, summary.sourceIds);
  if (there.length < summary.sourceIds.length) return false;
  const marks = replaced.map(
    (one): Write => ({
      type: "memory.edit",
      id: one.id,
      metadata: toMetadata({ ...one, supersededBy: summary.id }),
    }),
  );
  await store.admin.write(agentId, [{ type: "memory.put", memory: toMemory(summary, agentId) }, ...marks]);
  const { score, count, level } = summary;
  log.info({ ...about, messages: count, level, ...(score !== undefined && { score }) }, "summed up a conversation");
  return true;
}
