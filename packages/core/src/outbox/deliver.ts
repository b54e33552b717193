import type { Client, SendResult } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Write } from "../store/writes.ts";
import type { Delivery, DeliveryRow, OnUnknown } from "./delivery.ts";

export type { OnUnknown } from "./delivery.ts";

/** What finally became of a delivery. */
export type Receipt = {
  readonly state: "sent" | "uncertain" | "failed";
  readonly platformId?: string;
  /** Why it is not simply sent; also what an operator should know about one that is. */
  readonly error?: string;
};

/** What delivering needs. */
export type DeliverParts = {
  readonly client: Client;
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the waits of many deliveries. */
  readonly random: () => number;
  readonly log: Log;
  readonly onUnknown: OnUnknown;
  /** A delivery older than this is given up. */
  readonly maxAgeMs: number;
  /** Commits a change of the row before going on. */
  readonly commit: (write: Write) => Promise<void>;
  readonly signal: AbortSignal;
};

/** What is known about an earlier attempt when delivering begins. */
export type DeliveryStart = {
  readonly delivery: Delivery;
  readonly createdAt: number;
  /** The platform's id of a streamed message that was opened: it is finished by an edit. */
  readonly platformId?: string;
  /** A send was begun by a process that died, or broke off: nobody knows whether it arrived. */
  readonly isUnknown: boolean;
};

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

type Attempt = {
  platformId: string | undefined;
  isUnknown: boolean;
  hasResent: boolean;
  failures: number;
  wasUnknown: boolean;
};

/** How a row that was read from the store is taken up again. A row in `sending` has an unknown outcome. */
export function resumeDelivery(row: DeliveryRow): DeliveryStart {
  return {
    delivery: row.delivery,
    createdAt: row.createdAt,
    isUnknown: row.state === "sending" && row.platformId === undefined,
    ...(row.platformId !== undefined && { platformId: row.platformId }),
  };
}

/**
 * Sends one delivery until its fate is known; the row must be committed as `sending`. Waits as the platform asks and tries
 * again as long as it certainly has not arrived; an unknown outcome is settled by what the client guarantees: `nonce` sends
 * the same again, after a look where the client can (platforms forget nonces), `lookup` looks first, `none` follows `onUnknown`.
 * @throws the signal's reason when called off; the row then tells where to go on.
 */
export async function deliver(start: DeliveryStart, parts: DeliverParts): Promise<Receipt> {
  const attempt: Attempt = {
    platformId: start.platformId,
    isUnknown: start.isUnknown,
    hasResent: false,
    failures: 0,
    wasUnknown: start.isUnknown,
  };
  for (;;) {
    parts.signal.throwIfAborted();
    const settled = attempt.isUnknown ? await settle(start.delivery, attempt, parts) : null;
    if (settled) return settled;
    const result = await send(start.delivery, attempt, parts);
    const receipt = await take(result, { start, attempt, parts });
    if (receipt) return receipt;
  }
}

/** Finds out about an unknown outcome, or says null: send (again). */
async function settle(delivery: Delivery, attempt: Attempt, parts: DeliverParts): Promise<Receipt | null> {
  // The same edit may be made as often as one likes.
  if (attempt.platformId !== undefined && parts.client.edits) return null;
  const guarantee = parts.client.guarantee(delivery.kind);
  if (guarantee === "nonce" && !parts.client.lookup) return null;
  if (guarantee !== "none" && parts.client.lookup) {
    try {
      const found = await parts.client.lookup(delivery);
      if (!found) return null;
      if (!parts.client.edits) return { state: "sent", platformId: found.platformId };
      attempt.platformId = found.platformId;
      return null;
    } catch (error) {
      parts.signal.throwIfAborted();
      parts.log.warn(
        { key: delivery.key, error: errorMessage(error) },
        "could not look for an earlier send; trying again",
      );
      await wait(undefined, attempt, parts);
      return settle(delivery, attempt, parts);
    }
  }
  if (parts.onUnknown === "hold") {
    return { state: "uncertain", error: "It is unknown whether the platform has it; held, as onUnknown says." };
  }
  if (attempt.hasResent)
    return { state: "uncertain", error: "It is unknown whether the platform has it, also after sending again." };
  attempt.hasResent = true;
  return null;
}

async function send(delivery: Delivery, attempt: Attempt, parts: DeliverParts): Promise<SendResult> {
  const { client, signal } = parts;
  try {
    if (attempt.platformId !== undefined && client.edits)
      return await client.edits.edit(attempt.platformId, delivery, true);
    const result = await client.send(delivery, signal);
    // A repeated send may have found an opened message with half the text: the edit makes it whole.
    if (result.type !== "sent" || !attempt.wasUnknown || !client.edits) return result;
    attempt.platformId = result.platformId;
    return await client.edits.edit(result.platformId, delivery, true);
  } catch (error) {
    signal.throwIfAborted();
    parts.log.error({ key: delivery.key, error: errorMessage(error) }, "the client threw instead of giving a result");
    return { type: "unknown", error: errorMessage(error) };
  }
}

async function take(
  result: SendResult,
  { start, attempt, parts }: { start: DeliveryStart; attempt: Attempt; parts: DeliverParts },
): Promise<Receipt | null> {
  const { key } = start.delivery;
  switch (result.type) {
    case "sent":
      return {
        state: "sent",
        platformId: result.platformId,
        ...(attempt.hasResent && { error: "Sent again after an unknown outcome; it may stand there twice." }),
      };
    case "rejected":
      return { state: "failed", error: result.error };
    case "held":
      return { state: "uncertain", error: result.error };
    case "unknown":
      attempt.isUnknown = true;
      attempt.wasUnknown = true;
      break;
    case "not-sent":
      attempt.isUnknown = false;
      await parts.commit({ type: "delivery.set", key, state: "pending", error: result.error });
      break;
  }
  if (parts.clock.now() - start.createdAt >= parts.maxAgeMs) return giveUp(result.type, result.error);
  parts.log.warn({ key, error: result.error }, "a delivery did not arrive yet; trying again");
  await wait(result.type === "not-sent" ? result.retryInMs : undefined, attempt, parts);
  await parts.commit({ type: "delivery.set", key, state: "sending", isAttempt: true, error: result.error });
  return null;
}

function giveUp(type: "unknown" | "not-sent", error: string): Receipt {
  return type === "unknown" ? { state: "uncertain", error } : { state: "failed", error: `Given up: too old. ${error}` };
}

async function wait(retryInMs: number | undefined, attempt: Attempt, parts: DeliverParts): Promise<void> {
  const backoffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt.failures) * (0.75 + parts.random() / 2);
  attempt.failures += 1;
  await parts.clock.sleep(retryInMs ?? backoffMs, parts.signal);
}
