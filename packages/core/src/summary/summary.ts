import type { JsonObject } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import { escapeMessageText } from "../state/escape.ts";

/** What stands for a span of older messages, or, at level 2, for several such spans. */
export type Summary = {
  readonly id: string;
  readonly roomId: string;
  readonly text: string;
  /** The first and the last message it stands for. */
  readonly fromId: string;
  readonly toId: string;
  /** What it was made of: messages, or summaries at level 2. */
  readonly sourceIds: readonly string[];
  /** Messages it stands for. */
  readonly count: number;
  readonly level: 1 | 2;
  /** When those were said, epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The share of open questions and promises it keeps, 0..1; absent when nobody could check. */
  readonly score?: number;
  /** The summary of summaries it went into. */
  readonly supersededBy?: string;
};

/** The id follows from the sources: a span that is summed up again after a crash is the same summary. */
export function summaryId(roomId: string, sourceIds: readonly string[]): string {
  return deriveId("memory", "summary", roomId, ...sourceIds);
}

/** A summary as it is remembered: of the agent that made it. */
export function toMemory(summary: Summary, agentId: string): Memory {
  return {
    id: summary.id,
    agentId,
    roomId: summary.roomId,
    entityId: agentId,
    type: "summary",
    content: { text: summary.text },
    createdAt: summary.to,
    metadata: toMetadata(summary),
  };
}

/** What is kept with a summary's words. */
export function toMetadata({ id: _id, roomId: _room, text: _text, ...kept }: Summary): JsonObject {
  return { ...kept, sourceIds: [...kept.sourceIds] };
}

/** The summary a memory stands for; null when it is none that can be read. */
export function fromMemory({ id, roomId, type, content, createdAt, metadata = {} }: Memory): Summary | null {
  const { fromId, toId, sourceIds, count, level, from, to, score, supersededBy } = metadata;
  if (type !== "summary" || typeof fromId !== "string" || typeof toId !== "string" || !Array.isArray(sourceIds)) {
    return null;
  }
  return {
    id,
    roomId,
    text: content.text,
    fromId,
    toId,
    sourceIds: sourceIds.filter((one) => typeof one === "string"),
    count: typeof count === "number" ? count : sourceIds.length,
    level: level === 2 ? 2 : 1,
    from: typeof from === "number" ? from : createdAt,
    to: typeof to === "number" ? to : createdAt,
    ...(typeof score === "number" && { score }),
    ...(typeof supersededBy === "string" && { supersededBy }),
  };
}

/** Those that stand for themselves, oldest first: not those that went into one that is still there. */
export function standing(summaries: readonly Summary[]): readonly Summary[] {
  const there = new Set(summaries.map(({ id }) => id));
  return summaries
    .filter(({ supersededBy }) => supersededBy === undefined || !there.has(supersededBy))
    .toSorted((left, right) => left.to - right.to || left.from - right.from || (left.id < right.id ? -1 : 1));
}

/** What a summary is called in a prompt. */
export function shortId({ id }: Pick<Summary, "id">): string {
  return id.slice(0, 8);
}

/** A summary in a prompt: always the same text for the same summary. */
export function summaryText(summary: Summary): string {
  const { from, to, count, text } = summary;
  const head = `id="${shortId(summary)}" from="${dayOf(from)}" to="${dayOf(to)}" messages="${count}"`;
  return `<summary ${head}>\n${escapeMessageText(text)}\n</summary>`;
}

/** `2026-05-12`. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
