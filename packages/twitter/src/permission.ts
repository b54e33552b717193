import type { Clock, Delivery } from "@troupe/core";
import {
  countAnswers,
  countInConversation,
  countToday,
  type Deed,
  findRepeat,
  findShown,
  type Ledger,
  restsUntil,
  textKeyOf,
} from "./ledger.ts";
import { batchRoomIds, directConversationOf, feedRoomId, postedText } from "./outbound.ts";
import { isId } from "./payload.ts";
import type { EngagementKind, TwitterSettings } from "./settings.ts";

/** What the rules look at. */
export type PermitParts = {
  readonly ledger: Ledger;
  readonly settings: TwitterSettings;
  readonly clock: Pick<Clock, "now">;
};

/** A delivery that may be made, and what it counts as. */
export type Permit = {
  readonly deed: Deed;
  /** The post or account it is about, where that is not what the delivery says. */
  readonly about?: string;
};

/** A delivery that may not be made, and why, in one sentence. */
export type PermitRefusal = { readonly refusal: string };

/**
 * Whether a delivery keeps to the character's limits: nothing twice, one answer to a post, so many deeds a day and a turn, authors
 * left alone for a while, and nobody who asked for that. Made at once, without waiting: two at the same time cannot both have
 * the last place, as long as the deed is written down before anything else happens.
 */
export function permit(delivery: Delivery, parts: PermitParts): Permit | PermitRefusal {
  const { key, kind, target } = delivery;
  const at = parts.clock.now();
  if (isBatchRoom(target)) return permitEngagement(delivery, parts);
  if (kind !== "message" && kind !== "quote") return { deed: { key, kind, at } };
  if (directConversationOf(target) !== undefined) return { deed: { key, kind: "direct", at } };
  const refusal =
    kind === "quote" || target === feedRoomId ? refuseForAll(delivery, parts) : refuseAnswer(delivery, parts);
  if (refusal !== null) return { refusal };
  return { deed: { key: textKeyOf(key), kind: target === feedRoomId ? "post" : "answer", at } };
}

function isBatchRoom(target: string): boolean {
  return batchRoomIds.some((room) => room === target);
}

/** What everybody sees: never the same twice, and not too much of it. Later pieces belong to the first. */
function refuseForAll(delivery: Delivery, { ledger, settings, clock }: PermitParts): string | null {
  const { key, target } = delivery;
  const text = postedText(delivery, settings);
  const sent = ledger.sent.get().filter((one) => textKeyOf(one.key) !== textKeyOf(key));
  if (text !== "" && findRepeat(sent, text)) return "The account has said the same, or nearly the same, before.";
  if (target !== feedRoomId || isOfBegunText(ledger, key)) return null;
  const limit = settings.perDay.post;
  if (countToday(ledger.deeds.get(), "post", clock.now()) < limit) return null;
  return `The account has posted ${limit} times in 24 hours (maxPerDay.post).`;
}

function isOfBegunText(ledger: Ledger, deliveryKey: string): boolean {
  const text = textKeyOf(deliveryKey);
  return ledger.deeds.get().some(({ key }) => key === text);
}

function refuseAnswer({ key, target, replyToPlatformId }: Delivery, parts: PermitParts): string | null {
  const { ledger, settings, clock } = parts;
  const sent = ledger.sent.get();
  const text = textKeyOf(key);
  if (replyToPlatformId !== undefined && countAnswers(sent, replyToPlatformId, text) >= settings.repliesPerPost) {
    return `Post ${replyToPlatformId} has its answer; X allows one automated answer to an interaction (repliesPerPost).`;
  }
  const isBegun = sent.some((one) => textKeyOf(one.key) === text);
  const limit = settings.repliesPerConversation;
  if (isId(target) && !isBegun && countInConversation(sent, target, clock.now()) >= limit) {
    return `The account has said ${limit} things in this conversation in 24 hours (repliesPerConversation).`;
  }
  return null;
}

function permitEngagement(delivery: Delivery, { ledger, settings, clock }: PermitParts): Permit | PermitRefusal {
  const { key, target, replyToPlatformId: postId } = delivery;
  const now = clock.now();
  const ownKey = delivery.kind === "message" || delivery.kind === "quote" ? textKeyOf(key) : key;
  const deeds = ledger.deeds.get().filter((deed) => deed.key !== ownKey);
  if (isOfBegunText(ledger, key) && postId === undefined) return { deed: { key, kind: "piece", at: now } };
  const shown = postId === undefined ? undefined : findShown(ledger.shown.get(), target, postId);
  if (postId === undefined || !shown) return { refusal: `Post ${postId ?? ""} is not among those that were shown.` };
  const kind = engagementOf(delivery);
  if (kind === null) return { refusal: `Nothing shown there is answered with a ${delivery.kind}.` };
  const refusal =
    refuseEngagement(kind, { deeds, settings, now, ...shown }) ??
    (ledger.optedOut.get().includes(shown.authorId) ? "Its author asked to be left alone." : null) ??
    (kind === "quote" || kind === "reply" ? refuseRepeat(delivery, { ledger, settings, clock }) : null);
  if (refusal !== null) return { refusal };
  const { turn, authorId } = shown;
  return { deed: { key: ownKey, kind, at: now, turn, authorId }, ...(kind === "follow" && { about: authorId }) };
}

function refuseRepeat(delivery: Delivery, { ledger, settings }: PermitParts): string | null {
  const others = ledger.sent.get().filter((one) => textKeyOf(one.key) !== textKeyOf(delivery.key));
  return findRepeat(others, postedText(delivery, settings)) ? "The account has said nearly the same before." : null;
}

type Engaging = {
  readonly deeds: readonly Deed[];
  readonly settings: TwitterSettings;
  readonly now: number;
  readonly turn: string;
  readonly authorId: string;
};

function refuseEngagement(kind: EngagementKind, { deeds, settings, now, turn, authorId }: Engaging): string | null {
  if (!settings.engagements.includes(kind)) return `${kind} is not among the character's engagements.`;
  if (deeds.filter((deed) => deed.turn === turn).length >= settings.perRun) {
    return `${settings.perRun} things were done in this turn (maxActionsPerRun).`;
  }
  if (countToday(deeds, kind, now) >= settings.perDay[kind]) {
    return `The account's ${settings.perDay[kind]} of ${kind} in 24 hours are used up (maxPerDay.${kind}).`;
  }
  const others = deeds.filter((deed) => deed.turn !== turn);
  const until = restsUntil(others, authorId, settings.authorRestMs);
  return until > now ? "Its author was dealt with a short while ago (authorRestMinutes)." : null;
}

function engagementOf({ kind }: Delivery): EngagementKind | null {
  switch (kind) {
    case "message":
      return "reply";
    case "like":
    case "retweet":
    case "quote":
    case "follow":
    case "bookmark":
      return kind;
    case "unlike":
    case "unretweet":
      return null;
  }
}
