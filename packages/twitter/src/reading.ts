import type { Access, Purpose } from "./access.ts";
import { compareIds, type Page, type Post, readPage } from "./payload.ts";

/** What is wanted of posts. */
export const postFields = {
  "tweet.fields":
    "attachments,author_id,conversation_id,created_at,display_text_range,entities,in_reply_to_user_id,lang,note_tweet,public_metrics,referenced_tweets",
  "user.fields": "name,username",
  "media.fields": "alt_text,preview_image_url,type,url",
} as const;

/** With what stands around them: authors, what they answer or quote, pictures. */
export const conversationExpansions =
  "author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys";

/** Where posts are read from, newest first: `users/:id/mentions` and the like. */
export type PostSource = {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The query parameter that asks for the next page. */
  readonly token?: "next_token" | "pagination_token";
  readonly least: number;
  readonly most: number;
  readonly pages: number;
};

/** Reads pages of posts until there are no more, into one: each post once, oldest first. @throws what {@link Access} throws. */
export async function readPosts(access: Access, source: PostSource, purpose: Purpose): Promise<Page> {
  const { path, parameters, query, token = "pagination_token", least, most, pages } = source;
  let all: Page = emptyPage;
  for (let page = 0; page < pages; page += 1) {
    const next = all.nextToken === undefined ? {} : { [token]: all.nextToken };
    const call = { method: "GET", path, query: { ...query, ...next }, ...(parameters && { parameters }) } as const;
    all = joinPages(all, readPage(await access.page(call, { least, most }, purpose)));
    if (all.nextToken === undefined) break;
  }
  return all;
}

/** A page with nothing on it. */
const emptyPage: Page = { posts: [], people: new Map(), others: new Map(), media: new Map() };

/** Two pages as one; the next is that of the second. */
function joinPages(one: Page, other: Page): Page {
  const posts = new Map([...one.posts, ...other.posts].map((post): [string, Post] => [post.id, post]));
  return {
    posts: [...posts.values()].sort((left, right) => compareIds(left.id, right.id)),
    people: new Map([...one.people, ...other.people]),
    others: new Map([...one.others, ...other.others]),
    media: new Map([...one.media, ...other.media]),
    ...(other.nextToken !== undefined && { nextToken: other.nextToken }),
  };
}

/** Every post there is by its id, those of the page and those around them. */
function findPost({ posts, others }: Page, id: string): Post | undefined {
  return others.get(id) ?? posts.find((post) => post.id === id);
}

const idsAtOnce = 100;

/** Adds what posts answer, upwards, as far as `levels` reach; all of a level are asked for together. @throws as {@link Access}. */
export async function readParents(access: Access, page: Page, levels: number, purpose: Purpose): Promise<Page> {
  let whole = page;
  for (let level = 1; level < levels; level += 1) {
    const missing = missingParents(whole);
    if (missing.length === 0) break;
    const query = { ...postFields, expansions: "author_id,attachments.media_keys", ids: missing.join(",") };
    const answer = readPage(await access.call({ method: "GET", path: "tweets", query }, purpose));
    const found = new Map(answer.posts.map((post): [string, Post] => [post.id, post]));
    if (found.size === 0) break;
    whole = joinPages(whole, { ...answer, posts: [], others: found });
  }
  return whole;
}

function missingParents(page: Page): readonly string[] {
  const ids = new Set<string>();
  for (const post of page.posts) {
    const top = chainOf(page, post).at(-1) ?? post;
    if (top.repliedTo !== undefined && !findPost(page, top.repliedTo)) ids.add(top.repliedTo);
  }
  return [...ids].slice(0, idsAtOnce);
}

/** What a post answers, what that answers …: nearest first, as far as it is known. */
export function chainOf(page: Page, post: Post): readonly Post[] {
  const chain: Post[] = [];
  const seen = new Set([post.id]);
  for (let at: Post | undefined = post; at?.repliedTo !== undefined; at = chain.at(-1)) {
    const parent = findPost(page, at.repliedTo);
    if (!parent || seen.has(parent.id)) break;
    seen.add(parent.id);
    chain.push(parent);
  }
  return chain;
}
