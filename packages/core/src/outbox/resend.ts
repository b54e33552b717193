import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { StoreError, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import { messageMemoryId } from "../memory/message-id.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { type DeliveryStart, deliver, type Receipt } from "./deliver.ts";
import type { Delivery, DeliveryRow } from "./delivery.ts";
import { ownMemory } from "./own-memory.ts";

/**
 * What an operator decides about a delivery whose run is over. `resend`: it goes back to `pending` and is sent again outside
 * any run. `drop`: it is given up. `sent`: the operator saw it on the platform, under `platformId` if that is known.
 */
export type DeliveryVerdict =
  | { readonly type: "resend" }
  | { readonly type: "drop" }
  | { readonly type: "sent"; readonly platformId?: string };

/** The parts of the store this needs. */
export type SettleStore = Pick<Store, "outbox" | "journal" | "admin">;

/** What sending outside a run needs. */
export type ResendParts = {
  readonly store: SettleStore;
  /** The connected client of an account, or null when none is. */
  readonly clientFor: (platform: string, account: string) => Client | null;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** A delivery that could not be made for this long, counted from now, is given up. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
};

/**
 * Records an operator's verdict and returns the row as it stands then. After `resend` the row is `pending`, to be sent by
 * {@link resendDelivery} now or {@link resendWaiting} at the next start.
 * @throws TroupeError `not_found` for an unknown key; `conflict` when it was sent, or its run still works on it; `invalid` when
 * there is nothing to send.
 */
export async function settleDelivery(
  agentId: string,
  key: string,
  verdict: DeliveryVerdict,
  parts: { readonly store: SettleStore; readonly clock: Clock },
): Promise<DeliveryRow> {
  const row = await changeable(agentId, key, parts.store);
  if (verdict.type === "resend" && isEmpty(row.delivery)) {
    throw new TroupeError(
      "invalid",
      `Delivery ${key} has no text: its answer was withdrawn or never finished. Drop it with: troupe deliveries drop ${key}`,
    );
  }
  await parts.store.admin.write(agentId, verdictWrites(row, verdict, parts.clock.now()));
  return (await parts.store.outbox.get(agentId, key)) ?? row;
}

/**
 * Sends a delivery an operator wants sent, until its fate is known, and records that. What may have arrived already is sent in
 * the way that shows it once, where the client can.
 * @throws what {@link settleDelivery} throws; TroupeError `unavailable` when its client is not connected: the row is unchanged.
 */
export async function resendDelivery(agentId: string, key: string, parts: ResendParts): Promise<Receipt> {
  const row = await changeable(agentId, key, parts.store);
  const client = clientOf(row.delivery, parts);
  await settleDelivery(agentId, key, { type: "resend" }, parts);
  return send(row, client, parts);
}

/**
 * Sends, one after the other, what an operator wanted sent while no agent ran, and what an earlier resending left unfinished:
 * everything `pending` or `sending` whose run is over. Called once after start; one that cannot be sent stays as it is.
 */
export async function resendWaiting(agentId: string, parts: ResendParts): Promise<readonly Receipt[]> {
  const rows = await parts.store.outbox.list(agentId, { states: ["pending", "sending"], limit: 1_000 });
  const receipts: Receipt[] = [];
  for (const { delivery } of rows) {
    parts.signal.throwIfAborted();
    const { key, platform, account } = delivery;
    if (!(await isRunOver(agentId, delivery, parts.store))) continue;
    // Read again: its run may have sent it between the list and its end.
    const row = await parts.store.outbox.get(agentId, key);
    if (row?.state !== "pending" && row?.state !== "sending") continue;
    const client = parts.clientFor(platform, account);
    if (client) receipts.push(await send(row, client, parts));
    else parts.log.warn({ key, platform }, "a delivery waits for a client that is not connected");
  }
  return receipts;
}

async function changeable(agentId: string, key: string, store: SettleStore): Promise<DeliveryRow> {
  const row = await store.outbox.get(agentId, key);
  if (!row) throw new StoreError("not_found", `There is no delivery ${key}; list them with: troupe deliveries`);
  if (row.state === "sent") throw new TroupeError("conflict", `Delivery ${key} was sent already; nothing was changed.`);
  if (row.state === "uncertain" || row.state === "failed" || (await isRunOver(agentId, row.delivery, store)))
    return row;
  throw new TroupeError(
    "conflict",
    `Delivery ${key} is ${row.state} and its run is still at work on it; wait until the run has ended.`,
  );
}

async function isRunOver(agentId: string, delivery: Delivery, store: SettleStore): Promise<boolean> {
  const run = await store.journal.run(agentId, delivery.runId);
  return run === null || run.endedAt !== undefined;
}

function isEmpty({ kind, content }: Delivery): boolean {
  const carriesText = kind === "message" || kind === "quote";
  return carriesText && content.text === "" && (content.attachments ?? []).length === 0;
}

function clientOf({ key, platform, account }: Delivery, parts: ResendParts): Client {
  const client = parts.clientFor(platform, account);
  if (client) return client;
  throw new TroupeError(
    "unavailable",
    `Delivery ${key} goes to ${platform} (account ${account}), and that client is not connected; start the agent with it.`,
  );
}

function verdictWrites(row: DeliveryRow, verdict: DeliveryVerdict, at: number): readonly Write[] {
  const { delivery } = row;
  const { key } = delivery;
  switch (verdict.type) {
    case "resend":
      return [{ type: "delivery.set", key, state: "pending", error: "To be sent again, says the operator." }];
    case "drop":
      return receiptWrites(delivery, { state: "failed", error: "Dropped by the operator." }, at);
    case "sent": {
      const platformId = verdict.platformId ?? row.platformId;
      const error = "Sent, says the operator.";
      return receiptWrites(delivery, { state: "sent", error, ...(platformId !== undefined && { platformId }) }, at);
    }
  }
}

async function send(row: DeliveryRow, client: Client, parts: ResendParts): Promise<Receipt> {
  const { store, clock, random, log, maxAgeMs, signal } = parts;
  const { delivery } = row;
  const { agentId, key } = delivery;
  const commit = (write: Write): Promise<void> => store.admin.write(agentId, [write]);
  await commit({ type: "delivery.set", key, state: "sending", isAttempt: true });
  const receipt = await deliver(startOf(row, clock.now()), {
    client,
    clock,
    random,
    log,
    maxAgeMs,
    signal,
    onUnknown: "resend",
    commit,
  });
  await store.admin.write(agentId, receiptWrites(delivery, receipt, clock.now()));
  log.info({ key, state: receipt.state }, "a delivery was sent again");
  return receipt;
}

/** What failed certainly is not there, so it is sent anew; anything else may be there, whole or in part. */
function startOf({ delivery, state, attempts, platformId }: DeliveryRow, createdAt: number): DeliveryStart {
  if (state === "failed") return { delivery, createdAt, isUnknown: false };
  return {
    delivery,
    createdAt,
    isUnknown: platformId === undefined && (state !== "pending" || attempts > 0),
    ...(platformId !== undefined && { platformId }),
  };
}

function receiptWrites(delivery: Delivery, receipt: Receipt, at: number): readonly Write[] {
  const { key } = delivery;
  const { state, platformId, error } = receipt;
  const changes: Write[] = [
    {
      type: "delivery.set",
      key,
      state,
      ...(platformId !== undefined && { platformId }),
      ...(error !== undefined && { error }),
    },
  ];
  if (delivery.kind !== "message") return changes;
  if (state === "failed") return [...changes, forgetSaid(delivery)];
  if (platformId !== undefined) changes.push(forgetSaid(delivery));
  return [
    ...changes,
    { type: "memory.put", memory: ownMemory(delivery, { at, ...(platformId !== undefined && { platformId }) }) },
  ];
}

function saidMemoryId({ platform, account, target, key }: Delivery, platformId: string | undefined): string {
  return messageMemoryId({ platform, account, room: target, message: platformId ?? key });
}

/** Takes away what is remembered of a delivery under its key alone, from when nobody knew whether it had arrived. */
function forgetSaid(delivery: Delivery): Write {
  return { type: "memory.remove", id: saidMemoryId(delivery, undefined) };
}
