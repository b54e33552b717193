import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { errorMessage, isAbort, TroupeError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import { runBounded } from "../job/run-bounded.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { Attachment, Memory } from "../memory/memory.ts";
import type { Models } from "../model/models.ts";
import type { ModelCost } from "../model/usage.ts";
import type { SpokenWords } from "../recall/spoken-words.ts";
import type { Provided, RegisteredProvider, StateRequest } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import type { AttachmentAccess } from "./attachment-access.ts";
import { attachmentsText, type ToldAttachment } from "./attachments-text.ts";
import { lookAt } from "./look-at.ts";

/** How files that come with messages are looked at. */
export type AttachmentSettings = {
  readonly enabled: boolean;
  /** Files of one message. */
  readonly limit: number;
  readonly maxSizeBytes: number;
  readonly timeoutMs: number;
};

/** What looking needs. */
export type AttachmentsParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories" | "admin">;
  readonly access: AttachmentAccess;
  readonly clients: readonly Client[];
  readonly models: () => Models;
  readonly settings: AttachmentSettings;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Log;
  readonly spoken?: SpokenWords;
};

/** What became of looking at a file, as far as the message itself does not say it. */
type Outcome = Pick<Attachment, "description" | "problem"> & { readonly until?: number };
type Outcomes = Map<string, Outcome>;

/** Attachments further back stand in the conversation by their names. */
const messagesWithAttachments = 6;
const mostAttachments = 8;
const rememberedMessages = 100;
/** What could not be had for a while is tried again after this, when somebody asks again. */
const retryMs = 60_000;

/**
 * ATTACHMENTS: what came with the newest messages. Whatever nobody has looked at is looked at now, side by side and within
 * bounds, and what it shows is kept with the message: it is paid for once. Nothing that goes wrong fails the message.
 */
export function createAttachmentsProvider(parts: AttachmentsParts): RegisteredProvider {
  const seen = new Map<string, Outcomes>();
  const under = new Map<string, Promise<Outcomes>>();
  const look = async (memory: Memory, request: StateRequest): Promise<Outcomes> => {
    const begun = under.get(memory.id);
    if (begun !== undefined) return begun;
    const looking = lookAtMessage(memory, { known: seen.get(memory.id) ?? new Map(), request }, parts);
    under.set(memory.id, looking);
    try {
      const outcomes = await looking;
      seen.set(memory.id, outcomes);
      const [oldest] = seen.keys();
      if (seen.size > rememberedMessages && oldest !== undefined) seen.delete(oldest);
      return outcomes;
    } finally {
      under.delete(memory.id);
    }
  };
  return {
    name: "ATTACHMENTS",
    description: "What images show, recordings say and documents tell that came with messages.",
    position: 400,
    timeoutMs: parts.settings.timeoutMs + 2_000,
    async get(request) {
      const { conversation, message } = request;
      const newest = (conversation ?? [message]).slice(-messagesWithAttachments);
      const carrying = newest.filter(({ content }) => (content.attachments?.length ?? 0) > 0);
      if (carrying.length === 0) return {};
      const told = await Promise.all(
        carrying.map(async (memory) => {
          if (memory.entityId === memory.agentId) return toldOf(memory, null, message);
          const looking = look(memory, request);
          if (memory.id === message.id) parts.spoken?.begin(memory.id, described(memory, looking));
          return toldOf(memory, await looking, message);
        }),
      );
      const shown = told.flat().slice(-mostAttachments);
      return toProvided(shown);
    },
  };
}

/** A message's files with what they show, as far as it can be known. */
async function described(memory: Memory, looking: Promise<Outcomes>): Promise<readonly Attachment[]> {
  const outcomes = await looking.catch(() => null);
  return toldOf(memory, outcomes, memory).map(({ attachment }) => attachment);
}

function toldOf(memory: Memory, outcomes: Outcomes | null, newest: Memory): readonly ToldAttachment[] {
  return (memory.content.attachments ?? []).map((attachment, at) => {
    const { description, problem } = outcomes?.get(keyOf(attachment, at)) ?? {};
    return {
      attachment: { ...attachment, ...(description !== undefined && { description }) },
      ...(problem !== undefined && { problem }),
      isNew: memory.id === newest.id,
    };
  });
}

function toProvided(told: readonly ToldAttachment[]): Provided {
  return {
    text: attachmentsText(told),
    data: { attachments: told.map(({ attachment }): JsonObject => ({ ...attachment })) },
  };
}

const keyOf = ({ id }: Attachment, at: number): string => `${at} ${id}`;

type Looking = { readonly known: Outcomes; readonly request: StateRequest };

async function lookAtMessage(memory: Memory, { known, request }: Looking, parts: AttachmentsParts): Promise<Outcomes> {
  const { settings, clock } = parts;
  const outcomes: Outcomes = new Map(known);
  const attachments = memory.content.attachments ?? [];
  const unknown = attachments.flatMap((attachment, at) => {
    const key = keyOf(attachment, at);
    const { description, problem, until = 0 } = outcomes.get(key) ?? {};
    const isKnown = (attachment.description ?? attachment.problem ?? description ?? problem) !== undefined;
    return isKnown && (until === 0 || clock.now() < until) ? [] : [{ attachment, key }];
  });
  const wanted = settings.enabled
    ? unknown.slice(0, Math.max(0, settings.limit - (attachments.length - unknown.length)))
    : [];
  for (const { key } of unknown.slice(wanted.length)) outcomes.set(key, { problem: beyond(settings) });
  const looked = await Promise.all(
    wanted.map(async ({ attachment, key }) => ({ key, outcome: await lookAtOne(attachment, request, parts) })),
  );
  for (const { key, outcome } of looked) outcomes.set(key, outcome);
  await keep(memory, outcomes, parts);
  return outcomes;
}

function beyond({ enabled, limit }: AttachmentSettings): string {
  if (!enabled) return "files are not looked at here";
  return limit === 1 ? "only one file of a message is looked at" : `only ${limit} files of a message are looked at`;
}

/** Never throws, but for the run's own end. */
async function lookAtOne(attachment: Attachment, request: StateRequest, parts: AttachmentsParts): Promise<Outcome> {
  const { access, clients, clock, events, log, models, settings } = parts;
  const { room, runId, message, signal } = request;
  const client = clients.find(
    ({ platform, account }) => platform === room?.room.platform && account === room.room.account,
  );
  const about = { runId, roomId: message.roomId };
  const lookParts = {
    ...{ access, source: client?.attachments, models: models(), maxSizeBytes: settings.maxSizeBytes },
    onCost: ({ model, usage, costMicrousd }: ModelCost) =>
      events.emit({ type: "MODEL_USED", model, usage, ...(costMicrousd !== undefined && { costMicrousd }), ...about }),
  };
  try {
    const look = await runBounded((own) => lookAt(attachment, lookParts, own), {
      ...{ clock, timeoutMs: settings.timeoutMs, signal },
    });
    // A model may be set up later: what nobody could see is not noted with the message.
    return look.type === "described"
      ? { description: look.description }
      : { problem: look.reason, until: clock.now() + retryMs };
  } catch (error) {
    signal.throwIfAborted();
    const problem = errorMessage(error);
    log.warn(
      { ...about, mediaType: attachment.mediaType, error: problem },
      "a file that came with a message could not be looked at",
    );
    return { problem, ...(mayPass(error) && { until: clock.now() + retryMs }) };
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof TroupeError)) return true;
  return isAbort(error) || ["unavailable", "timeout", "unauthorized", "internal"].includes(error.code);
}

/** Notes with the message what its files show, so that it is found, embedded and paid for once. */
async function keep(memory: Memory, outcomes: Outcomes, { agentId, store, log }: AttachmentsParts): Promise<void> {
  try {
    const [stored] = await store.memories.get(agentId, [memory.id]);
    const attachments = stored?.content.attachments?.map((attachment, at): Attachment => {
      const outcome = outcomes.get(keyOf(attachment, at));
      if (!outcome || outcome.until !== undefined || attachment.description !== undefined) return attachment;
      const { description, problem } = outcome;
      return {
        ...attachment,
        ...(description !== undefined && { description }),
        ...(problem !== undefined && { problem }),
      };
    });
    if (!stored || !attachments || JSON.stringify(attachments) === JSON.stringify(stored.content.attachments)) return;
    const content = { ...stored.content, attachments };
    await store.admin.write(agentId, [{ type: "memory.edit", id: memory.id, content }]);
  } catch (error) {
    log.warn(
      { memoryId: memory.id, error: errorMessage(error) },
      "what a file shows could not be kept with its message",
    );
  }
}
