import type {
  Content,
  Delivery,
  Entity,
  Entry,
  Fence,
  Inbound,
  JobFence,
  JobOutcome,
  JobToDo,
  JsonObject,
  Memory,
  Room,
  SearchQuery,
  World,
  Write,
} from "@troupe/core";
import { StoreError } from "@troupe/core/errors";
import type {
  AcceptArguments,
  EncodedEntry,
  EncodedWrite,
  EntityTuple,
  FenceTuple,
  JobFenceTuple,
  JobOutcomeTuple,
  MemoryEditTuple,
  MemoryTuple,
  RelationshipTuple,
  RoomTuple,
  RunChange,
  ScopeArguments,
  TaskTuple,
  WorldTuple,
} from "./protocol.ts";

type Relationship = Extract<Write, { type: "relationship.put" }>["relationship"];
type Task = Extract<Write, { type: "task.put" }>["task"];

/** A scope as it travels. */
export function encodeScope(scope: SearchQuery["scope"]): ScopeArguments | null {
  if (!scope) return null;
  return { roomIds: scope.roomIds ?? [], worldIds: scope.worldIds ?? [], entityIds: scope.entityIds ?? [] };
}

/** A fence as it travels. */
export function encodeFence({ agentId, contextId, epoch }: Fence): FenceTuple {
  return [agentId, contextId, epoch];
}

/** An inbound event as it travels. @throws StoreError `invalid` when its parts contradict each other. */
export function encodeInbound(
  agentId: string,
  inbound: Inbound,
  { at, owner, contextId }: { readonly at: number; readonly owner?: string; readonly contextId?: string },
): AcceptArguments {
  const { eventId, kind, world, room, entity, memory } = inbound;
  if (memory.roomId !== room.id) {
    throw new StoreError("invalid", `event ${eventId} is in room ${room.id} but its memory in ${memory.roomId}`);
  }
  return [
    eventId,
    kind,
    room.platform,
    room.account,
    at,
    owner ?? null,
    world ? encodeWorld(world) : null,
    encodeRoom(room),
    encodeEntity(entity),
    encodeMemory(agentId, memory),
    contextId ?? room.id,
  ];
}

/** A job's fence as it travels. */
export function encodeJobFence({ agentId, id, epoch }: JobFence): JobFenceTuple {
  return [agentId, id, epoch];
}

/** What became of a job's attempt, as it travels. @throws StoreError `invalid` for a time that is none. */
export function encodeJobOutcome(id: string, outcome: JobOutcome): JobOutcomeTuple {
  switch (outcome.type) {
    case "done":
    case "released":
      return [outcome.type, null, null];
    case "retry":
      checkTime(outcome.at, `job ${id}`);
      return ["retry", outcome.at, outcome.error.toWellFormed()];
    case "dead":
      return ["dead", null, outcome.error.toWellFormed()];
  }
}

/** A change as it travels. @throws StoreError `invalid` for another agent's memory or delivery, and for a time that is none. */
export function encodeWrite(agentId: string, write: Write): EncodedWrite {
  switch (write.type) {
    case "world.put":
      return ["world.put", encodeWorld(write.world)];
    case "room.put":
      return ["room.put", encodeRoom(write.room)];
    case "room.stance":
      return ["room.stance", write.roomId, write.stance];
    case "entity.put":
      return ["entity.put", encodeEntity(write.entity)];
    case "memory.put":
      return ["memory.put", encodeMemory(agentId, write.memory)];
    case "memory.remove":
      return ["memory.remove", write.id];
    case "memory.edit":
      return ["memory.edit", encodeMemoryEdit(write)];
    case "room.move":
      return ["room.move", write.fromRoomId, encodeRoom(write.room)];
    case "relationship.put":
      return ["relationship.put", encodeRelationship(write.relationship)];
    case "relationship.remove":
      return ["relationship.remove", write.fromId, write.toId];
    case "task.put":
      return ["task.put", encodeTask(write.task)];
    case "task.remove":
      return ["task.remove", write.id];
    case "part.put":
      return ["part.put", write.part.hash, write.part.text.toWellFormed()];
    case "delivery.put":
      return encodeDelivery(agentId, write);
    case "delivery.set": {
      const { key, state, isAttempt, text, platformId, error } = write;
      const wellFormed = text?.toWellFormed() ?? null;
      return ["delivery.set", [state, isAttempt ? 1 : 0, wellFormed, platformId ?? null, error ?? null, key]];
    }
    case "job.put":
      return encodeJob(write.job);
  }
}

/** Entries as they travel, with what they add to their runs' rows. */
export function encodeEntries(entries: readonly Entry[]): {
  readonly entries: readonly EncodedEntry[];
  readonly runs: readonly RunChange[];
} {
  const runs = new Map<string, RunChange>();
  for (const { runId, at, body } of entries) {
    const [, startedAt, input, output, cost, endedAt, outcome, reason] = runs.get(runId) ?? [
      runId,
      at,
      0,
      0,
      0,
      null,
      null,
      null,
    ];
    if (body.type === "model_answer" || body.type === "model_used") {
      const { inputTokens, outputTokens } = body.usage;
      const price = cost + (body.costMicrousd ?? 0);
      runs.set(runId, [runId, startedAt, input + inputTokens, output + outputTokens, price, endedAt, outcome, reason]);
    } else if (body.type === "end") {
      runs.set(runId, [runId, startedAt, input, output, cost, at, body.outcome, body.reason ?? null]);
    } else {
      runs.set(runId, [runId, startedAt, input, output, cost, endedAt, outcome, reason]);
    }
  }
  return {
    entries: entries.map(({ seq, runId, at, body }) => [seq, runId, at, toJson(body)]),
    runs: [...runs.values()],
  };
}

function encodeWorld({ id, platform, account, platformId, name, data }: World): WorldTuple {
  return [id, platform, account, platformId, name ?? null, dataJson(data)];
}

function encodeRoom({ id, worldId, platform, account, platformId, channelType, name, data }: Room): RoomTuple {
  return [id, worldId ?? null, platform, account, platformId, channelType, name ?? null, dataJson(data)];
}

function encodeEntity({ id, platform, account, platformId, name, isBot, data }: Entity): EntityTuple {
  const flag = isBot === undefined ? null : Number(isBot);
  return [id, platform, account, platformId, name, flag, dataJson(data)];
}

function encodeMemory(agentId: string, memory: Memory): MemoryTuple {
  checkAgent(agentId, memory.agentId, `memory ${memory.id}`);
  const { text, ...rest } = memory.content;
  return [
    memory.id,
    memory.roomId,
    memory.entityId,
    memory.type,
    memory.createdAt,
    memory.platformId ?? null,
    memory.runId ?? null,
    text.toWellFormed(),
    toJson(rest),
    dataJson(memory.metadata),
    attachmentWords(memory.content),
  ];
}

function encodeMemoryEdit({ id, content, metadata }: Extract<Write, { type: "memory.edit" }>): MemoryEditTuple {
  if (!content) return [id, null, dataJson(metadata)];
  const { text, ...rest } = content;
  return [id, [text.toWellFormed(), toJson(rest), attachmentWords(content)], dataJson(metadata)];
}

function encodeRelationship({ fromId, toId, tags, data, updatedAt }: Relationship): RelationshipTuple {
  const sorted = [...new Set(tags.map((tag) => tag.toLowerCase()))].toSorted();
  return [fromId, toId, toJson(sorted), dataJson(data), updatedAt];
}

function encodeTask(task: Task): TaskTuple {
  const { id, name, kind, state, nextAt, roomId, entityId, createdAt, ...rest } = task;
  for (const at of [nextAt ?? 0, createdAt, task.lastAt ?? 0]) checkTime(at, `task ${id}`);
  return [id, name, kind, state, nextAt ?? null, roomId ?? null, entityId ?? null, createdAt, toJson(rest)];
}

function encodeDelivery(agentId: string, write: Extract<Write, { type: "delivery.put" }>): EncodedWrite {
  const { delivery, state, isOpen } = write;
  checkAgent(agentId, delivery.agentId, `delivery ${delivery.key}`);
  const { text, ...rest } = delivery.content;
  const { platform, account, target, kind, replyToPlatformId, nonce }: Delivery = delivery;
  const data = toJson({ platform, account, target, kind, replyToPlatformId, nonce });
  const { key, runId, roomId } = delivery;
  return ["delivery.put", [key, runId, roomId, state, isOpen ? 1 : 0, text.toWellFormed(), toJson(rest), data]];
}

function encodeJob({ id, kind, payload, runAt, queue }: JobToDo): EncodedWrite {
  if (kind === "") throw new StoreError("invalid", `job ${id} has no kind; say who is to do it`);
  checkTime(runAt, `job ${id}`);
  return ["job.put", [id, kind, toJson(payload), runAt, queue ?? null]];
}

function checkTime(at: number, what: string): void {
  if (Number.isSafeInteger(at)) return;
  throw new StoreError("invalid", `${what} is to run at ${at}, which is no time; give whole epoch milliseconds`);
}

function checkAgent(agentId: string, of: string, what: string): void {
  if (agentId === of) return;
  throw new StoreError("invalid", `${what} belongs to agent ${of}, not to ${agentId}; write it in that agent's name`);
}

function attachmentWords({ attachments }: Content): string | null {
  if (!attachments || attachments.length === 0) return null;
  const words = attachments.flatMap(({ title, description }) => [title, description]).filter((text) => text);
  return words.length === 0 ? null : words.join("\n").toWellFormed();
}

function dataJson(data: JsonObject | undefined): string | null {
  return data === undefined ? null : toJson(data);
}

/** JSON text without halves of characters, which are no Unicode and which other readers refuse. */
function toJson(value: object): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member));
}
