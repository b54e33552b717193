import type { Clock } from "../clock.ts";
import type { Events } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { toAccepted } from "../inbox/to-accepted.ts";
import type { Log } from "../log.ts";
import type { Lease, Store } from "../store/store.ts";

/** What accepting needs. */
export type AcceptParts = {
  readonly agentId: string;
  readonly owner: string;
  readonly store: Pick<Store, "inbox">;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Log;
  /** The context that takes it instead of its room; null: its room does. */
  readonly laneOf: (inbound: Inbound) => Promise<string | null>;
  /** Takes up a context that was idle. */
  readonly take: (lease: Lease) => void;
};

/** Accepts what was heard: resolves when it is durable; the same event a second time changes nothing. */
export function createAccept(parts: AcceptParts): (inbound: Inbound) => Promise<void> {
  const { agentId, owner, store, clock, events, log } = parts;
  return async (inbound) => {
    const contextId = await parts.laneOf(inbound);
    const accepted = await store.inbox.accept(agentId, toAccepted(inbound, agentId), {
      at: clock.now(),
      owner,
      ...(contextId !== null && { contextId }),
    });
    if (accepted.type === "duplicate") {
      log.debug({ eventId: inbound.eventId }, "heard before; nothing more happens");
      return;
    }
    const { room, memory } = inbound;
    if (accepted.isNewRoom) {
      const where = { roomId: room.id, ...(room.worldId !== undefined && { worldId: room.worldId }) };
      events.emit({ type: "ROOM_JOINED", ...where });
    }
    events.emit({ type: "MESSAGE_RECEIVED", roomId: room.id, memoryId: memory.id, entityId: memory.entityId });
    if (accepted.lease) parts.take(accepted.lease);
  };
}
