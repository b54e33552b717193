import type { Clock } from "../clock.ts";
import type { Entities } from "../text/entities.ts";
import { createRelation, type Relation } from "./relation.ts";
import { createSnowflakes } from "./snowflake.ts";

/** How an account stands with X. A locked one must first be unlocked in a browser. */
export type Standing = "active" | "locked" | "suspended" | "deactivated";

/** An account. */
export type User = {
  readonly id: string;
  username: string;
  name: string;
  description: string;
  location: string;
  url: string;
  readonly createdAtMs: number;
  isVerified: boolean;
  isProtected: boolean;
  standing: Standing;
  /** Wears the label of an automated account. */
  isAutomated: boolean;
  /** Whether strangers may write direct messages. */
  takesDirectMessages: boolean;
  pinnedPostId: string | null;
};

/** Who may answer a post. */
export type ReplySettings = "everyone" | "following" | "mentionedUsers" | "subscribers" | "verified";

/** A post, a reply, a quote, or a repost of another. */
export type Post = {
  readonly id: string;
  readonly authorId: string;
  /** As the author typed it, without what X puts around it. */
  readonly typed: string;
  /** As X shows it: escaped, links shortened, answered people in front. */
  readonly text: string;
  readonly entities: Entities;
  readonly createdAtMs: number;
  readonly conversationId: string;
  readonly replyTo: { readonly postId: string; readonly userId: string } | null;
  readonly quoteOf: string | null;
  readonly repostOf: string | null;
  readonly mediaIds: readonly string[];
  readonly replySettings: ReplySettings;
  readonly language: string;
  isDeleted: boolean;
};

/** What is uploaded, from its announcement on. */
export type Media = {
  readonly id: string;
  readonly key: string;
  readonly ownerId: string;
  readonly type: "photo" | "animated_gif" | "video";
  readonly mediaType: string;
  readonly category: string;
  readonly totalBytes: number;
  readonly createdAtMs: number;
  readonly segments: Map<number, Uint8Array>;
  /** Epoch milliseconds at which it can be used; null until it is finalized. */
  readyAtMs: number | null;
  altText: string | null;
};

/** Something that happened in a conversation of direct messages. */
export type DirectEvent = {
  readonly id: string;
  readonly conversationId: string;
  readonly type: "MessageCreate" | "ParticipantsJoin";
  readonly senderId: string;
  readonly text: string;
  readonly entities: Entities;
  readonly mediaIds: readonly string[];
  readonly createdAtMs: number;
  readonly participantIds: readonly string[];
  isDeleted: boolean;
};

/** Everything there is. */
export type World = {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly users: Map<string, User>;
  /** In the order of their ids. */
  readonly posts: Map<string, Post>;
  /** Each author's posts, oldest first. */
  readonly postsBy: Map<string, Post[]>;
  readonly media: Map<string, Media>;
  readonly conversations: Map<string, readonly string[]>;
  readonly directEvents: DirectEvent[];
  readonly follows: Relation;
  readonly followRequests: Relation;
  readonly blocks: Relation;
  readonly mutes: Relation;
  readonly likes: Relation;
  readonly bookmarks: Relation;
  /** From a post to what it answers, quotes or reposts. */
  readonly replies: Relation;
  readonly quotes: Relation;
  readonly reposts: Relation;
  /** From a post that is no repost to the accounts it names. */
  readonly mentions: Relation;
  /** Tells whoever waits that something has changed. */
  changed(): void;
  /** Calls after every change; the function it returns ends that. */
  onChange(listener: () => void): () => void;
};

/** Makes a world with nobody in it. */
export function createWorld(clock: Clock): World {
  const listeners = new Set<() => void>();
  return {
    clock,
    newId: createSnowflakes(clock),
    users: new Map(),
    posts: new Map(),
    postsBy: new Map(),
    media: new Map(),
    conversations: new Map(),
    directEvents: [],
    follows: createRelation(),
    followRequests: createRelation(),
    blocks: createRelation(),
    mutes: createRelation(),
    likes: createRelation(),
    bookmarks: createRelation(),
    replies: createRelation(),
    quotes: createRelation(),
    reposts: createRelation(),
    mentions: createRelation(),
    changed: () => {
      for (const listener of [...listeners]) listener();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Finds an account by its name, which is the same in capitals. */
export function findByUsername(world: World, username: string): User | undefined {
  const wanted = username.toLowerCase();
  for (const user of world.users.values()) if (user.username.toLowerCase() === wanted) return user;
  return undefined;
}
