import { forbidden, invalidRequest } from "../problem.ts";
import { type Attached, guessLanguage, namesIn, show, weightedLength } from "../text/entities.ts";
import { sightOf } from "./visibility.ts";
import { findByUsername, type Media, type Post, type ReplySettings, type User, type World } from "./world.ts";

/** How long a text may be, weighted. @see https://docs.x.com/fundamentals/counting-characters */
const limitLength = 280;
const dayMs = 24 * 60 * 60_000;

/** Something to be posted. */
export type Draft = {
  readonly author: User;
  readonly text: string;
  readonly replyTo?: string;
  /** Answered people who are left out. */
  readonly without?: readonly string[];
  readonly quoteOf?: string;
  readonly mediaIds?: readonly string[];
  readonly replySettings?: ReplySettings;
  readonly language?: string;
  /** Refuses answers and quotes where the author of the other post has not called for this account. */
  readonly onlySummoned?: boolean;
  /** How long the same text by the same author counts as a duplicate. */
  readonly duplicateWindowMs: number;
  /** How many posts, reposts among them, the author may make in 24 hours. */
  readonly postsPerDay: number;
};

/** Posts. @throws Problem for whatever X refuses. */
export function publish(world: World, draft: Draft): Post {
  checkStanding(draft.author);
  const parent = draft.replyTo === undefined ? null : target(world, draft, draft.replyTo);
  const quoted = draft.quoteOf === undefined ? null : target(world, draft, draft.quoteOf);
  const media = (draft.mediaIds ?? []).map((id) => usableMedia(world, draft.author, id));
  checkMedia(media);
  const body = draft.text.normalize("NFC").trim();
  if (body === "" && media.length === 0) throw emptyPost();
  if (weightedLength(body) > limitLength)
    throw forbidden(
      "Your Tweet text is too long. For more information, see https://developer.x.com/en/docs/counting-characters",
    );
  if (parent !== null) checkReply(world, draft.author, parent);
  for (const other of [parent, quoted]) {
    if (other !== null && draft.onlySummoned) checkSummoned(world, draft.author, other);
  }
  const typed = parent === null ? body : `${answered(world, draft, parent)}${body}`;
  checkDuplicate(world, draft, typed);
  checkDay(world, draft.author, draft.postsPerDay);
  const id = world.newId();
  const post = store(world, {
    ...blank(world, draft.author, id),
    typed,
    ...show(typed, {
      seed: id,
      find: (name) => findByUsername(world, name),
      attached: attachments({ world, author: draft.author, id, quoted, media }),
    }),
    conversationId: parent?.conversationId ?? id,
    replyTo: parent === null ? null : { postId: parent.id, userId: parent.authorId },
    quoteOf: quoted?.id ?? null,
    mediaIds: media.map((item) => item.id),
    replySettings: draft.replySettings ?? "everyone",
    language: draft.language ?? guessLanguage(body),
  });
  if (parent !== null) world.replies.add(id, parent.id);
  if (quoted !== null) world.quotes.add(id, quoted.id);
  for (const mention of post.entities.mentions) world.mentions.add(id, mention.id);
  world.changed();
  return post;
}

/** What is to be reposted, and how many posts the author may make in 24 hours. */
export type Reposting = { readonly postId: string; readonly postsPerDay: number };

/** Reposts; what was reposted already stays as it is. @throws Problem for what cannot be seen or is protected. */
export function repost(world: World, author: User, { postId, postsPerDay }: Reposting): Post {
  checkStanding(author);
  const found = world.posts.get(postId);
  const original = found?.repostOf == null ? found : world.posts.get(found.repostOf);
  if (original === undefined || sightOf(world, author.id, original) !== "visible") {
    throw forbidden("You attempted to Retweet a Tweet that is deleted or not visible to you.");
  }
  if (world.users.get(original.authorId)?.isProtected && original.authorId !== author.id) {
    throw forbidden("Retweeting a protected Tweet is not permissible for this user.");
  }
  const former = repostBy(world, author.id, original.id);
  if (former !== undefined) return former;
  checkDay(world, author, postsPerDay);
  const id = world.newId();
  const name = world.users.get(original.authorId)?.username ?? "";
  const whole = [...`RT @${name}: ${original.text}`];
  const text = whole.length > 140 ? `${whole.slice(0, 139).join("")}…` : whole.join("");
  const post = store(world, {
    ...blank(world, author, id),
    typed: text,
    text,
    // The original's text is escaped, and its links are shortened already.
    entities: { ...namesIn(text, (username) => findByUsername(world, username)), urls: [] },
    repostOf: original.id,
    language: original.language,
  });
  world.reposts.add(id, original.id);
  world.changed();
  return post;
}

/** The repost an account made of a post, unless it took it back. */
export function repostBy(world: World, userId: string, postId: string): Post | undefined {
  return (world.postsBy.get(userId) ?? []).find((post) => post.repostOf === postId && !post.isDeleted);
}

/** Deletes a post, and with it its reposts. */
export function remove(world: World, post: Post): void {
  post.isDeleted = true;
  for (const { id } of world.reposts.to(post.id)) {
    const copy = world.posts.get(id);
    if (copy !== undefined) copy.isDeleted = true;
    world.reposts.remove(id, post.id);
  }
  if (post.replyTo !== null) world.replies.remove(post.id, post.replyTo.postId);
  if (post.quoteOf !== null) world.quotes.remove(post.id, post.quoteOf);
  if (post.repostOf !== null) world.reposts.remove(post.id, post.repostOf);
  world.changed();
}

function blank(world: World, author: User, id: string): Omit<Post, "typed" | "text" | "entities" | "language"> {
  return {
    id,
    authorId: author.id,
    createdAtMs: world.clock.now(),
    conversationId: id,
    replyTo: null,
    quoteOf: null,
    repostOf: null,
    mediaIds: [],
    replySettings: "everyone",
    isDeleted: false,
  };
}

function store(world: World, post: Post): Post {
  world.posts.set(post.id, post);
  const own = world.postsBy.get(post.authorId);
  if (own === undefined) world.postsBy.set(post.authorId, [post]);
  else own.push(post);
  return post;
}

function target(world: World, draft: Draft, postId: string): Post {
  const found = world.posts.get(postId);
  const post = found?.repostOf == null ? found : world.posts.get(found.repostOf);
  if (post === undefined || sightOf(world, draft.author.id, post) !== "visible") {
    const verb = draft.replyTo === postId ? "reply to" : "quote";
    throw forbidden(`You attempted to ${verb} a Tweet that is deleted or not visible to you.`);
  }
  return post;
}

function usableMedia(world: World, author: User, id: string): Media {
  const media = world.media.get(id);
  const now = world.clock.now();
  if (media?.ownerId !== author.id || media.readyAtMs === null || media.readyAtMs > now) throw badMedia(id);
  return media;
}

function checkMedia(media: readonly Media[]): void {
  const moving = media.find(({ type }) => type !== "photo");
  if (media.length > 4 || (moving !== undefined && media.length > 1)) throw badMedia(...media.map(({ id }) => id));
}

function badMedia(...ids: readonly string[]): Error {
  return invalidRequest({ parameters: { "media.media_ids": ids }, message: "Your media IDs are invalid." });
}

function emptyPost(): Error {
  return invalidRequest({ parameters: {}, message: "$.text: must be at least 1 characters long" });
}

function checkReply(world: World, author: User, parent: Post): void {
  const root = world.posts.get(parent.conversationId) ?? parent;
  if (author.id === parent.authorId || author.id === root.authorId) return;
  if (isAllowedToReply(world, author, root)) return;
  throw forbidden(
    "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.",
  );
}

function isAllowedToReply(world: World, author: User, root: Post): boolean {
  if (world.mentions.has(root.id, author.id)) return true;
  switch (root.replySettings) {
    case "everyone":
      return true;
    case "following":
      return world.follows.has(root.authorId, author.id);
    case "mentionedUsers":
    case "subscribers":
      return false;
    case "verified":
      return author.isVerified;
  }
}

// Announced by X on 2026-02-23 for every plan but Enterprise.
function checkSummoned(world: World, author: User, other: Post): void {
  if (other.authorId === author.id || world.mentions.has(other.id, author.id)) return;
  if (other.quoteOf !== null && world.posts.get(other.quoteOf)?.authorId === author.id) return;
  throw forbidden("You can only reply to or quote posts where you are mentioned or are the author.");
}

/** Who is answered: the author and whoever was answered before, except oneself and who is named at the beginning anyway. */
function answered(world: World, { author, text, without = [] }: Draft, parent: Post): string {
  const leading = leadingNames(parent.typed);
  const names = [world.users.get(parent.authorId)?.username ?? "", ...leading];
  const own = leadingNames(text.trim());
  const unique = names.filter((name, index) => names.findIndex((other) => isSame(other, name)) === index);
  const wanted = unique.filter((name) => {
    const user = findByUsername(world, name);
    return user !== undefined && user.id !== author.id && !without.includes(user.id);
  });
  return wanted
    .filter((name) => !own.some((other) => isSame(other, name)))
    .map((name) => `@${name} `)
    .join("");
}

function leadingNames(text: string): string[] {
  const start = /^(?:@\w+\s+)+/.exec(`${text} `)?.[0] ?? "";
  return [...start.matchAll(/@(\w+)/g)].map((match) => match[1] ?? "");
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function checkDuplicate(world: World, draft: Draft, typed: string): void {
  if ((draft.mediaIds ?? []).length > 0) return;
  const since = world.clock.now() - draft.duplicateWindowMs;
  const own = world.postsBy.get(draft.author.id) ?? [];
  const isRepeated = own.some(
    (post) =>
      !post.isDeleted &&
      post.repostOf === null &&
      post.createdAtMs > since &&
      post.typed === typed &&
      post.quoteOf === (draft.quoteOf ?? null),
  );
  if (isRepeated) throw forbidden("You are not allowed to create a Tweet with duplicate content.");
}

// At the API nobody comes so far; at a screen the account is told the same.
function checkStanding({ standing, username }: User): void {
  if (standing !== "active") throw forbidden(`The account @${username} is ${standing}`);
}

// Deleted posts count too. @see https://help.x.com/en/rules-and-policies/x-limits
function checkDay(world: World, author: User, postsPerDay: number): void {
  const since = world.clock.now() - dayMs;
  const recent = (world.postsBy.get(author.id) ?? []).filter(({ createdAtMs }) => createdAtMs > since);
  if (recent.length >= postsPerDay) throw forbidden("User is over daily status update limit.");
}

type Attaching = {
  readonly world: World;
  readonly author: User;
  readonly id: string;
  readonly quoted: Post | null;
  readonly media: readonly Media[];
};

function attachments({ world, author, id, quoted, media }: Attaching): Attached[] {
  const links: Attached[] = [];
  if (quoted !== null) {
    const path = `${world.users.get(quoted.authorId)?.username}/status/${quoted.id}`;
    links.push({ expanded: `https://twitter.com/${path}`, display: `twitter.com/${path}`.slice(0, 26) });
  }
  const [first] = media;
  if (first !== undefined) {
    const kind = first.type === "photo" ? "photo" : "video";
    const expanded = `https://twitter.com/${author.username}/status/${id}/${kind}/1`;
    links.push({ expanded, display: `pic.twitter.com/${id.slice(-10)}`, mediaKey: first.key });
  }
  return links;
}
