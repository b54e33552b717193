import { messageMemoryId } from "../memory/message-id.ts";
import { type DeliveryStart, deliver, type Receipt, resumeDelivery } from "../outbox/deliver.ts";
import { withExcerpt } from "../outbox/plan-deliveries.ts";
import type { FreshDelivery, Run } from "./run.ts";

/**
 * Sends one committed delivery and records what became of it, with the memory of what was said. The receipt is committed with
 * the next flush: nobody waits for it.
 */
export async function deliverOne(run: Run, key: string): Promise<void> {
  const found = run.fresh.get(key) ?? (await lookUp(run, key));
  if ("receipt" in found) return recordReceipt(run, found);
  const { start, isPending } = found;
  if (isPending) {
    run.recorder.write({ type: "delivery.set", key, state: "sending", isAttempt: true });
    await run.recorder.flush();
  }
  const { parts, client, log, stopSignal } = run;
  const receipt = await deliver(
    { ...start, delivery: withExcerpt(start.delivery, run.message) },
    {
      client,
      clock: parts.clock,
      random: parts.random,
      log,
      onUnknown: parts.settings.onUnknown,
      maxAgeMs: parts.settings.deliveryMaxAgeMs,
      signal: stopSignal,
      commit: async (write) => {
        run.recorder.write(write);
        await run.recorder.flush();
      },
    },
  );
  run.fresh.delete(key);
  recordReceipt(run, { start, receipt });
}

type Settled = { readonly start: DeliveryStart; readonly receipt: Receipt };

/** A delivery another process recorded, as it was left; one that somebody settled meanwhile already has its receipt. */
async function lookUp(run: Run, key: string): Promise<FreshDelivery | Settled> {
  const row = await run.parts.store.outbox.get(run.parts.agentId, key);
  if (!row) throw new Error(`the journal names delivery ${key}, which is not in the outbox`);
  const start = resumeDelivery(row);
  if (row.state === "pending" || row.state === "sending") return { start, isPending: row.state === "pending" };
  const { state, platformId, error } = row;
  return {
    start,
    receipt: { state, ...(platformId !== undefined && { platformId }), ...(error !== undefined && { error }) },
  };
}

function recordReceipt(run: Run, { start, receipt }: Settled): void {
  const { recorder, parts } = run;
  const { delivery } = start;
  const { state, platformId, error } = receipt;
  recorder.add({
    type: "receipt",
    key: delivery.key,
    state,
    ...(platformId !== undefined && { platformId }),
    ...(error !== undefined && { error }),
  });
  recorder.write({
    type: "delivery.set",
    key: delivery.key,
    state,
    ...(platformId !== undefined && { platformId }),
    ...(error !== undefined && { error }),
  });
  if (state === "failed") {
    run.log.error({ key: delivery.key, error }, "a delivery failed for good");
    return;
  }
  const { platform, account, target } = delivery;
  const memoryId = messageMemoryId({ platform, account, room: target, message: platformId ?? delivery.key });
  recorder.write({
    type: "memory.put",
    memory: {
      id: memoryId,
      agentId: delivery.agentId,
      roomId: delivery.roomId,
      entityId: delivery.agentId,
      type: "message",
      content: delivery.content,
      createdAt: parts.clock.now(),
      runId: delivery.runId,
      metadata: { deliveryKey: delivery.key },
      ...(platformId !== undefined && { platformId }),
    },
  });
  if (state === "sent") {
    parts.events.emit({
      type: "MESSAGE_SENT",
      runId: recorder.runId,
      roomId: delivery.roomId,
      key: delivery.key,
      memoryId,
    });
  }
}
