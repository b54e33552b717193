import type { Attachment, Content, Entity, Inbound, JsonObject, Room, World } from "@troupe/core";
import { entityIdOf, messageMemoryId, roomIdOf, worldIdOf } from "@troupe/core/memory";
import { mentionsIn, quotedLines, readableText, type Self } from "./heard-text.ts";
import type { Page, Person, Post } from "./payload.ts";

/** Which agent hears a post, and when. */
export type Hearer = Self & {
  readonly agentId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What is older than this is too late to be answered. */
  readonly answerWithinMs: number;
};

/** X as a world: everybody in public belongs to it. */
export function worldOf(account: string): World {
  const platformId = "x";
  return { id: worldIdOf("twitter", account, platformId), platform: "twitter", account, platformId, name: "X" };
}

/** The room of a conversation: the id of the post it began with. */
function conversationRoom(account: string, conversationId: string): Room {
  return {
    id: roomIdOf("twitter", account, conversationId),
    platform: "twitter",
    account,
    platformId: conversationId,
    channelType: "thread",
    worldId: worldOf(account).id,
  };
}

/** Somebody, as this account sees them. */
export function toEntity(account: string, { id, name, username }: Person): Entity {
  return {
    id: entityIdOf("twitter", account, id),
    platform: "twitter",
    account,
    platformId: id,
    name,
    data: { username },
  };
}

/** The Memory id of a post in its conversation. */
function postMemoryId(account: string, { id, conversationId }: Pick<Post, "id" | "conversationId">): string {
  return messageMemoryId({ platform: "twitter", account, room: conversationId, message: id });
}

/** Where a post can be looked at. */
function postUrl(username: string, id: string): string {
  return `https://x.com/${username}/status/${id}`;
}

/**
 * The event of a post that was heard. `silence`: why it is remembered and not answered. Null when it is the account's own, or
 * nothing that can be read.
 */
export function toInbound(post: Post, page: Page, hearer: Hearer, silence?: string): Inbound | null {
  const { account, agentId } = hearer;
  if (post.authorId === account) return null;
  const author = page.people.get(post.authorId) ?? unknownPerson(post.authorId);
  const content = toContent(post, page, hearer, author);
  if (content.text === "" && content.attachments === undefined) return null;
  const room = conversationRoom(account, post.conversationId);
  const entity = toEntity(account, author);
  const isLate = hearer.now - post.createdAt > hearer.answerWithinMs;
  return {
    eventId: `post:${post.id}`,
    kind: "message",
    world: worldOf(account),
    room,
    entity,
    memory: {
      id: postMemoryId(account, post),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content,
      createdAt: post.createdAt,
      platformId: post.id,
      metadata: {
        ...metadataOf(post, author),
        ...(isLate && { late: true }),
        ...(silence !== undefined && { unanswered: silence }),
      },
    },
  };
}

/** Somebody X said nothing about. */
export function unknownPerson(id: string): Person {
  return { id, name: `Account ${id}`, username: `id${id}` };
}

function toContent(post: Post, page: Page, hearer: Hearer, author: Person): Content {
  const attachments = attachmentsOf(post, page);
  const text = readableText(post, page, hearer);
  const parent = post.repliedTo === undefined ? undefined : page.others.get(post.repliedTo);
  const isOwnBeginning = parent?.authorId === hearer.account && parent.id === post.conversationId;
  const quoted = post.quoted === undefined ? undefined : page.others.get(post.quoted);
  const lines = [
    ...(isOwnBeginning ? quotedLines(hearer.agentName, readableText(parent, page, hearer)) : []),
    ...(quoted ? quotedLines(nameOfAuthor(quoted, page, hearer), readableText(quoted, page, hearer)) : []),
  ];
  return {
    text: [...lines, text].join("\n").trimEnd(),
    source: "twitter",
    channelType: "thread",
    mentionContext: mentionsIn(post, page, hearer),
    url: postUrl(author.username, post.id),
    ...(attachments.length > 0 && { attachments }),
    ...(parent && { inReplyTo: postMemoryId(hearer.account, parent) }),
  };
}

function nameOfAuthor({ authorId }: Post, { people }: Page, { account, agentName }: Hearer): string {
  if (authorId === account) return agentName;
  return (people.get(authorId) ?? unknownPerson(authorId)).name;
}

const mediaTypes: Readonly<Record<string, string>> = { photo: "image/jpeg" };

/** Pictures by their own address; of films and moving pictures the picture that stands for them. */
function attachmentsOf({ mediaKeys }: Post, { media }: Page): readonly Attachment[] {
  return mediaKeys.flatMap((key): readonly Attachment[] => {
    const item = media.get(key);
    if (!item?.url) return [];
    const mediaType = mediaTypes[item.type] ?? "image/jpeg";
    const title = item.type === "photo" ? undefined : item.type.replaceAll("_", " ");
    return [
      {
        id: key,
        url: item.url,
        mediaType,
        ...(title !== undefined && { title }),
        ...(item.altText !== undefined && { description: item.altText }),
      },
    ];
  });
}

function metadataOf(post: Post, author: Person): JsonObject {
  const { id, authorId, conversationId, repliedTo, quoted, inReplyToUserId, language } = post;
  return {
    postId: id,
    authorId,
    username: author.username,
    conversationId,
    ...(repliedTo !== undefined && { repliedToPostId: repliedTo }),
    ...(quoted !== undefined && { quotedPostId: quoted }),
    ...(inReplyToUserId !== undefined && { inReplyToUserId }),
    ...(language !== undefined && { language }),
  };
}
