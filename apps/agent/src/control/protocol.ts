import type { DeliveryRow, DraftSchedule, TaskDraft } from "@troupe/core";
import type { AddedSource } from "@troupe/core/knowledge";
import { z } from "zod";

/** The version both sides speak. It changes when an older side would misunderstand a newer one. */
export const protocolVersion = 1;

/** The longest line of a request or an answer. */
export const lineLimitBytes = 1_048_576;

const pingRequest = z.object({ type: z.literal("ping") });
const resolveRequest = z.object({
  type: z.literal("deliveries.resolve"),
  agentId: z.string().min(1),
  key: z.string().min(1),
  as: z.enum(["resend", "drop", "sent"]),
  platformId: z.string().min(1).exactOptional(),
});
const shared = z.boolean();
const knowledgeSource = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string().min(1), shared }),
  z.object({ kind: z.literal("directory"), directory: z.string().min(1), shared }),
  z.object({ kind: z.literal("url"), url: z.url({ protocol: /^https?$/ }), shared }),
]) satisfies z.ZodType<AddedSource>;
/** `ownerId`: an agent, or the owner of what all agents know. */
const addKnowledgeRequest = z.object({
  type: z.literal("knowledge.add"),
  ownerId: z.string().min(1),
  source: knowledgeSource,
});
const removeKnowledgeRequest = z.object({
  type: z.literal("knowledge.remove"),
  ownerId: z.string().min(1),
  key: z.string().min(1),
});
const schedule = z.discriminatedUnion("type", [
  z.object({ type: z.literal("once"), at: z.int() }),
  z.object({ type: z.literal("every"), everyMs: z.int(), from: z.int().exactOptional() }),
  z.object({ type: z.literal("cron"), expression: z.string().min(1), timeZone: z.string().min(1) }),
]) satisfies z.ZodType<DraftSchedule>;
const taskDraft = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  kind: z.string().min(1),
  payload: z.record(z.string(), z.json()),
  schedule,
  catchUp: z.enum(["skip", "once", "all"]).exactOptional(),
  roomId: z.string().min(1).exactOptional(),
  entityId: z.string().min(1).exactOptional(),
}) satisfies z.ZodType<TaskDraft>;
const putTaskRequest = z.object({ type: z.literal("tasks.put"), agentId: z.string().min(1), draft: taskDraft });
const setTaskRequest = z.object({
  type: z.literal("tasks.set"),
  agentId: z.string().min(1),
  id: z.string().min(1),
  as: z.enum(["pause", "resume", "remove", "run"]),
});
const requestSchema = z.discriminatedUnion("type", [
  pingRequest,
  resolveRequest,
  addKnowledgeRequest,
  removeKnowledgeRequest,
  putTaskRequest,
  setTaskRequest,
]);

/** What a running agent can be asked. One JSON object on one line. */
export type ControlRequest = z.output<typeof requestSchema>;

/** What `ping` says: which process it is, since when (epoch milliseconds), and whom it plays. */
type Ping = z.output<typeof pingSchema>;

const pingSchema = z.object({
  pid: z.int(),
  since: z.number(),
  characters: z.array(z.object({ agentId: z.string(), name: z.string() })),
});

/** What became of a delivery: its state now, with the platform's id or what to know about it. */
export type ResolvedDelivery = z.output<typeof resolvedSchema>;

const resolvedSchema = z.object({
  key: z.string(),
  state: z.enum(["pending", "sending", "sent", "uncertain", "failed"]) satisfies z.ZodType<DeliveryRow["state"]>,
  platformId: z.string().exactOptional(),
  error: z.string().exactOptional(),
});

/** `isNew`: it was not there before. `isReading`: an agent that runs looks at it now; else the next start does. */
const addedSchema = z.object({ isNew: z.boolean(), isReading: z.boolean() });
const removedSchema = z.object({ isForgotten: z.literal(true) });

/** What became of a task; `nextAt` is its next turn, epoch milliseconds. */
export type ChangedTask = z.output<typeof changedTaskSchema>;

const changedTaskSchema = z.object({
  id: z.string(),
  state: z.enum(["active", "paused", "done", "removed"]),
  nextAt: z.number().exactOptional(),
});

/** The answer to each request. */
export type ControlAnswers = {
  readonly ping: Ping;
  readonly "deliveries.resolve": ResolvedDelivery;
  readonly "knowledge.add": z.output<typeof addedSchema>;
  readonly "knowledge.remove": z.output<typeof removedSchema>;
  readonly "tasks.put": ChangedTask;
  readonly "tasks.set": ChangedTask;
};

/** How the answers are read. */
export const answerSchemas = {
  ping: pingSchema,
  "deliveries.resolve": resolvedSchema,
  "knowledge.add": addedSchema,
  "knowledge.remove": removedSchema,
  "tasks.put": changedTaskSchema,
  "tasks.set": changedTaskSchema,
} as const satisfies {
  readonly [Type in ControlRequest["type"]]: z.ZodType<ControlAnswers[Type]>;
};

const errorCodes = [
  "invalid",
  "not_found",
  "conflict",
  "unauthorized",
  "unavailable",
  "exhausted",
  "aborted",
  "timeout",
  "corrupt",
  "internal",
] as const;

/** What stands on an answer's line. */
const replySchema = z.discriminatedUnion("ok", [
  z.object({ version: z.number(), ok: z.literal(true), result: z.unknown() }),
  z.object({
    version: z.number(),
    ok: z.literal(false),
    error: z.object({ code: z.enum(errorCodes).catch("internal"), message: z.string() }),
  }),
]);

/** An answer as it is written on its line. */
export type ControlReply = z.output<typeof replySchema>;

/** What a line asked, or what is wrong with it. */
export type RequestReading =
  | { readonly ok: true; readonly request: ControlRequest }
  | { readonly ok: false; readonly message: string };

const knownTypes = requestSchema.options.map(({ shape }) => shape.type.value);
const envelopeSchema = z.object({ version: z.number(), type: z.string() });

/** Reads a request's line. Never throws. */
export function readRequest(line: string): RequestReading {
  const envelope = envelopeSchema.safeParse(readJson(line));
  if (!envelope.success) return refuse('A request is one JSON object on one line: {"version": 1, "type": "ping"}.');
  const { version, type } = envelope.data;
  if (version !== protocolVersion) {
    return refuse(
      `This agent speaks version ${protocolVersion} of the control protocol, not ${version}; restart it, or use the command line of the same release.`,
    );
  }
  if (!knownTypes.some((known) => known === type)) {
    return refuse(`There is no request ${JSON.stringify(type.slice(0, 80))}; there are: ${knownTypes.join(", ")}.`);
  }
  const request = requestSchema.safeParse(readJson(line));
  if (request.success) return { ok: true, request: request.data };
  return refuse(`The request ${type} is wrong. ${z.prettifyError(request.error).replaceAll("\n", " ").slice(0, 500)}`);
}

/** Reads an answer's line; null when it is none. */
export function readReply(line: string): ControlReply | null {
  const reply = replySchema.safeParse(readJson(line));
  return reply.success ? reply.data : null;
}

function refuse(message: string): RequestReading {
  return { ok: false, message };
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
