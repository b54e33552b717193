import type { Within } from "../action/executable-call.ts";
import type { HandedMessage, HandledMessage } from "../action/handed-message.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { errorMessage, TroupeError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { toAccepted } from "../inbox/to-accepted.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Lease, Store } from "../store/store.ts";
import { handedWithin, toHandedInbound } from "./handed-inbound.ts";
import { awaitOutcome, findOutcome } from "./handed-outcome.ts";

/** A message an action hands over; `key` tells it from the others of the call, the same whenever the call is done again. */
type MessageOfCall = HandedMessage & { readonly key: string };

/** The call that hands it over. */
type HandingCall = {
  readonly runId: string;
  readonly callId: string;
  /** The message that is being answered. */
  readonly message: Memory;
  readonly within: Within;
  /** Aborted when the call is called off. */
  readonly signal: AbortSignal;
  /** Aborted when the agent stops. */
  readonly stopSignal: AbortSignal;
  /** Told of the run within the run as soon as its message is durable. */
  readonly onAccepted: (child: {
    readonly runId: string;
    readonly contextId: string;
    readonly memoryId: string;
  }) => void;
};

/** Messages that plugin code hands to the agent. */
export type Messages = {
  /** From outside any run: through the inbox like any message; resolves when its run has ended. */
  handle(message: HandedMessage): Promise<HandledMessage>;
  /** From inside an action: in a run within the run, in a context of its own, which waits for nobody's turn in the room. */
  handOver(message: MessageOfCall, by: HandingCall): Promise<HandledMessage>;
  /** Resolves when no run within a run is under way any more. */
  settled(): Promise<void>;
};

/** What handing over needs. */
export type MessagesParts = {
  readonly agentId: string;
  readonly owner: string;
  readonly store: Store;
  readonly clients: readonly Client[];
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Log;
  readonly newId: () => string;
  /** Accepts like a client's message. */
  readonly accept: (inbound: Inbound) => Promise<void>;
  /** Performs the run of a lease to its end; fails it when `calledOff` aborts. */
  readonly perform: (lease: Lease, stopSignal: AbortSignal, calledOff: AbortSignal) => Promise<void>;
  /** Whether what is accepted now is worked on. */
  readonly isRunning: () => boolean;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
};

/** No message handed over yet. */
export function createMessages(parts: MessagesParts): Messages {
  const { agentId, store, clock } = parts;
  const children = new Set<Promise<unknown>>();
  return {
    async handle(message) {
      checkRunning(parts);
      const { roomId, entityId, id = parts.newId(), metadata } = message;
      if (roomId === undefined || entityId === undefined) {
        throw new TroupeError(
          "invalid",
          "a message was handed over outside any action without roomId and entityId; say both",
        );
      }
      const about = { agentId, eventId: id, roomId, entityId, at: clock.now(), metadata: metadata ?? {} };
      const inbound = await toHandedInbound(message, about, store);
      checkClient(parts, inbound);
      return outcomeAfter(parts, { memoryId: inbound.memory.id, signal: parts.signal }, () => parts.accept(inbound));
    },
    async handOver(message, by) {
      const eventId = `${by.runId}/${by.callId}/${message.key}`;
      const { roomId = by.message.roomId, entityId = by.message.entityId } = message;
      const metadata = handedWithin(by.within, { runId: by.runId, callId: by.callId });
      const about = { agentId, eventId, roomId, entityId, at: clock.now(), metadata };
      const inbound = await toHandedInbound(message, about, store);
      checkClient(parts, inbound);
      const child = runWithin(parts, inbound, by);
      children.add(child);
      const forget = (): void => void children.delete(child);
      child.then(forget, forget);
      return child;
    },
    async settled() {
      await Promise.allSettled(children);
    },
  };
}

async function runWithin(parts: MessagesParts, inbound: Inbound, by: HandingCall): Promise<HandledMessage> {
  const { agentId, store, clock, owner, events } = parts;
  const { memory, room } = inbound;
  const contextId = deriveId("context", agentId, inbound.eventId);
  const signal = AbortSignal.any([by.signal, by.stopSignal]);
  return outcomeAfter(parts, { memoryId: memory.id, signal }, async () => {
    const accepted = await store.inbox.accept(agentId, toAccepted(inbound, agentId), {
      at: clock.now(),
      owner,
      contextId,
    });
    const isNew = accepted.type === "accepted";
    // A context of its own has one input, the first.
    by.onAccepted({ runId: deriveId("run", agentId, contextId, "1"), contextId, memoryId: memory.id });
    if (isNew)
      events.emit({ type: "MESSAGE_RECEIVED", roomId: room.id, memoryId: memory.id, entityId: memory.entityId });
    if (isNew && accepted.lease) await performChild(parts, accepted.lease, by);
  });
}

async function performChild({ perform, store, log }: MessagesParts, lease: Lease, by: HandingCall): Promise<void> {
  try {
    await perform(lease, by.stopSignal, by.signal);
  } catch (error) {
    // It is parked: the next start goes on with it.
    await store.inbox.release(lease.fence).catch((failure: unknown) => {
      log.warn({ contextId: lease.fence.contextId, error: errorMessage(failure) }, "a context could not be given back");
    });
    throw error;
  }
}

type Awaited = { readonly memoryId: string; readonly signal: AbortSignal };

/** Does what makes the message's run begin, and waits for its end; an end that is known already is told at once. */
async function outcomeAfter(
  { agentId, store, events }: MessagesParts,
  { memoryId, signal }: Awaited,
  begin: () => Promise<void>,
): Promise<HandledMessage> {
  const waiting = awaitOutcome(memoryId, events, signal);
  try {
    await begin();
    const known = await findOutcome(store, agentId, memoryId);
    if (known) return known;
    await waiting.ended;
    const found = await findOutcome(store, agentId, memoryId);
    if (found) return found;
    throw new TroupeError("not_found", "the message was forgotten before it could be told what became of it");
  } finally {
    waiting.end();
  }
}

function checkRunning({ isRunning, signal }: MessagesParts): void {
  if (signal.aborted) throw new TroupeError("aborted", "the agent is stopping and accepts nothing more");
  if (isRunning()) return;
  throw new TroupeError(
    "unavailable",
    "a message was handed over before the agent has started; do it when something happens, not in init or a service's start",
  );
}

function checkClient({ clients }: MessagesParts, { room: { platform, account } }: Inbound): void {
  if (clients.some((client) => client.platform === platform && client.account === account)) return;
  throw new TroupeError(
    "unavailable",
    `a message was handed over for a room on ${platform} (account ${account}), which is not connected; start with it configured`,
  );
}
