import {
  type DeliveryRow,
  type Receipt,
  type ResendParts,
  resendDelivery,
  settleDelivery,
  TroupeError,
} from "@troupe/core";
import type { ControlHandlers } from "./control-server.ts";
import type { ResolvedDelivery } from "./protocol.ts";

/** What a running agent settles deliveries with; see `ResendParts`. */
export type ResolvingAgent = { readonly agentId: string; readonly parts: ResendParts };

/**
 * Carries out an operator's verdicts on deliveries inside the running process. One delivery is in the hands of one request at
 * a time.
 */
export function createDeliveryResolver(agents: readonly ResolvingAgent[]): ControlHandlers["deliveries.resolve"] {
  const busy = new Set<string>();
  return async ({ agentId, key, as, platformId }) => {
    const agent = agents.find((known) => known.agentId === agentId);
    if (!agent) {
      throw new TroupeError(
        "not_found",
        `No agent ${agentId} runs here; start it with its character, or name another one.`,
      );
    }
    const place = `${agentId} ${key}`;
    if (busy.has(place)) throw new TroupeError("conflict", `Delivery ${key} is being sent again at this moment.`);
    busy.add(place);
    try {
      if (as === "resend") return toResolved(key, await resendDelivery(agentId, key, agent.parts));
      const verdict = as === "drop" ? { type: as } : { type: as, ...(platformId !== undefined && { platformId }) };
      return toResolved(key, await settleDelivery(agentId, key, verdict, agent.parts));
    } finally {
      busy.delete(place);
    }
  };
}

/** What to tell about a delivery that was settled. */
export function toResolved(
  key: string,
  { state, platformId, error }: Pick<DeliveryRow, "state" | "platformId" | "error"> | Receipt,
): ResolvedDelivery {
  return { key, state, ...(platformId !== undefined && { platformId }), ...(error !== undefined && { error }) };
}
