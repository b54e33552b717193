import { sightOf } from "../world/visibility.ts";
import type { DirectEvent, Media, Post, User, World } from "../world/world.ts";
import type { View } from "./fields.ts";

/** A thing as the API shows it. */
export type Shown = Readonly<Record<string, unknown>>;

/** Who looks, and at what. */
export type Look = { readonly world: World; readonly viewer: User | null; readonly view: View };

/** A post with the wanted fields. */
export function renderPost({ world, viewer, view }: Look, post: Post): Shown {
  const isOwn = viewer?.id === post.authorId;
  return pick(view.post, {
    id: () => post.id,
    text: () => post.text,
    edit_history_tweet_ids: () => [post.id],
    attachments: () => (post.mediaIds.length === 0 ? undefined : { media_keys: mediaKeys(world, post) }),
    author_id: () => post.authorId,
    conversation_id: () => post.conversationId,
    created_at: () => new Date(post.createdAtMs).toISOString(),
    display_text_range: () => [0, [...post.text].length],
    edit_controls: () => ({
      edits_remaining: 0,
      is_edit_eligible: false,
      editable_until: new Date(post.createdAtMs).toISOString(),
    }),
    entities: () => entitiesOf(post),
    in_reply_to_user_id: () => post.replyTo?.userId,
    lang: () => post.language,
    non_public_metrics: () =>
      isOwn ? { impression_count: impressions(world, post), user_profile_clicks: 0 } : undefined,
    possibly_sensitive: () => false,
    public_metrics: () => ({
      retweet_count: world.reposts.to(post.id).length,
      reply_count: world.replies.to(post.id).length,
      like_count: world.likes.to(post.id).length,
      quote_count: world.quotes.to(post.id).length,
      bookmark_count: world.bookmarks.to(post.id).length,
      impression_count: impressions(world, post),
    }),
    referenced_tweets: () => {
      const references = referencesOf(post);
      return references.length === 0 ? undefined : references;
    },
    reply_settings: () => post.replySettings,
  });
}

/** What a post answers, quotes or reposts. */
export function referencesOf(post: Post): { readonly type: string; readonly id: string }[] {
  return [
    ...(post.repostOf === null ? [] : [{ type: "retweeted", id: post.repostOf }]),
    ...(post.quoteOf === null ? [] : [{ type: "quoted", id: post.quoteOf }]),
    ...(post.replyTo === null ? [] : [{ type: "replied_to", id: post.replyTo.postId }]),
  ];
}

/** An account with the wanted fields. */
export function renderUser({ world, viewer, view }: Look, user: User): Shown {
  const own = (): readonly Post[] => (world.postsBy.get(user.id) ?? []).filter((post) => !post.isDeleted);
  return pick(view.user, {
    id: () => user.id,
    name: () => user.name,
    username: () => user.username,
    created_at: () => new Date(user.createdAtMs).toISOString(),
    description: () => user.description,
    location: () => user.location || undefined,
    url: () => user.url,
    protected: () => user.isProtected,
    verified: () => user.isVerified,
    verified_type: () => (user.isVerified ? "blue" : "none"),
    is_identity_verified: () => user.isVerified,
    parody: () => false,
    subscription_type: () => (user.isVerified ? "Premium" : "None"),
    profile_image_url: () => `https://pbs.twimg.com/profile_images/${user.id}/normal.jpg`,
    pinned_tweet_id: () => user.pinnedPostId ?? undefined,
    most_recent_tweet_id: () => own().at(-1)?.id,
    receives_your_dm: () => viewer !== null && (user.takesDirectMessages || world.follows.has(user.id, viewer.id)),
    connection_status: () => (viewer === null ? undefined : connections(world, viewer, user)),
    public_metrics: () => ({
      followers_count: world.follows.to(user.id).length,
      following_count: world.follows.of(user.id).length,
      tweet_count: own().length,
      listed_count: 0,
      like_count: world.likes.of(user.id).length,
      media_count: own().filter(({ mediaIds }) => mediaIds.length > 0).length,
    }),
  });
}

/** A piece of media with the wanted fields. */
export function renderMedia({ view }: Pick<Look, "view">, media: Media): Shown {
  const url = `https://pbs.twimg.com/media/${media.id}`;
  const isPhoto = media.type === "photo";
  return pick(view.media, {
    media_key: () => media.key,
    type: () => media.type,
    alt_text: () => media.altText ?? undefined,
    url: () => (isPhoto ? `${url}.jpg` : undefined),
    preview_image_url: () => (isPhoto ? undefined : `${url}.jpg`),
    variants: () => (isPhoto ? undefined : [{ content_type: media.mediaType, url: `${url}.mp4` }]),
  });
}

/** A direct message, or another event among them, with the wanted fields. */
export function renderDirect({ world, view }: Look, event: DirectEvent): Shown {
  const isMessage = event.type === "MessageCreate";
  return pick(view.direct, {
    id: () => event.id,
    event_type: () => event.type,
    text: () => (isMessage ? event.text : undefined),
    created_at: () => new Date(event.createdAtMs).toISOString(),
    entities: () => entitiesOf(event),
    dm_conversation_id: () => event.conversationId,
    sender_id: () => event.senderId,
    participant_ids: () => (isMessage ? undefined : event.participantIds),
    attachments: () => {
      const keys = event.mediaIds.flatMap((id) => world.media.get(id)?.key ?? []);
      return keys.length === 0 ? undefined : { media_keys: keys };
    },
  });
}

/** The keys of a post's media. */
function mediaKeys(world: World, post: Post): string[] {
  return post.mediaIds.flatMap((id) => world.media.get(id)?.key ?? []);
}

function entitiesOf(post: Pick<Post, "entities">): Shown | undefined {
  const { urls, mentions, hashtags, cashtags } = post.entities;
  const filled = Object.entries({ urls, mentions, hashtags, cashtags }).filter(([, list]) => list.length > 0);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

// Nobody looks at screens here: everybody who follows counts as having seen it.
function impressions(world: World, post: Post): number {
  return world.follows.to(post.authorId).filter(({ id }) => sightOf(world, id, post) === "visible").length;
}

function connections(world: World, viewer: User, user: User): string[] {
  const claims: readonly (readonly [string, boolean])[] = [
    ["following", world.follows.has(viewer.id, user.id)],
    ["followed_by", world.follows.has(user.id, viewer.id)],
    ["follow_request_sent", world.followRequests.has(viewer.id, user.id)],
    ["follow_request_received", world.followRequests.has(user.id, viewer.id)],
    ["blocking", world.blocks.has(viewer.id, user.id)],
    ["muting", world.mutes.has(viewer.id, user.id)],
  ];
  const held = claims.filter(([, isSo]) => isSo).map(([name]) => name);
  return held.length === 0 ? ["none"] : held;
}

function pick(wanted: ReadonlySet<string>, makers: Readonly<Record<string, () => unknown>>): Shown {
  const shown: Record<string, unknown> = {};
  for (const [name, make] of Object.entries(makers)) {
    const value = wanted.has(name) ? make() : undefined;
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
