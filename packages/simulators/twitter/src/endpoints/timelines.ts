import { hidden, invalidParameter, invalidRequest, missing, type PartialError, suspended } from "../problem.ts";
import { postDocument } from "../render/document.ts";
import { viewParameters } from "../render/fields.ts";
import { type Bounds, pageOf, tokens, within } from "../render/paging.ts";
import { parseQuery, QueryError } from "../text/search-query.ts";
import { sightOfPostsBy, visible } from "../world/visibility.ts";
import type { Post, User, World } from "../world/world.ts";
import { anybody, asUser, type Call, idParameter, lookOf, type Reply, type Route, userOf } from "./route.ts";

const scopes = ["tweet.read", "users.read"];
const window = ["max_results", "since_id", "until_id", "start_time", "end_time"];
const timelineQuery = [...viewParameters.post, ...window, "pagination_token"];
const weekMs = 7 * 24 * 60 * 60_000;

/** An account's posts, its mentions, its home, and search. */
export const timelineRoutes: readonly Route[] = [
  {
    endpoint: "GET /2/users/:id/tweets",
    auth: anybody,
    scopes,
    query: [...timelineQuery, "exclude"],
    isOwnedRead: true,
    handle: (call) =>
      ofUser(call, (user) => ({
        posts: excluded(call, (call.world.postsBy.get(user.id) ?? []).slice(-3200)),
        bounds: { min: 5, max: 100, usual: 10 },
      })),
  },
  {
    endpoint: "GET /2/users/:id/mentions",
    auth: anybody,
    scopes,
    query: timelineQuery,
    isOwnedRead: true,
    handle: (call) =>
      ofUser(call, (user) => ({
        posts: mentionsOf(call.world, user).slice(-800),
        bounds: { min: 5, max: 100, usual: 10 },
      })),
  },
  {
    endpoint: "GET /2/users/:id/timelines/reverse_chronological",
    auth: asUser,
    scopes,
    query: [...timelineQuery, "exclude"],
    isOwn: true,
    handle: (call) => {
      const posts = excluded(call, homeOf(call.world, userOf(call)).slice(-800));
      return timeline(call, posts, { min: 1, max: 100, usual: 100 });
    },
  },
  {
    endpoint: "GET /2/tweets/search/recent",
    auth: anybody,
    scopes,
    query: [...viewParameters.post, ...window, "query", "next_token", "pagination_token", "sort_order"],
    handle: search,
  },
];

type Source = { readonly posts: readonly Post[]; readonly bounds: Bounds };

function ofUser(call: Call, source: (user: User) => Source): Reply {
  const value = idParameter(call, "id");
  const user = call.world.users.get(value);
  const sight = sightOfPostsBy(call.world, call.caller.user?.id ?? null, user);
  if (user === undefined || sight !== "visible") return { body: { errors: [unseen(user, value)] } };
  const { posts, bounds } = source(user);
  return timeline(call, posts, bounds);
}

function unseen(user: User | undefined, value: string): PartialError {
  const what = { resource: "user", parameter: "id", value } as const;
  if (user === undefined || user.standing === "deactivated") return missing(what);
  return user.standing === "suspended" ? suspended(what) : hidden(what);
}

function timeline(call: Call, posts: readonly Post[], bounds: Bounds): Reply {
  const look = lookOf(call, "post");
  const seen = visible(call.world, call.caller.user?.id ?? null, within(posts, call.query));
  const page = pageOf(
    seen.map((post) => ({ order: BigInt(post.id), value: post })),
    call.query,
    bounds,
  );
  const [newest, oldest] = [page.values.at(0), page.values.at(-1)];
  const ends = newest === undefined || oldest === undefined ? {} : { newest_id: newest.id, oldest_id: oldest.id };
  return postDocument(look, page.values, { meta: { ...ends, result_count: page.values.length, ...tokens(page) } });
}

function excluded(call: Call, posts: readonly Post[]): readonly Post[] {
  const names = (call.query.get("exclude") ?? "").split(",").filter(Boolean);
  const wrong = names.find((name) => name !== "replies" && name !== "retweets");
  if (wrong !== undefined) throw invalidParameter("exclude", wrong, "is not one of [replies,retweets]");
  return posts.filter(
    (post) =>
      !(names.includes("replies") && post.replyTo !== null) && !(names.includes("retweets") && post.repostOf !== null),
  );
}

function mentionsOf(world: World, user: User): Post[] {
  const naming = world.mentions.to(user.id).flatMap(({ id }) => world.posts.get(id) ?? []);
  return naming.filter(({ authorId }) => authorId !== user.id && !world.blocks.has(user.id, authorId));
}

// The posts of whom one follows, and one's own; replies only between people one follows.
function homeOf(world: World, user: User): Post[] {
  const isHome = (id: string): boolean => id === user.id || world.follows.has(user.id, id);
  const authors = [user.id, ...world.follows.of(user.id).map(({ id }) => id)];
  const posts = authors.filter((id) => !world.mutes.has(user.id, id)).flatMap((id) => world.postsBy.get(id) ?? []);
  return posts
    .sort(byId)
    .filter(
      (post) =>
        !(post.repostOf !== null && isHiddenOriginal(world, user, post.repostOf)) &&
        (post.replyTo === null || post.authorId === user.id || isHome(post.replyTo.userId)),
    );
}

function byId(one: Post, other: Post): number {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}

function isHiddenOriginal(world: World, user: User, postId: string): boolean {
  const authorId = world.posts.get(postId)?.authorId ?? "";
  return world.mutes.has(user.id, authorId) || world.blocks.has(user.id, authorId);
}

function search(call: Call): Reply {
  const query = call.query.get("query");
  if (query === null)
    throw invalidRequest({ parameters: { query: [] }, message: "The `query` query parameter can not be empty" });
  if ([...query].length > 512) {
    throw invalidRequest({
      parameters: { query: [query] },
      message: `Rule length exceeds the max allowed length. Expected 512 but found ${[...query].length}`,
    });
  }
  const order = call.query.get("sort_order");
  if (order !== null && order !== "recency" && order !== "relevancy") {
    throw invalidParameter("sort_order", order, "is not one of [recency,relevancy]");
  }
  const matches = understand(query);
  const since = call.world.clock.now() - weekMs;
  const posts = [...call.world.posts.values()].filter(
    (post) =>
      post.createdAtMs >= since && !call.world.users.get(post.authorId)?.isProtected && matches(post, call.world),
  );
  return timeline(call, posts, { min: 10, max: 100, usual: 10 });
}

function understand(query: string): ReturnType<typeof parseQuery> {
  try {
    return parseQuery(query);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const message = `There were errors processing your request: ${error.message}`;
    throw invalidRequest({ parameters: { query: [query] }, message });
  }
}
