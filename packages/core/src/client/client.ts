import type { PlatformChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { Delivery, DeliveryKind, OnUnknown } from "../outbox/delivery.ts";

/** How long one text may be on a platform, and in which unit it counts. */
export type TextLimits = {
  readonly textLength: number;
  /** `utf16`: UTF-16 code units. `codepoints`: Unicode characters. `weighted`: X's rules. */
  readonly unit: "utf16" | "codepoints" | "weighted";
  /** The length of a link, an emoji or a few characters, where the unit alone does not say it exactly. */
  readonly measure?: (text: string) => number;
  /** Where links stand that are kept whole and measured as such, in UTF-16 code units; addresses with `://` or `www.` when absent. */
  readonly findLinks?: (text: string) => readonly { readonly start: number; readonly end: number }[];
  /** Begins every piece of a split text with its number, "2/5 ". */
  readonly isNumbered?: boolean;
};

/**
 * What became of one send.
 * `sent`: the platform has it under `platformId`. `not-sent`: it certainly has not; try again after `retryInMs`.
 * `unknown`: the request left, no answer came. `rejected`: the platform refused it for good. `held`: it was not sent, and is
 * kept until a person decides; only a guard before a client says so.
 */
export type SendResult =
  | { readonly type: "sent"; readonly platformId: string; readonly url?: string }
  | { readonly type: "not-sent"; readonly retryInMs?: number; readonly error: string }
  | { readonly type: "unknown"; readonly error: string }
  | { readonly type: "rejected"; readonly error: string }
  | { readonly type: "held"; readonly error: string };

/**
 * How a client keeps a send from happening twice.
 * `nonce`: sending again with the same nonce shows it once. `lookup`: the client can find its own earlier send.
 * `none`: nothing can be known; the room's `onUnknown` policy decides.
 */
export type Guarantee = "nonce" | "lookup" | "none";

/** Changing what was shown: streaming by edits. */
export interface Edits {
  /** The least time between two edits of one message; 0 where edits are free. */
  readonly intervalMs: number;
  /** Shows `delivery.content.text` in place of what stands under `platformId`; `final` marks the last edit. */
  edit(platformId: string, delivery: Delivery, final: boolean): Promise<SendResult>;
  /** Takes back what was shown; absent where that cannot be done. */
  remove?(platformId: string, delivery: Delivery): Promise<SendResult>;
}

/** Fetching files by addresses that only the platform's own API understands. */
export interface AttachmentSource {
  /** @throws ClientError saying why it cannot be had; `unavailable` when it may be had later. */
  fetch(url: string, signal: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly mediaType?: string }>;
}

/** Showing that the agent is thinking. Calls for one room nest: each `start` is ended by the function it returns. */
export interface Typing {
  start(roomPlatformId: string): () => void;
}

/**
 * Hands one platform event to the engine; resolves once it is durable, and only then may the platform be told so. Throws
 * StoreError when it could not be kept: then nothing may be acknowledged, and the client offers it again later.
 */
export type Receive = (heard: Inbound | PlatformChange) => Promise<void>;

/** An account's live connection to one platform. The required members in reading order: identity, lifecycle, verbs. */
export interface Client {
  /** "terminal", "discord", "telegram", "twitter" … */
  readonly platform: string;
  /** The agent's own account on it: the platform's id, or a name where there is none. Known before `start` resolves. */
  readonly account: string;
  readonly limits: TextLimits;
  /**
   * Connects and begins to hear. Resolves when connected; ends when `signal` aborts, after which nothing is received.
   * @throws ClientError naming the remedy when the platform refuses for good (bad token, another poller).
   */
  start(receive: Receive, signal: AbortSignal): Promise<void>;
  /** Sends one delivery. Never throws for what a platform may answer: the result says it. */
  send(delivery: Delivery, signal: AbortSignal): Promise<SendResult>;
  guarantee(kind: DeliveryKind): Guarantee;
  /**
   * With guarantee `none`: what is to be done where nobody can know whether a delivery arrived, if the client's settings say so
   * for its room (`target`); undefined leaves it to the program's.
   */
  onUnknown?(delivery: Pick<Delivery, "target" | "kind">): OnUnknown | undefined;
  /** Present where a message can be changed after it was sent. */
  readonly edits?: Edits;
  readonly typing?: Typing;
  /** Present where files that come with messages have addresses that are none on the web. */
  readonly attachments?: AttachmentSource;
  /** The kinds beside `message` this platform can deliver. */
  readonly social?: readonly DeliveryKind[];
  /** Present where offered choices are shown as buttons, at most so many; elsewhere they stand in the text as numbered lines. */
  readonly choices?: { readonly limit: number };
  /**
   * With guarantee `lookup`, and with `nonce` where the platform forgets nonces: the platform id of an earlier send of this
   * delivery, or null when there is certainly none.
   */
  lookup?(delivery: Delivery): Promise<{ readonly platformId: string } | null>;
}
