import type { Memory } from "../memory/memory.ts";
import { messageMemoryId } from "../memory/message-id.ts";
import type { Delivery } from "./delivery.ts";

/** What was said, as it is remembered. */
export function ownMemory(delivery: Delivery, sent: { readonly at: number; readonly platformId?: string }): Memory {
  const { platform, account, target, key } = delivery;
  return {
    id: messageMemoryId({ platform, account, room: target, message: sent.platformId ?? key }),
    agentId: delivery.agentId,
    roomId: delivery.roomId,
    entityId: delivery.agentId,
    type: "message",
    content: delivery.content,
    createdAt: sent.at,
    runId: delivery.runId,
    metadata: { deliveryKey: key },
    ...(sent.platformId !== undefined && { platformId: sent.platformId }),
  };
}
