import type { Delivery } from "@troupe/core";
import type { Access } from "./access.ts";
import { answeredPost, directConversationOf, type Placing, postedText } from "./outbound.ts";
import { fieldsOf, idBefore, idIn, listIn, readLinks, readPage, textIn } from "./payload.ts";
import type { TwitterSettings } from "./settings.ts";
import { comparableText } from "./text.ts";

/** What looking for an own post needs. */
export type FindingParts = {
  readonly access: Access;
  readonly account: string;
  readonly settings: TwitterSettings;
  readonly placing: Placing;
  /** Posts that are known to be of other deliveries. */
  readonly others: ReadonlySet<string>;
  /** When its sending was begun, epoch milliseconds. */
  readonly since: number;
  readonly signal: AbortSignal;
};

const marginMs = 60_000;
const mostPages = 3;

/**
 * X's id of what a delivery became, if it stands in the account's own timeline (or the conversation in private) already; null
 * when it does not. Links are compared by where they lead, for X shows them shortened.
 * @throws what {@link Access} throws when X cannot be asked.
 */
export async function findOwn(delivery: Delivery, parts: FindingParts): Promise<string | null> {
  const conversation = directConversationOf(delivery.target);
  return conversation === undefined ? findPost(delivery, parts) : findDirect(delivery, conversation, parts);
}

async function findPost(delivery: Delivery, parts: FindingParts): Promise<string | null> {
  const { access, account, settings, others, since, placing, signal } = parts;
  const wanted = comparableText(postedText(delivery, settings));
  const answers = delivery.kind === "message" ? answeredPost(delivery, placing) : undefined;
  const quotes = delivery.kind === "quote" ? delivery.replyToPlatformId : undefined;
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = {
      "tweet.fields": "author_id,created_at,conversation_id,entities,referenced_tweets",
      since_id: idBefore(since - marginMs),
      ...(nextToken !== undefined && { pagination_token: nextToken }),
    };
    const asked = { method: "GET", path: "users/:id/tweets", parameters: { id: account }, query } as const;
    const answer = readPage(await access.page(asked, { least: 5, most: 50 }, { importance: "first", signal }));
    const found = answer.posts.findLast(
      (post) =>
        !others.has(post.id) &&
        post.reposted === undefined &&
        post.repliedTo === answers &&
        post.quoted === quotes &&
        comparableText(post.text, post.links) === wanted,
    );
    if (found) return found.id;
    nextToken = answer.nextToken;
    if (nextToken === undefined) return null;
  }
  return null;
}

async function findDirect(
  delivery: Delivery,
  conversation: string,
  { access, account, others, since, signal }: FindingParts,
): Promise<string | null> {
  const asked = {
    method: "GET",
    path: "dm_conversations/:id/dm_events",
    parameters: { id: conversation },
    query: { "dm_event.fields": "created_at,sender_id,entities", event_types: "MessageCreate" },
  } as const;
  const body = await access.page(asked, { least: 1, most: 20 }, { importance: "first", signal });
  const wanted = comparableText(delivery.content.text);
  for (const event of listIn(fieldsOf(body), "data")) {
    const id = idIn(event, "id");
    const isOwn = idIn(event, "sender_id") === account && id !== undefined && !others.has(id);
    const at = Date.parse(textIn(event, "created_at") ?? "");
    if (!isOwn || at < since - marginMs) continue;
    const text = textIn(event, "text") ?? "";
    if (comparableText(text, readLinks(fieldsOf(event["entities"]))) === wanted) return id;
  }
  return null;
}
