import { decodeResponse } from "../format/decoder.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Memory } from "../memory/memory.ts";
import type { FinishReason } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { DeliveryKind, DeliveryRow, DeliveryState } from "../outbox/delivery.ts";
import type { RoomRow, RunRow } from "../store/store.ts";
import type { DecisionKind, Entry, EntryBody, PartHash, RunOutcome } from "./entry.ts";
import { foldRun } from "./run-state.ts";

/** What an explanation is made from: a run's row and entries, and what could be found of the texts and rows they name. */
export type RunFacts = {
  readonly run: RunRow;
  readonly entries: readonly Entry[];
  /** The texts of the parts the entries name; a forgotten one is missing. */
  readonly parts: ReadonlyMap<PartHash, string>;
  /** The messages the entries name; a removed one is missing. */
  readonly memories: readonly Memory[];
  /** The run's deliveries as they stand now, which may be other than its receipts say. */
  readonly deliveries: readonly DeliveryRow[];
  readonly agentName: string;
  readonly room?: RoomRow | null;
};

/** A message the run answers. `text` is null when it was removed since. */
export type ExplainedInput = {
  readonly seq: number;
  readonly memoryId: string;
  readonly text: string | null;
  readonly from?: string;
  readonly at?: number;
  readonly platformId?: string;
};

/** A piece of a prompt. `text` is null when it was forgotten. */
type ExplainedPart = {
  readonly role: "system" | "user" | "assistant";
  readonly text: string | null;
};

/** A delivery as it stands now; `state` is null when the outbox does not know it. */
export type ExplainedDelivery = {
  readonly key: string;
  readonly state: DeliveryState | null;
  readonly text?: string;
  readonly platformId?: string;
  readonly error?: string;
  readonly attempts?: number;
};

/** The entries whose references are looked up, or that are told in words of their own. */
const toldTypes = [
  "input",
  "decision",
  "state",
  "prompt",
  "model_answer",
  "action_call",
  "action_started",
  "action_result",
  "output",
  "receipt",
  "error",
  "end",
] as const satisfies readonly EntryBody["type"][];

/** Whatever else a journal holds, one written by a later release included; it is told as it stands. */
export type PlainBody = Exclude<EntryBody, { readonly type: (typeof toldTypes)[number] }>;

/** An entry with what it refers to looked up. */
export type ExplainedBody =
  | PlainBody
  | { readonly type: "input"; readonly inputs: readonly ExplainedInput[] }
  | { readonly type: "decision"; readonly decision: DecisionKind; readonly rule: string; readonly reason: string }
  | {
      readonly type: "state";
      readonly step: number;
      readonly composed: readonly string[];
      readonly missing: readonly { readonly name: string; readonly failed: string }[];
      /** Actions that may not be used there, with why. */
      readonly withheld: readonly { readonly reason: string; readonly actions: readonly string[] }[];
    }
  | {
      readonly type: "prompt";
      readonly step: number;
      readonly purpose: "answer" | "decision" | "retry";
      readonly model: string;
      readonly parts: readonly ExplainedPart[];
    }
  | {
      readonly type: "model_answer";
      readonly step: number;
      readonly purpose: "answer" | "decision" | "retry";
      readonly model: string;
      readonly finishReason: FinishReason;
      readonly isUsable: boolean;
      readonly usage: Usage;
      readonly costMicrousd?: number;
      readonly notes: readonly JsonValue[];
      /** As the model wrote it; null when it was forgotten. */
      readonly raw: string | null;
      /** What was read from it. */
      readonly thought?: string;
      readonly text?: string;
    }
  | {
      readonly type: "action_call";
      readonly callId: string;
      readonly name: string;
      readonly origin: "named" | "keyword" | "command" | "output";
      readonly parameters?: JsonObject;
      readonly keywords: readonly string[];
    }
  | { readonly type: "action_started"; readonly callId: string; readonly name: string | null }
  | {
      readonly type: "action_result";
      readonly callId: string;
      readonly name: string | null;
      readonly success: boolean;
      readonly text?: string;
      readonly data?: JsonValue;
      readonly error?: string;
    }
  | {
      readonly type: "output";
      readonly callId: string;
      readonly kind: DeliveryKind;
      readonly isFinal: boolean;
      readonly deliveries: readonly ExplainedDelivery[];
    }
  | {
      readonly type: "receipt";
      readonly key: string;
      readonly state: DeliveryState;
      readonly platformId?: string;
      readonly error?: string;
      readonly isWithdrawn: boolean;
    }
  | { readonly type: "error"; readonly where: string; readonly code: string; readonly message: string }
  | { readonly type: "end"; readonly outcome: RunOutcome; readonly reason?: string };

/** One line of the account. `afterMs` counts from the run's first entry. */
export type ExplainedEntry = { readonly seq: number; readonly afterMs: number; readonly body: ExplainedBody };

/** What a run that has not ended is doing, as far as its journal tells. */
export type RunStage =
  | { readonly type: "deciding" }
  | { readonly type: "thinking"; readonly step: number; readonly model: string | null }
  | { readonly type: "delivering"; readonly key: string }
  | { readonly type: "acting"; readonly action: string }
  | { readonly type: "ending" };

/** Everything a run's journal tells, in order, and its sums. */
export type ExplainedRun = {
  readonly id: string;
  readonly contextId: string;
  readonly agentName: string;
  /** The room's name and platform, when the room is known. */
  readonly room?: { readonly name: string; readonly platform: string };
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly durationMs?: number;
  /** Absent while the run is open. */
  readonly outcome?: RunOutcome;
  readonly reason?: string;
  /** What it is at; present while the run is open. */
  readonly stage?: RunStage;
  /** Models that answered, each once. */
  readonly models: readonly string[];
  /** Sums over all answers; the cost is absent when no answer's price is known. */
  readonly usage: Usage;
  readonly costMicrousd?: number;
  readonly entries: readonly ExplainedEntry[];
};

/** Tells a run from its entries. Pure; whatever is missing or forgotten is left open, never an error. */
export function explainRun(facts: RunFacts): ExplainedRun {
  const { run, room } = facts;
  const ordered = [...facts.entries].sort((a, b) => a.seq - b.seq);
  const startedAt = ordered[0]?.at ?? run.startedAt;
  const look = createLookup(facts, ordered);
  const end = ordered.findLast(({ body }) => body.type === "end");
  const endedAt = end?.at ?? run.endedAt;
  const outcome = end?.body.type === "end" ? end.body.outcome : run.outcome;
  const reason = end?.body.type === "end" ? end.body.reason : run.reason;
  return {
    id: run.id,
    contextId: run.contextId,
    agentName: facts.agentName,
    ...(room && { room: { name: room.room.name ?? room.room.platformId, platform: room.room.platform } }),
    startedAt,
    ...(endedAt !== undefined && { endedAt, durationMs: endedAt - startedAt }),
    ...(outcome !== undefined && { outcome }),
    ...(reason !== undefined && { reason }),
    ...(outcome === undefined && { stage: stageOf(ordered) }),
    ...sums(ordered),
    entries: ordered.map(({ seq, at, body }) => ({ seq, afterMs: at - startedAt, body: explainBody(body, look) })),
  };
}

/** The hashes of all parts that entries name: what must be looked up to explain them. */
export function partsOf(entries: readonly Entry[]): readonly PartHash[] {
  const hashes = entries.flatMap(({ body }) => {
    if (body.type === "prompt") return body.parts.map(({ part }) => part);
    return body.type === "model_answer" ? [body.part] : [];
  });
  return [...new Set(hashes)];
}

/** The ids of all messages that entries name. */
export function memoriesOf(entries: readonly Entry[]): readonly string[] {
  const ids = entries.flatMap(({ body }) => (body.type === "input" ? body.inputs.map(({ memoryId }) => memoryId) : []));
  return [...new Set(ids)];
}

type Lookup = {
  readonly agentName: string;
  readonly part: (hash: PartHash) => string | null;
  readonly memory: (id: string) => Memory | undefined;
  readonly delivery: (key: string) => DeliveryRow | undefined;
  readonly callName: (callId: string) => string | null;
};

function createLookup(facts: RunFacts, entries: readonly Entry[]): Lookup {
  const memories = new Map(facts.memories.map((memory) => [memory.id, memory]));
  const deliveries = new Map(facts.deliveries.map((row) => [row.delivery.key, row]));
  const names = new Map(
    entries.flatMap(({ body }) => (body.type === "action_call" ? [[body.callId, body.name] as const] : [])),
  );
  return {
    agentName: facts.agentName,
    part: (hash) => facts.parts.get(hash) ?? null,
    memory: (id) => memories.get(id),
    delivery: (key) => deliveries.get(key),
    callName: (callId) => names.get(callId) ?? null,
  };
}

function explainBody(body: EntryBody, look: Lookup): ExplainedBody {
  switch (body.type) {
    case "input":
      return { type: "input", inputs: body.inputs.map((input) => explainInput(input, look)) };
    case "state":
      return {
        type: "state",
        step: body.step,
        composed: body.providers.flatMap(({ name, failed }) => (failed === undefined ? [name] : [])),
        missing: body.providers.flatMap(({ name, failed }) => (failed === undefined ? [] : [{ name, failed }])),
        withheld: body.withheld ?? [],
      };
    case "prompt": {
      const { type, step, purpose, model } = body;
      return {
        type,
        step,
        purpose,
        model,
        parts: body.parts.map(({ role, part }) => ({ role, text: look.part(part) })),
      };
    }
    case "model_answer":
      return explainAnswer(body, look);
    case "action_call":
      return { ...body, keywords: body.keywords ?? [] };
    case "action_started":
    case "action_result":
      return { ...body, name: look.callName(body.callId) };
    case "output":
      return { ...body, deliveries: body.deliveries.map((key) => explainDelivery(key, look.delivery(key))) };
    case "receipt":
      return { ...body, isWithdrawn: body.isWithdrawn === true };
    case "decision":
    case "error":
    case "end":
      return body;
    default:
      return body;
  }
}

function explainInput(
  { seq, memoryId }: { readonly seq: number; readonly memoryId: string },
  look: Lookup,
): ExplainedInput {
  const memory = look.memory(memoryId);
  if (!memory) return { seq, memoryId, text: null };
  const { createdAt: at, content, platformId } = memory;
  const from = writerOf(memory, look.agentName);
  return {
    seq,
    memoryId,
    text: content.text,
    at,
    ...(from !== undefined && { from }),
    ...(platformId !== undefined && { platformId }),
  };
}

/** What the writer of a message is called, as far as the message itself remembers it. */
export function writerOf(memory: Memory, agentName: string): string | undefined {
  if (memory.entityId === memory.agentId) return agentName;
  const name = memory.metadata?.["entityName"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

function explainAnswer(body: Extract<EntryBody, { type: "model_answer" }>, look: Lookup): ExplainedBody {
  const { type, step, purpose, model, finishReason, isUsable, usage, costMicrousd, notes } = body;
  const raw = look.part(body.part);
  const decoded = raw === null || purpose === "decision" ? null : decodeResponse(raw, { agentName: look.agentName });
  return {
    type,
    step,
    purpose,
    model,
    finishReason,
    isUsable,
    usage,
    ...(costMicrousd !== undefined && { costMicrousd }),
    notes: notes ?? [],
    raw,
    ...(decoded?.thought !== undefined && { thought: decoded.thought }),
    ...(decoded && decoded.text !== "" && { text: decoded.text }),
  };
}

function explainDelivery(key: string, row: DeliveryRow | undefined): ExplainedDelivery {
  if (!row) return { key, state: null };
  const { state, delivery, platformId, error, attempts } = row;
  return {
    key,
    state,
    text: delivery.content.text,
    attempts,
    ...(platformId !== undefined && { platformId }),
    ...(error !== undefined && { error }),
  };
}

function sums(entries: readonly Entry[]): Pick<ExplainedRun, "models" | "usage" | "costMicrousd"> {
  const answers = entries.flatMap(({ body }) =>
    body.type === "model_answer" || body.type === "model_used" ? [body] : [],
  );
  const prices = answers.flatMap(({ costMicrousd }) => (costMicrousd === undefined ? [] : [costMicrousd]));
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  return {
    models: [...new Set(answers.map(({ model }) => model))],
    usage: {
      inputTokens: sum(answers.map(({ usage }) => usage.inputTokens)),
      cachedInputTokens: sum(answers.map(({ usage }) => usage.cachedInputTokens)),
      outputTokens: sum(answers.map(({ usage }) => usage.outputTokens)),
    },
    ...(prices.length > 0 && { costMicrousd: sum(prices) }),
  };
}

/** What a run that has not ended is at. */
function stageOf(entries: readonly Entry[]): RunStage {
  const state = foldRun(entries.filter(({ body }) => toldTypes.some((type) => type === body.type)));
  const step = state.steps.at(-1);
  if (!state.decision) return { type: "deciding" };
  if (state.decision.decision !== "respond" || state.failure !== null) return { type: "ending" };
  if (!step?.isAnswered) return { type: "thinking", step: step?.step ?? 1, model: lastModelAsked(entries) };
  const output = step.outputs.find((known) => known.state === null);
  if (output) return { type: "delivering", key: output.key };
  const call = step.calls.find(({ result }) => result === null);
  return call ? { type: "acting", action: call.name } : { type: "ending" };
}

function lastModelAsked(entries: readonly Entry[]): string | null {
  const last = entries.findLast(({ body }) => body.type === "prompt" || body.type === "model_answer");
  return last?.body.type === "prompt" ? last.body.model : null;
}
