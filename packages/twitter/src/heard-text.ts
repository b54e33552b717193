import type { MentionContext } from "@troupe/core";
import type { Page, Person, Post } from "./payload.ts";
import { unescapeText } from "./text.ts";

/** Which account hears. */
export type Self = {
  /** X's id of the account. */
  readonly account: string;
  /** How people call it, without `@`. */
  readonly username: string;
  readonly agentName: string;
};

/** What is around a post: who is who. */
type Around = Pick<Page, "people" | "others">;

/** Where the names before a reply end, in code points: X put them there, and people do not see them. */
function prefixEnd(post: Post): number {
  if (post.shownFrom !== undefined) return post.shownFrom;
  if (post.repliedTo === undefined) return 0;
  const characters = [...post.text];
  let end = 0;
  for (const mention of post.mentions) {
    if (characters.slice(end, mention.start).some((character) => character.trim() !== "")) break;
    end = mention.end;
  }
  while (end > 0 && (characters[end] ?? "x").trim() === "") end += 1;
  return end;
}

/**
 * The words of a post as people see them: without the names before a reply and the links to its own pictures, other links in
 * full, names instead of handles.
 */
export function readableText(post: Post, { people, others }: Around, self: Self): string {
  const characters = [...(post.reposted === undefined ? post.text : (others.get(post.reposted)?.text ?? post.text))];
  const source = post.reposted === undefined ? post : (others.get(post.reposted) ?? post);
  let at = prefixEnd(source);
  let text = "";
  for (const { id, username, start, end } of source.mentions) {
    if (start < at || end > characters.length) continue;
    text += characters.slice(at, start).join("");
    text += `@${nameOf(id, username, { people, self })}`;
    at = end;
  }
  text += characters.slice(at).join("");
  for (const { url, expandedUrl, isMedia } of source.links) {
    const isOwn = isMedia || (source.quoted !== undefined && expandedUrl.includes(source.quoted));
    text = text.split(url).join(isOwn ? "" : expandedUrl);
  }
  return unescapeText(text).toWellFormed().trim();
}

type Naming = { readonly people: ReadonlyMap<string, Person>; readonly self: Self };

function nameOf(id: string | undefined, username: string, { people, self }: Naming): string {
  if (isSelf({ id, username }, self)) return self.agentName;
  return (id === undefined ? undefined : people.get(id)?.name)?.replace(/^@/u, "") ?? username;
}

function isSelf({ id, username }: { readonly id: string | undefined; readonly username: string }, self: Self): boolean {
  return id === self.account || username.toLowerCase() === self.username.toLowerCase();
}

/**
 * Whom a post is meant for. A name that X put before a reply because somebody was in the conversation already does not address
 * anybody; one that is alone there, or was added, does.
 */
export function mentionsIn(post: Post, { others }: Around, self: Self): MentionContext {
  const end = prefixEnd(post);
  const inText = post.mentions.filter(({ start }) => start >= end);
  const before = post.mentions.filter(({ start }) => start < end);
  const repliesToAgent = post.inReplyToUserId === self.account;
  const isOwn = (mention: Post["mentions"][number]): boolean => isSelf({ id: undefined, ...mention }, self);
  const parent = post.repliedTo === undefined ? undefined : others.get(post.repliedTo);
  const isFollower = parent !== undefined && parent.authorId !== post.authorId && parent.mentions.some(isOwn);
  const isAdded = before.some(isOwn) && !repliesToAgent && !isFollower;
  const mentionsAgent = inText.some(isOwn) || isAdded;
  const namesOthers = post.mentions.some((mention) => !isOwn(mention));
  const toOther = post.inReplyToUserId !== undefined && post.inReplyToUserId !== post.authorId;
  return {
    mentionsAgent,
    repliesToAgent,
    ...(!mentionsAgent && !repliesToAgent && (namesOthers || toOther) && { mentionsOther: true }),
  };
}

const longestQuote = 500;

/** What somebody else said, as lines above the text. */
export function quotedLines(name: string, text: string): readonly string[] {
  const plain = text.trim();
  if (plain === "") return [];
  const cut = plain.length > longestQuote ? `${plain.slice(0, longestQuote).toWellFormed()}…` : plain;
  return [...`${name}: ${cut}`.split("\n").map((line) => `> ${line}`), ""];
}
