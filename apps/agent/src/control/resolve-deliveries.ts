import type { Clock, DeliveryRow, DeliveryVerdict, Receipt, ResendParts, SettleStore } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { resendDelivery, settleDelivery } from "@troupe/core/outbox";
import type { ControlHandlers } from "./control-server.ts";
import type { ResolvedDelivery } from "./protocol.ts";

/** What a running process settles deliveries with. */
export type DeliveryResolverParts = {
  readonly store: SettleStore;
  readonly clock: Clock;
  /** What each agent of the process sends with, by its id. */
  readonly agents: ReadonlyMap<string, ResendParts>;
};

/**
 * Carries out an operator's verdicts on deliveries inside the running process. One delivery is in the hands of one request at
 * a time. What is to be sent for a character that does not run here is left to its next start.
 */
export function createDeliveryResolver(parts: DeliveryResolverParts): ControlHandlers["deliveries.resolve"] {
  const busy = new Set<string>();
  return async ({ agentId, key, as, platformId }) => {
    const place = `${agentId} ${key}`;
    if (busy.has(place)) throw new TroupeError("conflict", `Delivery ${key} is being settled at this moment.`);
    busy.add(place);
    try {
      const agent = parts.agents.get(agentId);
      if (as === "resend" && agent) return toResolved(key, await resendDelivery(agentId, key, agent));
      return toResolved(key, await settleDelivery(agentId, key, toVerdict(as, platformId), parts));
    } finally {
      busy.delete(place);
    }
  };
}

/** An operator's verdict as the engine takes it. */
export function toVerdict(as: DeliveryVerdict["type"], platformId: string | undefined): DeliveryVerdict {
  return as === "sent" && platformId !== undefined ? { type: as, platformId } : { type: as };
}

/** What to tell about a delivery that was settled. */
export function toResolved(
  key: string,
  { state, platformId, error }: Pick<DeliveryRow, "state" | "platformId" | "error"> | Receipt,
): ResolvedDelivery {
  return { key, state, ...(platformId !== undefined && { platformId }), ...(error !== undefined && { error }) };
}
