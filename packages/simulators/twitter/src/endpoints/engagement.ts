import { forbidden, hidden, missing, notFound } from "../problem.ts";
import { postDocument, userDocument } from "../render/document.ts";
import { viewParameters } from "../render/fields.ts";
import { type Placed, pageOf, tokens } from "../render/paging.ts";
import { remove, repost, repostBy } from "../world/publish.ts";
import type { Related } from "../world/relation.ts";
import { sightOf } from "../world/visibility.ts";
import type { Post, User } from "../world/world.ts";
import { id, objectBody } from "./json-body.ts";
import { anybody, asUser, type Call, idParameter, lookOf, type Reply, type Route, userOf } from "./route.ts";

const read = ["tweet.read", "users.read"];
const pages = ["max_results", "pagination_token"];
const userList = [...viewParameters.user, ...pages];
const postList = [...viewParameters.post, ...pages];

/** Likes, reposts, quotes and bookmarks. */
export const engagementRoutes: readonly Route[] = [
  {
    endpoint: "POST /2/users/:id/likes",
    auth: asUser,
    scopes: [...read, "like.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      const post = bodyPost(call);
      if (call.world.likes.add(userOf(call).id, post.id)) call.world.changed();
      return { body: { data: { liked: true } }, price: "interaction-create" };
    },
  },
  {
    endpoint: "DELETE /2/users/:id/likes/:tweet_id",
    auth: asUser,
    scopes: [...read, "like.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      if (call.world.likes.remove(userOf(call).id, idParameter(call, "tweet_id"))) call.world.changed();
      return { body: { data: { liked: false } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "POST /2/users/:id/retweets",
    auth: asUser,
    scopes: [...read, "tweet.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      const post = repost(call.world, userOf(call), { postId: bodyId(call), postsPerDay: call.rules.postsPerDay });
      return { body: { data: { rest_id: post.id, retweeted: true } }, price: "interaction-create" };
    },
  },
  {
    endpoint: "DELETE /2/users/:id/retweets/:tweet_id",
    auth: asUser,
    scopes: [...read, "tweet.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      const post = repostBy(call.world, userOf(call).id, idParameter(call, "tweet_id"));
      if (post !== undefined) remove(call.world, post);
      return { body: { data: { retweeted: false } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "POST /2/users/:id/bookmarks",
    auth: ["oauth2"],
    scopes: [...read, "bookmark.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      const post = bodyPost(call);
      if (call.world.bookmarks.add(userOf(call).id, post.id)) call.world.changed();
      return { body: { data: { bookmarked: true } }, price: "bookmark" };
    },
  },
  {
    endpoint: "DELETE /2/users/:id/bookmarks/:tweet_id",
    auth: ["oauth2"],
    scopes: [...read, "bookmark.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      if (call.world.bookmarks.remove(userOf(call).id, idParameter(call, "tweet_id"))) call.world.changed();
      return { body: { data: { bookmarked: false } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "GET /2/users/:id/bookmarks",
    auth: ["oauth2"],
    scopes: [...read, "bookmark.read"],
    query: postList,
    isOwn: true,
    isOwnedRead: true,
    handle: (call) => posts(call, call.world.bookmarks.of(userOf(call).id), { min: 1, usual: 100 }),
  },
  {
    endpoint: "GET /2/users/:id/liked_tweets",
    auth: anybody,
    scopes: [...read, "like.read"],
    query: postList,
    isOwnedRead: true,
    handle: (call) => posts(call, call.world.likes.of(idParameter(call, "id")), { min: 5, usual: 100 }),
  },
  {
    endpoint: "GET /2/tweets/:id/liking_users",
    auth: anybody,
    scopes: [...read, "like.read"],
    query: userList,
    handle: (call) => users(call, (post) => likers(call, post)),
  },
  {
    endpoint: "GET /2/tweets/:id/retweeted_by",
    auth: anybody,
    scopes: read,
    query: userList,
    handle: (call) => users(call, (post) => reposters(call, post)),
  },
  {
    endpoint: "GET /2/tweets/:id/quote_tweets",
    auth: anybody,
    scopes: read,
    query: [...postList, "exclude"],
    handle: (call) => {
      const found = pathPost(call);
      return "body" in found ? found : posts(call, call.world.quotes.to(found.id), { min: 10, usual: 10 });
    },
  },
];

function bodyId(call: Call): string {
  return id(objectBody(call.body, ["tweet_id"]), "tweet_id");
}

function bodyPost(call: Call): Post {
  const postId = bodyId(call);
  const post = call.world.posts.get(postId);
  const sight = sightOf(call.world, userOf(call).id, post);
  if (post === undefined || sight === "absent") throw notFound(`Could not find tweet with tweet_id: [${postId}].`);
  if (sight === "hidden") {
    throw forbidden(
      `Sorry, you are not authorized to see the Tweet with tweet_id: [${postId}].`,
      "not-authorized-for-resource",
    );
  }
  return post;
}

function pathPost(call: Call): Post | Reply {
  const value = idParameter(call, "id");
  const post = call.world.posts.get(value);
  const sight = sightOf(call.world, call.caller.user?.id ?? null, post);
  if (post !== undefined && sight === "visible") return post;
  const what = { resource: "tweet", parameter: "id", value } as const;
  return { body: { errors: [sight === "hidden" ? hidden(what) : missing(what)] } };
}

function users(call: Call, find: (post: Post) => readonly Placed<User>[]): Reply {
  const look = lookOf(call, "user");
  const found = pathPost(call);
  if ("body" in found) return found;
  const page = pageOf(find(found), call.query, { min: 1, max: 100, usual: 100 });
  return userDocument(look, page.values, { meta: { result_count: page.values.length, ...tokens(page) } });
}

function likers({ world }: Call, post: Post): Placed<User>[] {
  return placed(world.likes.to(post.id), (userId) => world.users.get(userId));
}

function reposters({ world }: Call, post: Post): Placed<User>[] {
  return placed(world.reposts.to(post.id), (repostId) => world.users.get(world.posts.get(repostId)?.authorId ?? ""));
}

function posts(
  call: Call,
  related: readonly Related[],
  bounds: { readonly min: number; readonly usual: number },
): Reply {
  const look = lookOf(call, "post");
  const viewer = call.caller.user?.id ?? null;
  const items = placed(related, (postId) => {
    const post = call.world.posts.get(postId);
    return sightOf(call.world, viewer, post) === "visible" ? post : undefined;
  });
  const page = pageOf(items, call.query, { ...bounds, max: 100 });
  return postDocument(look, page.values, { meta: { result_count: page.values.length, ...tokens(page) } });
}

function placed<T>(related: readonly Related[], find: (id: string) => T | undefined): Placed<T>[] {
  return related.flatMap(({ id: other, order }) => {
    const value = find(other);
    return value === undefined ? [] : [{ order, value }];
  });
}
