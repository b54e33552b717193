import type { Inbound } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { openCursor } from "./cursor.ts";
import { toInbound } from "./inbound.ts";
import { createHandOver, heedWishes, type ListeningParts } from "./listening.ts";
import type { Loop, Turn } from "./loop.ts";
import { compareIds, idBefore, type Page, type Post } from "./payload.ts";
import { chainOf, conversationExpansions, postFields, readParents, readPosts } from "./reading.ts";

/** The loop that hears, and what it knows of conversations. */
export type Mentions = {
  readonly loop: Loop;
  /** The newest post of a conversation that spoke to the account, as far as it was heard since the start. */
  newestOf(conversation: string): string | undefined;
};

/** X shows the last 800 mentions, 100 at once. */
const pageSize = { least: 5, most: 25, pages: 32 };
const keptConversations = 2_000;
const contextReason = "It is shown for the conversation's sake; its writer did not speak to the agent.";

/** Hears who speaks to the account. Where it never listened before it begins with what comes from now on. @throws StoreError */
export async function openMentions(parts: ListeningParts, restMs: readonly [number, number]): Promise<Mentions> {
  const { access, clock, settings, state, log } = parts;
  const cursor = await openCursor(state, "mentions", idBefore(clock.now()));
  const handOver = createHandOver(parts);
  const newest = new Map<string, string>();

  const take = async (post: Post, page: Page): Promise<void> => {
    const { account } = parts.hearer();
    if (post.authorId === account || post.reposted !== undefined || !cursor.begin(post.id)) return;
    const heard = await understand(post, page);
    if (isToAgent(heard.at(-1))) keepNewest(newest, post);
    handOver(heard, { id: post.id, cursor });
  };

  /** What stood before a post, then the post itself. */
  const understand = async (post: Post, page: Page): Promise<readonly Inbound[]> => {
    try {
      const hearer = parts.hearer();
      const own = toInbound(post, page, hearer);
      if (!own) return [];
      const { text } = own.memory.content;
      const silence = await heedWishes({ text, authorId: post.authorId, isToAgent: isToAgent(own) }, parts);
      const inbound = silence === undefined ? own : (toInbound(post, page, hearer, silence) ?? own);
      const before = contextOf(post, page).flatMap((one) => toInbound(one, page, hearer, contextReason) ?? []);
      return [...before, inbound];
    } catch (error) {
      parts.signal.throwIfAborted();
      log.warn({ post: post.id, error: errorMessage(error) }, "a post was not understood; passed over");
      return [];
    }
  };

  /** What it answers, oldest first. What spoke to the account was heard, or will be, by itself. */
  const contextOf = (post: Post, page: Page): readonly Post[] =>
    chainOf(page, post)
      .slice(0, settings.parents)
      .filter(({ mentions }) => !mentions.some(({ id }) => id === parts.hearer().account))
      .toReversed();

  const run = async ({ signal }: Turn): Promise<void> => {
    const { account } = parts.hearer();
    const purpose = { importance: "first", signal } as const;
    const source = {
      path: "users/:id/mentions",
      parameters: { id: account },
      query: { ...postFields, expansions: conversationExpansions, since_id: cursor.since() },
      ...pageSize,
    };
    const page = await readPosts(access, source, purpose);
    const fresh = { ...page, posts: page.posts.filter(({ authorId }) => authorId !== account) };
    const whole = await readParents(access, fresh, settings.parents, purpose);
    for (const post of fresh.posts) await take(post, whole);
  };

  return {
    loop: { name: "mentions", restMs, isEager: true, run },
    newestOf: (conversation) => newest.get(conversation),
  };
}

function isToAgent(inbound: Inbound | undefined): boolean {
  const context = inbound?.memory.content.mentionContext;
  return context?.mentionsAgent === true || context?.repliesToAgent === true;
}

function keepNewest(newest: Map<string, string>, { conversationId, id }: Post): void {
  const before = newest.get(conversationId);
  newest.delete(conversationId);
  newest.set(conversationId, before !== undefined && compareIds(before, id) > 0 ? before : id);
  const [oldest] = newest.keys();
  if (newest.size > keptConversations && oldest !== undefined) newest.delete(oldest);
}
