import { hash } from "node:crypto";
import type { Client } from "../client/client.ts";
import type { Memory } from "../memory/memory.ts";
import type { Room } from "../room/room.ts";
import type { Delivery } from "./delivery.ts";
import { splitText } from "./split-text.ts";

/** Where an answer goes, and on whose behalf. */
export type DeliveryPlace = {
  readonly agentId: string;
  readonly runId: string;
  readonly room: Room;
  /** The message it answers, when it answers one. */
  readonly message: Memory | null;
};

const excerptCharacters = 80;

/** The deliveries of one call's text, split for the platform, counted from `firstPiece`; keys and nonces are the same however often this is asked. */
export function planTextDeliveries(
  place: DeliveryPlace,
  client: Pick<Client, "limits">,
  output: { readonly callId: string; readonly text: string; readonly firstPiece?: number },
): readonly Delivery[] {
  const first = output.firstPiece ?? 0;
  const { limits } = client;
  const pieces = splitText(output.text, limits, { isNumbered: limits.isNumbered === true });
  return pieces.map((text, n) => textDelivery(place, output.callId, first + n, text));
}

/** One piece of an output; the first (`n` = 0) answers the message, later ones just follow. */
export function textDelivery(place: DeliveryPlace, callId: string, n: number, text: string): Delivery {
  const { message, room } = place;
  const key = `${place.runId}/${callId}/${n}`;
  return {
    key,
    agentId: place.agentId,
    runId: place.runId,
    roomId: room.id,
    platform: room.platform,
    account: room.account,
    target: room.platformId,
    kind: "message",
    content: { text, source: room.platform, channelType: room.channelType, ...(message && { inReplyTo: message.id }) },
    nonce: deliveryNonce(key),
    ...(n === 0 && message?.platformId !== undefined && { replyToPlatformId: message.platformId }),
  };
}

/**
 * A delivery with the words of the message it answers, shortened, for a client that shows them; they are not kept. To what never
 * stood on the platform it is no answer there: nobody has seen it.
 */
export function withExcerpt(delivery: Delivery, message: Memory | null): Delivery {
  if (!message) return delivery;
  if (message.platformId === undefined) {
    const { inReplyTo: _, ...content } = delivery.content;
    return { ...delivery, content };
  }
  const line = message.content.text.replace(/\s+/gu, " ").trim();
  const characters = [...line.slice(0, 4 * excerptCharacters)];
  const excerpt = characters.length > excerptCharacters ? `${characters.slice(0, excerptCharacters).join("")}…` : line;
  return { ...delivery, inReplyToText: excerpt };
}

/** 25 characters of base 36, the same for the same key. */
export function deliveryNonce(key: string): string {
  return BigInt(`0x${hash("sha256", key, "hex").slice(0, 34)}`)
    .toString(36)
    .padStart(27, "0")
    .slice(-25);
}
