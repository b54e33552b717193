import type { Choice } from "../memory/memory.ts";
import type { DeliveryStart } from "../outbox/deliver.ts";
import type { Delivery } from "../outbox/delivery.ts";
import { type DeliveryPlace, planTextDeliveries, textDelivery } from "../outbox/plan-deliveries.ts";
import type { StreamEnd } from "../outbox/streamed-output.ts";
import type { EntryBody } from "./entry.ts";
import type { Run } from "./run.ts";

/** The call id under which a step's own text is delivered. */
export const textCallId = (step: number): string => `${step}.text`;

/** Where a run's answers go. */
export function placeOf(run: Run): DeliveryPlace {
  return { agentId: run.parts.agentId, runId: run.recorder.runId, room: run.room.room, message: run.message };
}

/** The entry that names the deliveries of a call's text. */
export function outputEntry(callId: string, deliveries: readonly string[], isFinal: boolean): EntryBody {
  return { type: "output", callId, kind: "message", deliveries, isFinal };
}

/** The text of a complete answer; `end` says how far its streaming got in this process, null when nothing was opened here. */
export type AnswerText = { readonly text: string; readonly isQuote: boolean; readonly end: StreamEnd | null };

/**
 * Records the pieces of an answer's text as deliveries. A row opened for streaming, by this process or by one that died, becomes
 * the first piece; when the text turned out to be silence it is withdrawn.
 */
export async function recordText(run: Run, step: number, { text, isQuote, end }: AnswerText): Promise<void> {
  const planned = text === "" ? [] : planTextDeliveries(placeOf(run), run.client, { callId: textCallId(step), text });
  const quotes = isQuote && run.client.social?.includes("quote") === true;
  const deliveries = planned.map((delivery, n) =>
    quotes && n === 0 ? { ...delivery, kind: "quote" as const } : delivery,
  );
  const opened = run.recorder.state().steps.at(-1)?.outputs[0]?.key;
  const [first, ...rest] = deliveries;
  if (!first) {
    if (opened !== undefined) await withdraw(run, step, end);
    return;
  }
  const keys = deliveries.map(({ key }) => key);
  run.recorder.add(outputEntry(textCallId(step), keys, true));
  if (opened === undefined) putDelivery(run, first, "sending");
  else finishOpened(run, first, end);
  for (const delivery of rest) putDelivery(run, delivery, "pending");
}

/** Records a sentence of our own, to be sent in its turn, under the call id of the step's text; choices go with its last piece. */
export function recordNotice(run: Run, step: number, text: string, choices: readonly Choice[] = []): void {
  const planned = planTextDeliveries(placeOf(run), run.client, { callId: textCallId(step), text });
  const deliveries = planned.map((delivery, n) =>
    choices.length > 0 && n === planned.length - 1
      ? { ...delivery, content: { ...delivery.content, choices } }
      : delivery,
  );
  const keys = deliveries.map(({ key }) => key);
  run.recorder.add(outputEntry(textCallId(step), keys, true));
  for (const delivery of deliveries) putDelivery(run, delivery, "pending");
}

/** Writes a new delivery, to be committed with what else gathered; `sending` when it is sent right after that commit. */
export function putDelivery(run: Run, delivery: Delivery, state: "sending" | "pending"): void {
  run.recorder.write({ type: "delivery.put", delivery, state, isOpen: false });
  run.fresh.set(delivery.key, { start: newStart(run, delivery), isPending: state === "pending" });
}

function newStart(run: Run, delivery: Delivery): DeliveryStart {
  return { delivery, createdAt: run.parts.clock.now(), isUnknown: false };
}

/** Writes the final text of a delivery that was opened for streaming. */
export function finishOpened(run: Run, delivery: Delivery, end: StreamEnd | null): void {
  run.recorder.write({ type: "delivery.set", key: delivery.key, state: "sending", text: delivery.content.text });
  if (!end) return;
  const start: DeliveryStart = {
    ...newStart(run, delivery),
    isUnknown: end.type === "unknown",
    ...(end.type === "shown" && { platformId: end.platformId }),
  };
  run.fresh.set(delivery.key, { start, isPending: false });
}

async function withdraw(run: Run, step: number, end: StreamEnd | null): Promise<void> {
  const { client, recorder, parts } = run;
  const { key } = textDelivery(placeOf(run), textCallId(step), 0, "");
  const row = end ? null : await parts.store.outbox.get(parts.agentId, key);
  const platformId = end?.type === "shown" ? end.platformId : row?.platformId;
  if (platformId === undefined) {
    const state = end?.type === "unsent" ? "failed" : "uncertain";
    settleWithdrawn(run, { key, state, error: "Withdrawn: the answer turned out to be silence." });
    return;
  }
  const delivery = row?.delivery ?? textDelivery(placeOf(run), textCallId(step), 0, "");
  const removed = client.edits?.remove ? await client.edits.remove(platformId, delivery) : null;
  if (removed?.type === "sent") {
    settleWithdrawn(run, {
      key,
      state: "failed",
      platformId,
      error: "Taken back: the answer turned out to be silence.",
    });
    return;
  }
  recorder.add({
    type: "error",
    where: "delivery",
    code: "invalid",
    message: "What was shown of a silenced answer stays: the client cannot take it back.",
  });
  settleWithdrawn(run, { key, state: "sent", platformId, error: "Shown before the answer turned out to be silence." });
}

type Withdrawn = {
  readonly key: string;
  readonly state: "failed" | "uncertain" | "sent";
  readonly platformId?: string;
  readonly error: string;
};

function settleWithdrawn(run: Run, withdrawn: Withdrawn): void {
  run.recorder.add({ type: "receipt", ...withdrawn, isWithdrawn: true });
  const { key, state, error, platformId } = withdrawn;
  run.recorder.write({
    type: "delivery.set",
    key,
    state,
    text: "",
    error,
    ...(platformId !== undefined && { platformId }),
  });
}
