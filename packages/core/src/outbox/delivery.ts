import type { Content } from "../memory/memory.ts";

/** What an operator chose for outcomes nobody can know. */
export type OnUnknown = "resend" | "hold";

/** What is delivered: a message, or a social action on somebody's message. */
export type DeliveryKind = "message" | "like" | "unlike" | "retweet" | "unretweet" | "quote" | "bookmark" | "follow";

/**
 * One send, committed before the first byte leaves. `key` is `runId/callId/n` and the same at every attempt.
 * States: `pending` (to be sent, maybe again) → `sending` (a send is under way, or was when the process died) →
 * `sent` (the platform has it) | `uncertain` (nobody can know) | `failed` (refused, or too old). From `sending` back to
 * `pending` when it certainly did not arrive. `sent`, `uncertain` and `failed` are final, until an operator decides otherwise.
 */
export type Delivery = {
  readonly key: string;
  readonly agentId: string;
  readonly runId: string;
  readonly roomId: string;
  readonly platform: string;
  readonly account: string;
  /** The platform's id of the room it goes to. */
  readonly target: string;
  readonly kind: DeliveryKind;
  /** The text of this piece, already split for the platform; empty while a streamed delivery is open. */
  readonly content: Content;
  /** The platform's id of the message it answers, quotes or likes. */
  readonly replyToPlatformId?: string;
  /** At most 25 characters of `[0-9a-z]`, derived from the key: for platforms that refuse repeats. */
  readonly nonce: string;
  /** What was asked, shortened: for clients that must show which earlier message a late answer belongs to. Not kept. */
  readonly inReplyToText?: string;
  /** Its text is still growing: edits follow, the last one marked `final`. Not kept. */
  readonly isGrowing?: boolean;
};

/** Where a delivery stands; see {@link Delivery}. */
export type DeliveryState = "pending" | "sending" | "sent" | "uncertain" | "failed";

/** A delivery as the store keeps it. */
export type DeliveryRow = {
  readonly delivery: Delivery;
  readonly state: DeliveryState;
  /** Whether it was opened for streaming: its text is not final until `content` was written. */
  readonly isOpen: boolean;
  /** Sends begun so far. */
  readonly attempts: number;
  readonly platformId?: string;
  readonly error?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};
