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

/**
 * A post's text in two parts: the names X put before a reply, which people do not see, and the rest. Places that X tells are not
 * relied upon, for it counts them in more than one way; where it tells none, X's are those who were in the conversation.
 */
function partsOf(post: Post, { others }: Pick<Around, "others">, self: Self): Parts {
  const { text, shownFrom, repliedTo } = post;
  if (repliedTo === undefined && shownFrom === undefined) return { prefix: "", body: text };
  const names = /^(?:\s*@\w{1,20}(?=\s|$))*\s*/u.exec(text)?.[0] ?? "";
  const told = shownFrom === undefined ? null : [...text].slice(0, shownFrom).join("");
  const prefix = told !== null && names.startsWith(told) ? told : carried(names, post, { others, self });
  return { prefix, body: text.slice(prefix.length) };
}

type Parts = { readonly prefix: string; readonly body: string };

/** Of the names before a text, from the first on, those that the post it answers brought along; all where that is not known. */
function carried(
  names: string,
  post: Post,
  { others, self }: Pick<Around, "others"> & { readonly self: Self },
): string {
  const parent = post.repliedTo === undefined ? undefined : others.get(post.repliedTo);
  if (!parent) return names;
  const known = new Set(parent.mentions.map(({ username }) => username.toLowerCase()));
  const isCarried = (name: string): boolean => {
    const { id } = post.mentions.find(({ username }) => username.toLowerCase() === name) ?? {};
    const own = parent.authorId === self.account && name === self.username.toLowerCase();
    return known.has(name) || own || (id !== undefined && id === parent.authorId);
  };
  let end = 0;
  for (const { 0: piece, 1: name = "", index } of names.matchAll(/\s*@(\w{1,20})\s*/gu)) {
    if (!isCarried(name.toLowerCase())) break;
    end = index + piece.length;
  }
  return names.slice(0, end);
}

/** The accounts a text names, in lower case. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(nameForm)].map(([, name = ""]) => name.toLowerCase());
}

const nameForm = /(?<![\w@])@(\w{1,20})/gu;

/**
 * The words of a post as people see them: without the names before a reply and the links to its own pictures, other links in
 * full, names instead of handles.
 */
export function readableText(post: Post, { people, others }: Around, self: Self): string {
  const source = post.reposted === undefined ? post : (others.get(post.reposted) ?? post);
  let text = partsOf(source, { others }, self).body;
  for (const { url, expandedUrl, isMedia } of source.links) {
    const isOwn = isMedia || (source.quoted !== undefined && expandedUrl.includes(source.quoted));
    text = text.split(url).join(isOwn ? "" : expandedUrl);
  }
  const ids = new Map(source.mentions.map(({ username, id }) => [username.toLowerCase(), id]));
  const named = text.replace(nameForm, (asIs: string, name: string) => {
    const username = name.toLowerCase();
    return ids.has(username) ? `@${nameOf(ids.get(username), name, { people, self })}` : asIs;
  });
  return unescapeText(named).toWellFormed().trim();
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
  const { prefix, body } = partsOf(post, { others }, self);
  const isOwn = (name: string): boolean => name === self.username.toLowerCase();
  const isOwnEntity = (mention: Post["mentions"][number]): boolean => isSelf({ id: undefined, ...mention }, self);
  const isNamed = post.mentions.some(isOwnEntity);
  const repliesToAgent = post.inReplyToUserId === self.account;
  const parent = post.repliedTo === undefined ? undefined : others.get(post.repliedTo);
  const isCarried = parent !== undefined && parent.authorId !== post.authorId && parent.mentions.some(isOwnEntity);
  const isAdded = namesIn(prefix).some(isOwn) && !repliesToAgent && !isCarried;
  const mentionsAgent = isNamed && (namesIn(body).some(isOwn) || isAdded);
  const namesOthers = post.mentions.some((mention) => !isOwnEntity(mention));
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
