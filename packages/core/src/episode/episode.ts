import { isList, isObject } from "../action/json-kind.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Entry, RunOutcome } from "../run/entry.ts";

/** What happened between an input and its outcome. */
export type Episode = {
  readonly runId: string;
  /** The journal it is in: a room's, or a context's. */
  readonly contextId: string;
  /** Its entries in that journal, from and to. */
  readonly seqs: readonly [from: number, to: number];
  /** What was heard and said in it; who has it forgotten has the episode forgotten. */
  readonly sourceIds: readonly string[];
  readonly actions: readonly { readonly name: string; readonly success: boolean }[];
  readonly outcome: RunOutcome;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its words were written by a model. */
  readonly isSummed: boolean;
};

/** A run that has ended, with what was heard and said in it. */
export type FinishedRun = {
  readonly agentId: string;
  readonly agentName: string;
  readonly runId: string;
  readonly contextId: string;
  readonly entries: readonly Entry[];
  readonly heard: readonly Memory[];
  readonly said: readonly Memory[];
};

/** What is told of one episode, and where it comes from. */
export type Digest = { readonly text: string; readonly episode: Episode };

const longestLine = 300;
const longestDigest = 1_500;

/**
 * The digest of a run: who said what, what was done and what came of it, in that order; the same for the same run. Null when
 * nothing happened in it: it has not ended, or no model and no action had a part in it.
 */
export function digestOf(run: FinishedRun): Digest | null {
  const { agentName, runId, contextId, entries, heard, said } = run;
  const [first, last] = [entries[0], entries.at(-1)];
  const end = last?.body.type === "end" ? last.body : null;
  const happened = entries.some(({ body: { type } }) => type === "model_answer" || type === "action_result");
  if (!first || !last || !end || !happened) return null;
  const actions = actionsOf(entries);
  const lines = [
    ...heard.map((memory) => line(nameOf(memory), memory.content.text)),
    ...actions.map(({ name, success, told }) => line(`[${name}${success ? "" : " failed"}]`, told)),
    ...said.map((memory) => line(agentName, memory.content.text)),
    ...(end.outcome === "answered" ? [] : [line("Outcome", `${end.outcome}${end.reason ? `, ${end.reason}` : ""}`)]),
  ];
  const episode: Episode = {
    runId,
    contextId,
    seqs: [first.seq, last.seq],
    sourceIds: [...heard, ...said].map(({ id }) => id),
    actions: actions.map(({ name, success }) => ({ name, success })),
    outcome: end.outcome,
    startedAt: first.at,
    endedAt: last.at,
    isSummed: false,
  };
  return { text: bounded(lines), episode };
}

type Done = { readonly name: string; readonly success: boolean; readonly told: string };

/** Calls with their results, in the order of their asking; a call within another belongs to that one. */
function actionsOf(entries: readonly Entry[]): readonly Done[] {
  const results = new Map(
    entries.flatMap(({ body }) => (body.type === "action_result" ? [[body.callId, body] as const] : [])),
  );
  return entries.flatMap(({ body }) => {
    if (body.type !== "action_call" || body.parentCallId !== undefined) return [];
    const result = results.get(body.callId);
    if (!result) return [];
    const asked = Object.keys(body.parameters ?? {}).length > 0 ? JSON.stringify(body.parameters) : "";
    const came = result.success ? (result.text ?? "") : (result.error ?? "");
    return [{ name: body.name, success: result.success, told: [asked, came].filter(Boolean).join(" → ") }];
  });
}

function nameOf({ metadata }: Memory): string {
  const name = metadata?.["entityName"];
  return typeof name === "string" && name.trim() !== "" ? cut(name, 80) : "somebody";
}

function line(who: string, text: string): string {
  return `${who}: ${cut(text, longestLine)}`.trimEnd();
}

/** One line, cut between characters. */
function cut(text: string, limit: number): string {
  const plain = text.replace(/\s+/gu, " ").trim();
  return plain.length <= limit ? plain : `${plain.slice(0, limit).toWellFormed().trimEnd()} …`;
}

/** The beginning and the end say most: what is too much is left out of the middle. */
function bounded(lines: readonly string[]): string {
  const kept = [...lines];
  let left = 0;
  while (kept.length > 2 && kept.join("\n").length > longestDigest) {
    kept.splice(Math.floor(kept.length / 2), 1);
    left += 1;
  }
  if (left > 0) kept.splice(Math.ceil(kept.length / 2), 0, `… ${left} more`);
  return kept.join("\n");
}

/** The id of a run's episode: kept again, it is the same. */
export function episodeId(agentId: string, runId: string): string {
  return deriveId("memory", agentId, "episode", runId);
}

/** An episode as it is remembered, in the room of its run, by whom it began with. */
export function toMemory(
  { text, episode }: Digest,
  { agentId, roomId, entityId }: { readonly agentId: string; readonly roomId: string; readonly entityId: string },
): Memory {
  const { runId, contextId, seqs, sourceIds, actions, outcome, startedAt, endedAt, isSummed } = episode;
  return {
    id: episodeId(agentId, runId),
    agentId,
    roomId,
    entityId,
    type: "episode",
    content: { text },
    createdAt: endedAt,
    runId,
    metadata: { contextId, seqs, sourceIds, actions, outcome, startedAt, ...(isSummed && { isSummed }) },
  };
}

/** What a memory says of the episode it is, or null when it is none. */
export function fromMemory({ type, runId, createdAt, metadata = {} }: Memory): Episode | null {
  const { contextId, seqs, sourceIds, actions, outcome, startedAt, isSummed } = metadata;
  if (type !== "episode" || runId === undefined || typeof contextId !== "string" || !isList(seqs)) return null;
  const [from, to] = seqs;
  if (typeof from !== "number" || typeof to !== "number") return null;
  return {
    runId,
    contextId,
    seqs: [from, to],
    sourceIds: texts(sourceIds),
    actions: isList(actions) ? actions.flatMap((one) => (isObject(one) ? toAction(one) : [])) : [],
    outcome: outcomes.find((one) => one === outcome) ?? "answered",
    startedAt: typeof startedAt === "number" ? startedAt : createdAt,
    endedAt: createdAt,
    isSummed: isSummed === true,
  };
}

const outcomes: readonly RunOutcome[] = ["answered", "ignored", "failed", "uncertain", "aborted"];

function toAction({ name, success }: JsonObject): Episode["actions"] {
  return typeof name === "string" ? [{ name, success: success === true }] : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === "string") : [];
}
