import type { Rules } from "./endpoints/route.ts";
import { conversationOf, writeDirect } from "./world/direct.ts";
import { block, follow, unfollow } from "./world/people.ts";
import { publish, remove, repost, repostBy } from "./world/publish.ts";
import type { DirectEvent, Media, Post, ReplySettings, Standing, User, World } from "./world/world.ts";

/** A post, or its id. */
type PostReference = Post | string;

/** What a post may be besides its text. */
export type PostOptions = {
  readonly replyTo?: PostReference;
  readonly quote?: PostReference;
  readonly media?: readonly Media[];
  readonly replySettings?: ReplySettings;
  /** Guessed from the script when absent. */
  readonly language?: string;
};

/**
 * A person at their own screen, not at the API: limits and prices do not hold for them, X's other rules do.
 * What X refuses throws a `Problem`.
 */
export type SimulatedUser = {
  readonly id: string;
  readonly username: string;
  /** The account as it is now. */
  readonly account: Readonly<User>;
  post(text: string, options?: PostOptions): Post;
  delete(post: PostReference): void;
  like(post: PostReference): void;
  unlike(post: PostReference): void;
  repost(post: PostReference): Post;
  unrepost(post: PostReference): void;
  bookmark(post: PostReference): void;
  follow(user: SimulatedUser): void;
  unfollow(user: SimulatedUser): void;
  /** Lets a follower in who asked. */
  acceptFollower(user: SimulatedUser): void;
  block(user: SimulatedUser): void;
  mute(user: SimulatedUser): void;
  /** Writes a direct message to another, as if at the screen. */
  message(to: SimulatedUser, text: string): DirectEvent;
  /** A picture that can be posted at once. */
  picture(altText?: string): Media;
  /** Suspends, locks, deactivates, or makes all well again. */
  setStanding(standing: Standing): void;
  /** Changes what others see of the account. */
  edit(changes: Partial<Omit<User, "id" | "createdAtMs" | "standing">>): void;
  /** Own posts that are not deleted, oldest first; reposts too. */
  posts(): readonly Post[];
  /** The posts this account likes. */
  likes(): readonly Post[];
  /** The posts in this account's bookmarks. */
  bookmarks(): readonly Post[];
  /** The accounts this one follows, by name. */
  following(): readonly string[];
  /** Direct messages to and from another, oldest first. */
  messagesWith(user: SimulatedUser): readonly DirectEvent[];
};

/** Puts a person before an account. */
export function createSimulatedUser(world: World, user: User, rules: Rules): SimulatedUser {
  const related = (ids: readonly { readonly id: string }[]): Post[] =>
    ids.flatMap(({ id }) => world.posts.get(id) ?? []).filter((post) => !post.isDeleted);
  const engage = (change: () => unknown): void => {
    change();
    world.changed();
  };
  return {
    id: user.id,
    get username() {
      return user.username;
    },
    account: user,
    post: (text, options = {}) => publish(world, { author: user, text, ...draftOf(options, rules) }),
    delete: (post) => remove(world, find(world, post)),
    like: (post) => engage(() => world.likes.add(user.id, find(world, post).id)),
    unlike: (post) => engage(() => world.likes.remove(user.id, find(world, post).id)),
    repost: (post) => repost(world, user, { postId: find(world, post).id, postsPerDay: rules.postsPerDay }),
    unrepost(post) {
      const own = repostBy(world, user.id, find(world, post).id);
      if (own !== undefined) remove(world, own);
    },
    bookmark: (post) => engage(() => world.bookmarks.add(user.id, find(world, post).id)),
    follow: (other) => void follow(world, user, account(world, other)),
    unfollow: (other) => unfollow(world, user, account(world, other)),
    acceptFollower: (other) =>
      engage(() => {
        if (world.followRequests.remove(other.id, user.id)) world.follows.add(other.id, user.id);
      }),
    block: (other) => block(world, user, account(world, other)),
    mute: (other) => engage(() => world.mutes.add(user.id, other.id)),
    message: (to, text) =>
      writeDirect(world, { sender: user, conversationId: conversationOf(world, user, account(world, to)), text }),
    picture: (altText) => addPicture(world, user, altText ?? null),
    setStanding: (standing) =>
      engage(() => {
        user.standing = standing;
      }),
    edit: (changes) => engage(() => Object.assign(user, changes)),
    posts: () => (world.postsBy.get(user.id) ?? []).filter((post) => !post.isDeleted),
    likes: () => related(world.likes.of(user.id)),
    bookmarks: () => related(world.bookmarks.of(user.id)),
    following: () => world.follows.of(user.id).flatMap(({ id }) => world.users.get(id)?.username ?? []),
    messagesWith: (other) => {
      const id = conversationOf(world, user, account(world, other));
      return world.directEvents.filter((event) => event.conversationId === id && !event.isDeleted);
    },
  };
}

type Drafted = Omit<Parameters<typeof publish>[1], "author" | "text">;

function draftOf(options: PostOptions, rules: Rules): Drafted {
  const idOf = (post: PostReference): string => (typeof post === "string" ? post : post.id);
  return {
    duplicateWindowMs: rules.duplicateWindowMs,
    postsPerDay: rules.postsPerDay,
    ...(options.replyTo === undefined ? {} : { replyTo: idOf(options.replyTo) }),
    ...(options.quote === undefined ? {} : { quoteOf: idOf(options.quote) }),
    ...(options.media === undefined ? {} : { mediaIds: options.media.map(({ id }) => id) }),
    ...(options.replySettings === undefined ? {} : { replySettings: options.replySettings }),
    ...(options.language === undefined ? {} : { language: options.language }),
  };
}

function find(world: World, reference: PostReference): Post {
  const id = typeof reference === "string" ? reference : reference.id;
  const post = world.posts.get(id);
  if (post === undefined) throw new Error(`there is no post ${id}: take the id of one that was posted`);
  return post;
}

function account(world: World, { id, username }: SimulatedUser): User {
  const user = world.users.get(id);
  if (user === undefined) throw new Error(`@${username} is of another simulator: create the account in this one`);
  return user;
}

function addPicture(world: World, user: User, altText: string | null): Media {
  const id = world.newId();
  const media: Media = {
    id,
    key: `3_${id}`,
    ownerId: user.id,
    type: "photo",
    mediaType: "image/png",
    category: "tweet_image",
    totalBytes: 1,
    createdAtMs: world.clock.now(),
    segments: new Map([[0, new Uint8Array(1)]]),
    readyAtMs: world.clock.now(),
    altText,
  };
  world.media.set(id, media);
  return media;
}
