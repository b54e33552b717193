import type { Delivery } from "@troupe/core";
import type { Call } from "./api.ts";
import { isId } from "./payload.ts";
import type { TwitterSettings } from "./settings.ts";
import { withoutForbidden } from "./text.ts";

/** The room of what the character says by itself. */
export const feedRoomId = "feed";

/** The rooms of what loops show to the model. */
export const batchRoomIds = ["timeline", "search", "targets"] as const;

const directPrefix = "direct:";

/** The platform's id of the room of a conversation in private. */
export function directRoomId(conversationId: string): string {
  return `${directPrefix}${conversationId}`;
}

/** Which conversation in private a room is; undefined when it is none. */
export function directConversationOf(target: string): string | undefined {
  return target.startsWith(directPrefix) ? target.slice(directPrefix.length) : undefined;
}

/** What is known about a delivery besides itself. */
export type Placing = {
  /** The account. */
  readonly account: string;
  /** X's id of the piece before this one. */
  readonly before: string | undefined;
  /** It is not the first piece of its text. */
  readonly isLaterPiece: boolean;
  /** The newest post of the conversation that spoke to the account. */
  readonly newest: string | undefined;
  readonly mediaIds: readonly string[];
  readonly settings: Pick<TwitterSettings, "forbidden">;
};

/** A delivery that is not made, and why. */
export type OutboundRefusal = { readonly refusal: string };

/** The text of a delivery as it is posted: without what the character's settings forbid. */
export function postedText({ content }: Delivery, { forbidden }: Pick<TwitterSettings, "forbidden">): string {
  return withoutForbidden(content.text, forbidden);
}

/** The call a delivery comes to, or why there is none. */
export function toCall(delivery: Delivery, placing: Placing): Call | OutboundRefusal {
  const { kind, replyToPlatformId: about = "" } = delivery;
  if (kind !== "message" && !isId(about)) return { refusal: `There is no post on X to ${kind}.` };
  const own = { id: placing.account };
  switch (kind) {
    case "message":
      return toMessage(delivery, placing);
    case "quote":
      return toPost(delivery, placing, { quote_tweet_id: about });
    case "like":
      return { method: "POST", path: "users/:id/likes", parameters: own, body: { tweet_id: about } };
    case "unlike":
      return { method: "DELETE", path: "users/:id/likes/:tweet_id", parameters: { ...own, tweet_id: about } };
    case "retweet":
      return { method: "POST", path: "users/:id/retweets", parameters: own, body: { tweet_id: about } };
    case "unretweet":
      return { method: "DELETE", path: "users/:id/retweets/:tweet_id", parameters: { ...own, tweet_id: about } };
    case "bookmark":
      return { method: "POST", path: "users/:id/bookmarks", parameters: own, body: { tweet_id: about } };
    case "follow":
      return { method: "POST", path: "users/:id/following", parameters: own, body: { target_user_id: about } };
  }
}

function toMessage(delivery: Delivery, placing: Placing): Call | OutboundRefusal {
  const { target } = delivery;
  const conversation = directConversationOf(target);
  if (conversation !== undefined) return toDirect(delivery, placing, conversation);
  if (target === feedRoomId && placing.isLaterPiece && placing.before === undefined) {
    return { refusal: "The piece before it was not posted." };
  }
  const answered = answeredPost(delivery, placing);
  if (answered !== undefined) return toPost(delivery, placing, { reply: { in_reply_to_tweet_id: answered } });
  if (target === feedRoomId) return toPost(delivery, placing, {});
  return { refusal: `Nothing can be said to the room ${target} itself.` };
}

/** What a message is posted under: the piece before it, what it answers, or the newest of its conversation. */
export function answeredPost(
  { target, replyToPlatformId }: Pick<Delivery, "target" | "replyToPlatformId">,
  { before, newest }: Pick<Placing, "before" | "newest">,
): string | undefined {
  if (before !== undefined) return before;
  if (replyToPlatformId !== undefined) return isId(replyToPlatformId) ? replyToPlatformId : undefined;
  return isId(target) ? (newest ?? target) : undefined;
}

function toPost(
  delivery: Delivery,
  placing: Placing,
  place: Readonly<Record<string, unknown>>,
): Call | OutboundRefusal {
  const text = postedText(delivery, placing.settings);
  const { mediaIds } = placing;
  if (text === "" && mediaIds.length === 0) return { refusal: "There is nothing to post: neither text nor picture." };
  if (mediaIds.length > 0 && place["quote_tweet_id"] !== undefined) {
    return { refusal: "X lets a quotation carry no pictures; leave one of them out." };
  }
  return {
    method: "POST",
    path: "tweets",
    body: {
      ...(text !== "" && { text }),
      ...place,
      ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
    },
  };
}

function toDirect(delivery: Delivery, { mediaIds }: Placing, conversation: string): Call | OutboundRefusal {
  const { text } = delivery.content;
  if (text.trim() === "" && mediaIds.length === 0) return { refusal: "There is nothing to write." };
  const attachments = mediaIds.slice(0, 1).map((media_id) => ({ media_id }));
  return {
    method: "POST",
    path: "dm_conversations/:id/messages",
    parameters: { id: conversation },
    body: { ...(text.trim() !== "" && { text }), ...(attachments.length > 0 && { attachments }) },
  };
}
