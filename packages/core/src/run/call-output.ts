import type { ActionResult, DeliveryTarget } from "../action/action.ts";
import { TroupeError } from "../errors.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { Receipt } from "../outbox/deliver.ts";
import type { Delivery, DeliveryKind } from "../outbox/delivery.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import { type DeliveryPlace, planTextDeliveries, textDelivery } from "../outbox/plan-deliveries.ts";
import { createStreamedOutput, type StreamedOutput } from "../outbox/streamed-output.ts";
import type { Room } from "../room/room.ts";
import { deliverOne, requireClient } from "./deliver-effect.ts";
import { finishOpened, outputEntry, placeOf, putDelivery } from "./record-text.ts";
import { hasReviewers } from "./review.ts";
import type { Run } from "./run.ts";

/** What an action says and does on platforms while it runs, and what is left to be told when it has ended. */
export type CallOutput = {
  say(content: Content, room?: Room): Promise<readonly Memory[]>;
  deliver(kind: DeliveryKind, target?: DeliveryTarget): Promise<ActionResult>;
  stream(chunk: string): void;
  /** Completes what was streamed and records `text` to be told, unless it was streamed already. Nothing is sent yet. */
  finish(text: string | undefined): Promise<void>;
};

/** The outputs of one call; the pieces are numbered in the order in which they were asked for, also when it runs again. */
export function createCallOutput(run: Run, callId: string): CallOutput {
  return new Output(run, callId);
}

class Output implements CallOutput {
  readonly #run: Run;
  readonly #callId: string;
  #pieces = 0;
  #streamed = "";
  #stream: { readonly output: StreamedOutput | null; readonly delivery: Delivery } | undefined;

  constructor(run: Run, callId: string) {
    this.#run = run;
    this.#callId = callId;
  }

  async say(content: Content, room: Room = this.#run.room.room): Promise<readonly Memory[]> {
    const place = this.#placeIn(room);
    const client = requireClient(this.#run, room.platform, room.account);
    const planned = planTextDeliveries(place, client, {
      callId: this.#callId,
      text: content.text,
      firstPiece: this.#pieces,
    });
    const deliveries = planned.map((delivery, n) => {
      const first = n === 0 ? withExtras(delivery, content) : delivery;
      return n === planned.length - 1 ? withChoices(first, content) : first;
    });
    this.#pieces += deliveries.length;
    const memories: Memory[] = [];
    for (const delivery of await this.#record(deliveries)) memories.push(await this.#send(delivery));
    return memories;
  }

  async deliver(kind: DeliveryKind, target?: DeliveryTarget): Promise<ActionResult> {
    const { client, message } = this.#run;
    if (kind !== "message" && !client.social?.includes(kind)) {
      return { success: false, error: `${client.platform} cannot ${kind}; nothing was done.` };
    }
    const platformId = target?.platformId ?? message.platformId;
    if (platformId === undefined) return { success: false, error: `There is no message to ${kind}.` };
    const deliveries = await this.#record(this.#about(kind, platformId, target?.text));
    if (deliveries.length === 0) return { success: false, error: "There is nothing to say; give it a text." };
    const receipts: Receipt[] = [];
    for (const { key } of deliveries) {
      receipts.push(await deliverOne(this.#run, key));
      if (receipts.at(-1)?.state !== "sent") break;
    }
    const failed = receipts.find(({ state }) => state !== "sent");
    if (!failed) return { success: true, data: { platformId: receipts[0]?.platformId ?? null } };
    return { success: false, error: failed.error ?? `The outcome of the ${kind} is unknown.` };
  }

  /** What is done to a message or person, or said to it: only the first piece of a text points at it. */
  #about(kind: DeliveryKind, platformId: string, text: string | undefined): readonly Delivery[] {
    const place = placeOf(this.#run);
    const planned =
      text === undefined
        ? [textDelivery(place, this.#callId, this.#pieces, "")]
        : planTextDeliveries({ ...place, message: null }, this.#run.client, {
            callId: this.#callId,
            text,
            firstPiece: this.#pieces,
          });
    this.#pieces += planned.length;
    return planned.map((delivery, n) => (n === 0 ? { ...delivery, kind, replyToPlatformId: platformId } : delivery));
  }

  stream(chunk: string): void {
    if (chunk === "") return;
    this.#streamed += chunk;
    this.#stream ??= this.#openStream();
    this.#stream.output?.push(chunk);
  }

  async finish(text: string | undefined): Promise<void> {
    if (this.#stream) await this.#finishStream(this.#stream);
    if (text === undefined || text.trim() === "" || text.trim() === this.#streamed.trim()) return;
    const { client } = this.#run;
    const pieces = { callId: this.#callId, text, firstPiece: this.#pieces };
    const deliveries = planTextDeliveries(this.#placeIn(this.#run.room.room), client, pieces);
    this.#pieces += deliveries.length;
    this.#write(deliveries);
  }

  /** In the room of the run it answers the message; elsewhere it stands alone. */
  #placeIn(room: Room): DeliveryPlace {
    const place = placeOf(this.#run);
    return room.id === place.room.id ? place : { ...place, room, message: null };
  }

  #openStream(): { readonly output: StreamedOutput | null; readonly delivery: Delivery } {
    const { client, parts, recorder, log, signal } = this.#run;
    const delivery = textDelivery(placeOf(this.#run), this.#callId, this.#pieces, "");
    this.#pieces += 1;
    const { edits } = client;
    if (!edits || hasReviewers(parts)) return { output: null, delivery };
    const output = createStreamedOutput(delivery, {
      client,
      edits,
      clock: parts.clock,
      log,
      signal,
      open: async () => {
        recorder.add(outputEntry(this.#callId, [delivery.key], false));
        recorder.write({ type: "delivery.put", delivery, state: "sending", isOpen: true });
        await recorder.flush();
      },
      opened: async (platformId) => {
        recorder.write({ type: "delivery.set", key: delivery.key, state: "sending", platformId });
        await recorder.flush();
      },
    });
    return { output, delivery };
  }

  async #finishStream({
    output,
    delivery,
  }: {
    readonly output: StreamedOutput | null;
    readonly delivery: Delivery;
  }): Promise<void> {
    const end = output ? await output.finish() : null;
    const wasOpened = output?.isOpened() === true;
    const firstPiece = this.#pieces - 1;
    const all = planTextDeliveries(placeOf(this.#run), this.#run.client, {
      callId: this.#callId,
      text: this.#streamed,
      firstPiece,
    });
    this.#pieces = firstPiece + Math.max(1, all.length);
    if (!wasOpened) return this.#write(all);
    const [first = delivery, ...rest] = all;
    this.#run.recorder.add(
      outputEntry(
        this.#callId,
        [first, ...rest].map(({ key }) => key),
        true,
      ),
    );
    finishOpened(this.#run, first, end);
    for (const piece of rest) putDelivery(this.#run, piece, "pending");
  }

  #write(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    this.#run.recorder.add(
      outputEntry(
        this.#callId,
        deliveries.map(({ key }) => key),
        true,
      ),
    );
    for (const delivery of deliveries) putDelivery(this.#run, delivery, "pending");
  }

  /** Commits new deliveries; a repeated action finds those of its first time and does not send them again. */
  async #record(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    this.#write(deliveries);
    await this.#run.recorder.flush();
    for (const { key } of deliveries) this.#run.fresh.delete(key);
    return deliveries;
  }

  async #send(delivery: Delivery): Promise<Memory> {
    const receipt = await deliverOne(this.#run, delivery.key);
    if (receipt.state === "failed") {
      throw new TroupeError("invalid", `The message was not delivered: ${receipt.error ?? "refused"}`);
    }
    const { platformId } = receipt;
    return ownMemory(delivery, { at: this.#run.parts.clock.now(), ...(platformId !== undefined && { platformId }) });
  }
}

/** Buttons stand under the last piece of a text. */
function withChoices(delivery: Delivery, { choices }: Content): Delivery {
  return choices ? { ...delivery, content: { ...delivery.content, choices } } : delivery;
}

function withExtras(delivery: Delivery, content: Content): Delivery {
  const { attachments, thought, url } = content;
  return {
    ...delivery,
    content: {
      ...delivery.content,
      ...(attachments && { attachments }),
      ...(thought !== undefined && { thought }),
      ...(url !== undefined && { url }),
    },
  };
}
