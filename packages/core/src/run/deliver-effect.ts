import type { Client } from "../client/client.ts";
import { TroupeError } from "../errors.ts";
import { type DeliveryStart, deliver, type Receipt, resumeDelivery } from "../outbox/deliver.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import { withExcerpt } from "../outbox/plan-deliveries.ts";
import type { FreshDelivery, Run } from "./run.ts";

/**
 * Sends one committed delivery and records what became of it, with the memory of what was said. The receipt is committed with
 * the next flush: nobody waits for it.
 */
export async function deliverOne(run: Run, key: string): Promise<Receipt> {
  const found = run.fresh.get(key) ?? (await lookUp(run, key));
  if ("receipt" in found) {
    recordReceipt(run, found);
    return found.receipt;
  }
  const { platform, account, target } = found.start.delivery;
  return run.parts.targets.run(`${platform}/${account}/${target}`, () => sendFound(run, found));
}

async function sendFound(run: Run, { start, isPending }: FreshDelivery): Promise<Receipt> {
  const { key, platform, account } = start.delivery;
  if (isPending) {
    run.recorder.write({ type: "delivery.set", key, state: "sending", isAttempt: true });
    await run.recorder.flush();
  }
  const { parts, log, stopSignal } = run;
  const client = requireClient(run, platform, account);
  const receipt = await deliver(
    { ...start, delivery: withExcerpt(start.delivery, run.message) },
    {
      client,
      clock: parts.clock,
      random: parts.random,
      log,
      onUnknown: client.onUnknown?.(start.delivery) ?? parts.settings.onUnknown,
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
  return receipt;
}

/** The connected client of an account. @throws TroupeError `unavailable`, naming the platform to start with. */
export function requireClient(run: Run, platform: string, account: string): Client {
  const client = run.parts.clientFor(platform, account);
  if (client) return client;
  throw new TroupeError("unavailable", `${platform} (account ${account}) is not connected; start with it configured.`);
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
  if (delivery.kind !== "message" && delivery.kind !== "quote") return;
  const memory = ownMemory(delivery, { at: parts.clock.now(), ...(platformId !== undefined && { platformId }) });
  recorder.write({ type: "memory.put", memory });
  run.said.push(memory);
  if (state === "sent") {
    parts.events.emit({
      type: "MESSAGE_SENT",
      runId: recorder.runId,
      roomId: delivery.roomId,
      key: delivery.key,
      memoryId: memory.id,
    });
  }
}
