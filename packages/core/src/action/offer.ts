import type { Memory } from "../memory/memory.ts";
import type { DeliveryKind } from "../outbox/delivery.ts";
import type { ActionResult } from "./action.ts";
import { isList, isObject } from "./json-kind.ts";

/**
 * Messages that a message shows, so that something is done to them and nothing is said to itself: clients put it into
 * `metadata.offer`. The kinds of delivery that may follow, each with how relevant (0..10) a message must be for it.
 */
export type Offer = {
  /** Platform ids. */
  readonly messages: readonly string[];
  readonly kinds: Readonly<Partial<Record<DeliveryKind, number>>>;
};

/** The offer of a message, or null when it makes none: metadata is written by clients and by us, never by people. */
export function readOffer({ metadata }: Pick<Memory, "metadata">): Offer | null {
  const offer = metadata?.["offer"];
  if (!isObject(offer) || !isList(offer["messages"]) || !isObject(offer["kinds"])) return null;
  const kinds = Object.entries(offer["kinds"]).filter(([, least]) => typeof least === "number");
  return {
    messages: offer["messages"].filter((id) => typeof id === "string"),
    kinds: Object.fromEntries(kinds),
  };
}

/** What is to be done to which message. */
export type OfferTaken = { readonly kind: DeliveryKind; readonly message: unknown; readonly relevance: unknown };

/** Why an offer does not allow something, as the action's result; null when it does. */
export function refuseOffer(offer: Offer, { kind, message, relevance }: OfferTaken): ActionResult | null {
  const refuse = (error: string): ActionResult => ({ success: false, error });
  const least = offer.kinds[kind];
  if (least === undefined) return refuse(`Nothing shown here may be answered with a ${kind}.`);
  if (typeof message !== "string") return refuse("Name with `message` the id of the one that is meant.");
  if (!offer.messages.includes(message)) return refuse(`${message.slice(0, 40)} is not among what was shown.`);
  if (least === 0) return null;
  if (typeof relevance !== "number") return refuse("Say with `relevance`, 0 to 10, how well it fits.");
  return relevance >= least ? null : refuse(`Its relevance, ${relevance}, is below ${least}: left alone.`);
}
