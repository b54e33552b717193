import type { Memory } from "../memory/memory.ts";
import type { DeliveryRow } from "../outbox/delivery.ts";
import type { InboxRow } from "../store/store.ts";
import type { DecisionKind, RunOutcome } from "./entry.ts";
import { type ExplainedInput, type ExplainedRun, type RunStage, writerOf } from "./explain.ts";

/** What can be found out about a message; whatever could not be found is null or empty. */
export type MessageFacts = {
  /** As it was asked for. */
  readonly wanted: string;
  readonly agentName: string;
  readonly memory: Memory | null;
  readonly inbox: InboxRow | null;
  /** The run that wrote it, or that answers it. */
  readonly run: ExplainedRun | null;
  /** When it was asked for by a delivery's key, or is the text of one. */
  readonly delivery: DeliveryRow | null;
  /** How many inputs of the same context wait before it. */
  readonly waitingBefore: number;
  /** The run that is open in the same context and does not cover this message. */
  readonly openRun: ExplainedRun | null;
  /** Whether an agent process runs on this home now. */
  readonly isAgentRunning: boolean;
  /** Messages that are known near the one asked for, when that one is not known. */
  readonly nearby: readonly Memory[];
};

/** A message in an account. */
export type ExplainedMessage = {
  readonly memoryId: string;
  readonly from: string;
  readonly text: string;
  readonly at: number;
  readonly roomId: string;
  readonly platformId?: string;
  readonly url?: string;
};

/** What a run said and did. */
export type ExplainedAnswer = {
  readonly runId: string;
  readonly texts: readonly string[];
  readonly actions: readonly { readonly name: string; readonly success: boolean | null; readonly error?: string }[];
  readonly models: readonly string[];
  readonly decision?: { readonly decision: DecisionKind; readonly rule: string; readonly reason: string };
  readonly thoughts: readonly string[];
};

/** Why there is this message, or what became of it. */
export type MessageExplanation =
  /** Nothing of this name was ever stored. */
  | { readonly type: "unknown"; readonly wanted: string; readonly nearby: readonly ExplainedMessage[] }
  /** The agent said it, or is about to. `message` is null before the platform has it. */
  | {
      readonly type: "said";
      readonly message: ExplainedMessage | null;
      readonly delivery: DeliveryRow | null;
      readonly causes: readonly ExplainedInput[];
      readonly answer: ExplainedAnswer | null;
    }
  /** It was heard, and this became of it. */
  | { readonly type: "heard"; readonly message: ExplainedMessage; readonly fate: MessageFate };

/** What became of a message that was heard. */
export type MessageFate =
  | { readonly type: "answered"; readonly answer: ExplainedAnswer | null; readonly runId: string | null }
  | {
      readonly type: "waiting";
      readonly acceptedAt: number;
      /** Place in its context's queue, from 1. */
      readonly position: number;
      /** The run that is being worked on before it. */
      readonly behind: { readonly runId: string; readonly stage: RunStage; readonly startedAt: number } | null;
      readonly attempts: number;
      readonly isAgentRunning: boolean;
    }
  | {
      readonly type: "in-work";
      readonly runId: string;
      readonly stage: RunStage;
      readonly startedAt: number;
      readonly attempts: number;
      readonly isAgentRunning: boolean;
    }
  | {
      readonly type: "unanswered";
      readonly outcome: Exclude<RunOutcome, "answered">;
      readonly reason: string;
      readonly remedy: string | null;
      readonly rule: string | null;
      readonly runId: string | null;
      readonly answer: ExplainedAnswer | null;
    }
  /** It is remembered, but was never put up for an answer. */
  | { readonly type: "only-remembered" };

/** Tells why a message is there, or what became of it. Pure. */
export function explainMessage(facts: MessageFacts): MessageExplanation {
  const { memory, delivery, wanted } = facts;
  if (memory && !isOwn(memory)) {
    return { type: "heard", message: explainMemory(memory, facts.agentName), fate: fateOf(facts) };
  }
  if (memory || delivery) {
    return {
      type: "said",
      message: memory ? explainMemory(memory, facts.agentName) : null,
      delivery,
      causes: facts.run ? inputsOf(facts.run) : [],
      answer: facts.run ? answerOf(facts.run) : null,
    };
  }
  return { type: "unknown", wanted, nearby: facts.nearby.map((near) => explainMemory(near, facts.agentName)) };
}

const isOwn = (memory: Memory): boolean => memory.entityId === memory.agentId;

function explainMemory(memory: Memory, agentName: string): ExplainedMessage {
  const { id, roomId, content, createdAt, platformId } = memory;
  return {
    memoryId: id,
    from: writerOf(memory, agentName) ?? "somebody",
    text: content.text,
    at: createdAt,
    roomId,
    ...(platformId !== undefined && { platformId }),
    ...(content.url !== undefined && { url: content.url }),
  };
}

function fateOf(facts: MessageFacts): MessageFate {
  const { inbox, run, isAgentRunning } = facts;
  if (!inbox) return { type: "only-remembered" };
  const { attempts } = inbox;
  if (inbox.state === "waiting" && run && run.outcome === undefined) {
    const { id: runId, stage = { type: "ending" }, startedAt } = run;
    return { type: "in-work", runId, stage, startedAt, attempts, isAgentRunning };
  }
  if (inbox.state === "waiting") return waitingFate(facts, inbox);
  const runId = inbox.runId ?? run?.id ?? null;
  const answer = run ? answerOf(run) : null;
  const outcome = inbox.outcome ?? run?.outcome ?? "answered";
  if (outcome === "answered") return { type: "answered", answer, runId };
  return {
    type: "unanswered",
    outcome,
    reason: inbox.reason ?? run?.reason ?? "No reason was recorded.",
    remedy: remedyFor(outcome, run),
    rule: answer?.decision && answer.decision.decision !== "respond" ? answer.decision.rule : null,
    runId,
    answer,
  };
}

function waitingFate({ openRun, waitingBefore, isAgentRunning }: MessageFacts, inbox: InboxRow): MessageFate {
  const behind = openRun && {
    runId: openRun.id,
    stage: openRun.stage ?? { type: "ending" as const },
    startedAt: openRun.startedAt,
  };
  const { acceptedAt, attempts } = inbox;
  return { type: "waiting", acceptedAt, position: waitingBefore + 1, behind, attempts, isAgentRunning };
}

function inputsOf(run: ExplainedRun): readonly ExplainedInput[] {
  return run.entries.flatMap(({ body }) => (body.type === "input" ? body.inputs : []));
}

/** What a run decided, thought, said and did. */
function answerOf(run: ExplainedRun): ExplainedAnswer {
  const bodies = run.entries.map(({ body }) => body);
  const results = new Map(
    bodies.flatMap((body) => (body.type === "action_result" ? [[body.callId, body] as const] : [])),
  );
  const decided = bodies.find((body) => body.type === "decision");
  const answers = bodies.filter((body) => body.type === "model_answer");
  const outputs = bodies.filter((body) => body.type === "output").flatMap(({ deliveries }) => deliveries);
  const pieces = new Map(outputs.map(({ key, text }) => [key, text ?? ""]));
  return {
    runId: run.id,
    texts: [...pieces.values()].filter((text) => text !== ""),
    actions: bodies.flatMap((body) => {
      if (body.type !== "action_call") return [];
      const { success = null, error } = results.get(body.callId) ?? {};
      return [{ name: body.name, success, ...(error !== undefined && { error }) }];
    }),
    models: [...new Set(answers.map(({ model }) => model))],
    thoughts: answers.flatMap(({ thought, isUsable }) => (thought === undefined || !isUsable ? [] : [thought])),
    ...(decided?.type === "decision" && {
      decision: { decision: decided.decision, rule: decided.rule, reason: decided.reason },
    }),
  };
}

/** What to do about an outcome; null when the reason says all there is to say. */
function remedyFor(outcome: Exclude<RunOutcome, "answered">, run: ExplainedRun | null): string | null {
  switch (outcome) {
    case "ignored":
      return ignoredRemedy(run);
    case "failed":
      return failedRemedy(run);
    case "uncertain":
      return "Look on the platform; then settle it with: troupe deliveries sent KEY, resend KEY or drop KEY.";
    case "aborted":
      return "Say it again: what was called off is not taken up again.";
  }
}

/** What an operator may change, by the rule that silenced the agent. */
const remediesByRule: Readonly<Record<string, string>> = {
  "nothing-said": "Nothing: an empty message has no answer.",
  "room-not-allowed": "Add the room to allowedRoomIds of the character's platform, or remove the list.",
  "entity-not-allowed": "Add the writer to allowedEntityIds of the character's platform, or remove the list.",
  "bot-message": "Switch shouldIgnoreBotMessages off if it should answer bots.",
  "bot-loop": "Nothing: a person's message is answered again.",
  muted: "Mention the agent, or unmute the room.",
  "direct-message-ignored": "Switch shouldIgnoreDirectMessages off if it should answer direct messages.",
  "mentions-only": "Mention the agent, or switch shouldRespondOnlyToMentions off.",
  stopped: "Mention the agent, answer one of its messages, or call it by name.",
  model: "Mention the agent or call it by name: then no model is asked whether to speak.",
};

function ignoredRemedy(run: ExplainedRun | null): string | null {
  const decision = run ? answerOf(run).decision : undefined;
  if (!decision || decision.decision === "respond") return null;
  return Object.hasOwn(remediesByRule, decision.rule) ? (remediesByRule[decision.rule] ?? null) : null;
}

/** What an operator can do, by the code of the error that ended the run. */
const remediesByCode: Readonly<Record<string, string>> = {
  unauthorized: "Replace the key of the model or platform that refused, and look at: troupe doctor.",
  not_found: "Check the name of the model or room, and look at: troupe doctor.",
  unavailable: "It may work when it is said again; if not, look at: troupe doctor.",
  exhausted: "Raise the limit or wait until it is free again, and look at: troupe doctor.",
  timeout: "Say it again, choose a faster model, or raise settings.runTimeoutMs.",
  invalid: "Look at the run: the request itself was refused.",
  corrupt: "Look at: troupe doctor.",
  internal: "This is a defect: please report it with the run.",
};

function failedRemedy(run: ExplainedRun | null): string | null {
  if (!run) return null;
  const bodies = run.entries.map(({ body }) => body);
  const error = bodies.findLast((body) => body.type === "error");
  if (error?.type === "error" && Object.hasOwn(remediesByCode, error.code)) return remediesByCode[error.code] ?? null;
  const isUndelivered = bodies.some((body) => body.type === "receipt" && body.state === "failed");
  return isUndelivered ? "When its cause is mended, send it with: troupe deliveries resend KEY." : null;
}
