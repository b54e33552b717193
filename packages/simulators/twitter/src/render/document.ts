import { hidden, missing, type PartialError } from "../problem.ts";
import { sightOf, sightOfPostsBy } from "../world/visibility.ts";
import type { DirectEvent, Media, Post, User } from "../world/world.ts";
import { type Look, referencesOf, renderDirect, renderMedia, renderPost, renderUser, type Shown } from "./render.ts";

/** What was read for an answer, to be paid for: `post 1`, `user 2`. */
export type Reads = readonly string[];

/** A part of an answer: what else it is about, what of that is missing, and everything that was read. */
type Included = { readonly includes?: Shown; readonly errors: readonly PartialError[]; readonly reads: Reads };

type Shelf = {
  readonly users: Map<string, User>;
  readonly posts: Map<string, Post>;
  readonly media: Map<string, Media>;
  readonly errors: PartialError[];
};

/** What posts refer to, as far as it was asked for. */
function includeForPosts(look: Look, posts: readonly Post[]): Included {
  const shelf = emptyShelf();
  const { expansions } = look.view;
  const wantsReferenced = [...expansions].some((name) => name.startsWith("referenced_tweets.id"));
  for (const post of posts) {
    addPeople(look, shelf, post);
    if (expansions.has("attachments.media_keys")) addMedia(look, shelf, post);
    if (expansions.has("edit_history_tweet_ids")) shelf.posts.set(post.id, post);
    if (wantsReferenced) for (const { id } of referencesOf(post)) addReferenced(look, shelf, id);
  }
  return render(look, shelf);
}

/** What accounts refer to, as far as it was asked for. */
function includeForUsers(look: Look, users: readonly User[]): Included {
  const shelf = emptyShelf();
  const { world, view, viewer } = look;
  for (const user of users) {
    const pinned = view.expansions.has("pinned_tweet_id") ? user.pinnedPostId : null;
    const recent = view.expansions.has("most_recent_tweet_id") ? world.postsBy.get(user.id)?.at(-1)?.id : null;
    for (const id of [pinned, recent]) {
      const post = id == null ? undefined : world.posts.get(id);
      if (post !== undefined && sightOf(world, viewer?.id ?? null, post) === "visible") shelf.posts.set(post.id, post);
    }
  }
  return render(look, shelf);
}

/** What direct messages refer to, as far as it was asked for. */
function includeForDirect(look: Look, events: readonly DirectEvent[]): Included {
  const shelf = emptyShelf();
  const { world, view } = look;
  for (const event of events) {
    if (view.expansions.has("sender_id")) addUser(look, shelf, event.senderId);
    if (view.expansions.has("participant_ids")) for (const id of event.participantIds) addUser(look, shelf, id);
    if (!view.expansions.has("attachments.media_keys")) continue;
    for (const id of event.mediaIds) {
      const media = world.media.get(id);
      if (media !== undefined) shelf.media.set(media.key, media);
    }
  }
  return render(look, shelf);
}

function emptyShelf(): Shelf {
  return { users: new Map(), posts: new Map(), media: new Map(), errors: [] };
}

function addPeople(look: Look, shelf: Shelf, post: Post): void {
  const { expansions } = look.view;
  if (expansions.has("author_id")) addUser(look, shelf, post.authorId);
  if (expansions.has("in_reply_to_user_id") && post.replyTo !== null) addUser(look, shelf, post.replyTo.userId);
  if (!expansions.has("entities.mentions.username")) return;
  for (const { id } of post.entities.mentions) addUser(look, shelf, id);
}

function addUser({ world }: Look, shelf: Shelf, id: string): void {
  const user = world.users.get(id);
  if (user !== undefined && sightOfPostsBy(world, id, user) === "visible") shelf.users.set(id, user);
  else shelf.errors.push(missing({ resource: "user", parameter: "id", value: id }));
}

function addMedia({ world }: Look, shelf: Shelf, post: Post): void {
  for (const id of post.mediaIds) {
    const media = world.media.get(id);
    if (media !== undefined) shelf.media.set(media.key, media);
  }
}

function addReferenced(look: Look, shelf: Shelf, id: string): void {
  const { world, viewer, view } = look;
  const post = world.posts.get(id);
  const sight = sightOf(world, viewer?.id ?? null, post);
  if (post === undefined || sight !== "visible") {
    const what = { resource: "tweet", parameter: "referenced_tweets.id", value: id } as const;
    shelf.errors.push(sight === "hidden" ? hidden(what) : missing(what));
    return;
  }
  if (view.expansions.has("referenced_tweets.id")) shelf.posts.set(id, post);
  if (view.expansions.has("referenced_tweets.id.author_id")) addUser(look, shelf, post.authorId);
  if (view.expansions.has("referenced_tweets.id.attachments.media_keys")) addMedia(look, shelf, post);
}

function render(look: Look, shelf: Shelf): Included {
  const lists = {
    users: [...shelf.users.values()].map((user) => renderUser(look, user)),
    tweets: [...shelf.posts.values()].map((post) => renderPost(look, post)),
    media: [...shelf.media.values()].map((media) => renderMedia(look, media)),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  const reads = [
    ...[...shelf.users.keys()].map((id) => `user ${id}`),
    ...[...shelf.posts.keys()].map((id) => `post ${id}`),
    ...[...shelf.media.keys()].map((key) => `media ${key}`),
  ];
  const errors = [...new Map(shelf.errors.map((error) => [JSON.stringify(error), error])).values()];
  return { ...(filled.length === 0 ? {} : { includes: Object.fromEntries(filled) }), errors, reads };
}

/** What an endpoint answers, and what was read for it. */
export type Document = { readonly body: Shown; readonly reads: Reads };

/** Puts an answer together. Without data there is no `data`, as X has it. */
function document(data: unknown, included: Included, rest: Shown = {}): Document {
  const isEmpty = data === undefined || (Array.isArray(data) && data.length === 0);
  return {
    body: {
      ...(isEmpty ? {} : { data }),
      ...(included.includes === undefined ? {} : { includes: included.includes }),
      ...(included.errors.length === 0 ? {} : { errors: included.errors }),
      ...rest,
    },
    reads: included.reads,
  };
}

/** An answer about posts. */
export function postDocument(look: Look, posts: readonly Post[], rest: Shown = {}): Document {
  const included = includeForPosts(look, posts);
  const reads = [...posts.map(({ id }) => `post ${id}`), ...included.reads];
  return document(
    posts.map((post) => renderPost(look, post)),
    { ...included, reads },
    rest,
  );
}

/** An answer about accounts. */
export function userDocument(look: Look, users: readonly User[], rest: Shown = {}): Document {
  const included = includeForUsers(look, users);
  const reads = [...users.map(({ id }) => `user ${id}`), ...included.reads];
  return document(
    users.map((user) => renderUser(look, user)),
    { ...included, reads },
    rest,
  );
}

/** An answer about direct messages. */
export function directDocument(look: Look, events: readonly DirectEvent[], rest: Shown = {}): Document {
  const included = includeForDirect(look, events);
  const reads = [...events.map(({ id }) => `direct ${id}`), ...included.reads];
  return document(
    events.map((event) => renderDirect(look, event)),
    { ...included, reads },
    rest,
  );
}
