import type { Client } from "../client/client.ts";
import { deriveId } from "../memory/derive-id.ts";
import { roomIdOf } from "../memory/message-id.ts";
import type { Delivery } from "../outbox/delivery.ts";

/** Builds a delivery of a text to a room of a client's platform; `n` tells deliveries apart. */
export function createDelivery(client: Client, target: string, text: string, n = 0): Delivery {
  const { platform, account } = client;
  const key = `run-1/call-1/${n}`;
  return {
    key,
    agentId: deriveId("agent", "contract"),
    runId: "run-1",
    roomId: roomIdOf(platform, account, target),
    platform,
    account,
    target,
    kind: "message",
    content: { text, source: platform },
    nonce: `contractnonce${n}`,
  };
}
