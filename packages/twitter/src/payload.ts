/** An object as it came, with nothing known about it. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object a value is, or null when it is none. */
export function fieldsOf(value: unknown): Fields | null {
  // A plain object that came from JSON.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A text of an object, well-formed; undefined when there is none. */
export function textIn(fields: Fields | null, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

/** A whole number of an object; undefined when there is none. */
export function integerIn(fields: Fields | null, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** The objects of a list; none when it is no list. */
export function listIn(fields: Fields | null, name: string): readonly Fields[] {
  const value = fields?.[name];
  return Array.isArray(value) ? value.map(fieldsOf).filter((one) => one !== null) : [];
}

/** An id of X: up to 19 digits, greater for what is newer. Undefined when there is none. */
export function idIn(fields: Fields | null, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && isId(value) ? value : undefined;
}

/** Whether a text is an id of X. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text);
}

/** Which of two ids is newer: like a number, but exact. */
export function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

const epochMs = 1_288_834_974_657;

/** When an id was made, epoch milliseconds. @see https://docs.x.com/fundamentals/x-ids */
export function timeOfId(id: string): number {
  return Number(BigInt(id) >> 22n) + epochMs;
}

/** The greatest id that was made before a moment, epoch milliseconds. */
export function idBefore(ms: number): string {
  const since = BigInt(Math.max(1, Math.trunc(ms) - epochMs));
  return String((since << 22n) - 1n);
}

/** Somebody with an account. @see https://docs.x.com/x-api/fundamentals/data-dictionary#user */
export type Person = { readonly id: string; readonly name: string; readonly username: string };

/** A link in a text: as it stands there, and where it leads. */
export type LinkEntity = { readonly url: string; readonly expandedUrl: string; readonly isMedia: boolean };

/** An account that a text names. */
type MentionEntity = { readonly id?: string; readonly username: string };

/** A post, as far as it was understood. @see https://docs.x.com/x-api/fundamentals/data-dictionary#post */
export type Post = {
  readonly id: string;
  /** As X shows it: links shortened, `&` as `&amp;`. */
  readonly text: string;
  readonly authorId: string;
  /** The id of the post the conversation began with. */
  readonly conversationId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly repliedTo?: string;
  readonly quoted?: string;
  readonly reposted?: string;
  readonly inReplyToUserId?: string;
  readonly links: readonly LinkEntity[];
  readonly mentions: readonly MentionEntity[];
  readonly hashtags: readonly string[];
  readonly mediaKeys: readonly string[];
  readonly language?: string;
  readonly likes: number;
  readonly reposts: number;
  readonly replies: number;
  /** Where the names that X put before a reply end, in code points; undefined when X does not say. */
  readonly shownFrom?: number;
};

/** A picture or film. @see https://docs.x.com/x-api/fundamentals/data-dictionary#media */
type MediaItem = {
  readonly key: string;
  readonly type: string;
  readonly url?: string;
  readonly altText?: string;
};

/** What a page of posts came with. */
export type Page = {
  readonly posts: readonly Post[];
  readonly people: ReadonlyMap<string, Person>;
  /** Posts that those of the page answer, quote or repost. */
  readonly others: ReadonlyMap<string, Post>;
  readonly media: ReadonlyMap<string, MediaItem>;
  readonly nextToken?: string;
};

/** Reads a person; null when it is none. */
export function readPerson(value: unknown): Person | null {
  const fields = fieldsOf(value);
  const id = idIn(fields, "id");
  const username = textIn(fields, "username");
  if (id === undefined || username === undefined || !/^\w{1,20}$/.test(username)) return null;
  const name = (textIn(fields, "name") ?? "").replace(/\s+/gu, " ").trim();
  return { id, username, name: name === "" ? `@${username}` : name };
}

/** Reads a post; null when it has no id or author. */
function readPost(value: unknown): Post | null {
  const fields = fieldsOf(value);
  const id = idIn(fields, "id");
  const authorId = idIn(fields, "author_id");
  if (!fields || id === undefined || authorId === undefined) return null;
  const note = fieldsOf(fields["note_tweet"]);
  const text = textIn(note, "text") ?? textIn(fields, "text") ?? "";
  const entities = fieldsOf(note?.["entities"]) ?? fieldsOf(fields["entities"]);
  const created = Date.parse(textIn(fields, "created_at") ?? "");
  const metrics = fieldsOf(fields["public_metrics"]);
  const count = (name: string): number => Math.max(0, integerIn(metrics, name) ?? 0);
  const language = textIn(fields, "lang");
  const inReplyToUserId = idIn(fields, "in_reply_to_user_id");
  return {
    ...{ id, text, authorId },
    conversationId: idIn(fields, "conversation_id") ?? id,
    createdAt: Number.isFinite(created) ? created : timeOfId(id),
    ...references(fields),
    ...(inReplyToUserId !== undefined && { inReplyToUserId }),
    links: readLinks(entities),
    mentions: readMentions(entities),
    hashtags: listIn(entities, "hashtags").flatMap((one) => textIn(one, "tag") ?? []),
    mediaKeys: keysIn(fieldsOf(fields["attachments"])),
    ...(language !== undefined && { language }),
    ...{ likes: count("like_count"), reposts: count("retweet_count"), replies: count("reply_count") },
    ...shownFromIn(fields),
  };
}

function references(fields: Fields): Pick<Post, "repliedTo" | "quoted" | "reposted"> {
  const found: { repliedTo?: string; quoted?: string; reposted?: string } = {};
  for (const one of listIn(fields, "referenced_tweets")) {
    const id = idIn(one, "id");
    if (id === undefined) continue;
    if (one["type"] === "replied_to") found.repliedTo = id;
    else if (one["type"] === "quoted") found.quoted = id;
    else if (one["type"] === "retweeted") found.reposted = id;
  }
  return found;
}

/** Reads the links among a text's entities. */
export function readLinks(entities: Fields | null): readonly LinkEntity[] {
  return listIn(entities, "urls").flatMap((one): readonly LinkEntity[] => {
    const url = textIn(one, "url");
    const expandedUrl = textIn(one, "expanded_url");
    if (url === undefined || url === "" || expandedUrl === undefined) return [];
    return [{ url, expandedUrl, isMedia: textIn(one, "media_key") !== undefined }];
  });
}

/** Reads the names among a text's entities. */
function readMentions(entities: Fields | null): readonly MentionEntity[] {
  return listIn(entities, "mentions").flatMap((one): readonly MentionEntity[] => {
    const username = textIn(one, "username");
    const id = idIn(one, "id");
    return username === undefined ? [] : [{ username, ...(id !== undefined && { id }) }];
  });
}

/** The keys of what is attached. */
export function keysIn(attachments: Fields | null): readonly string[] {
  const keys = attachments?.["media_keys"];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
}

function shownFromIn(fields: Fields): { readonly shownFrom?: number } {
  const range = fields["display_text_range"];
  const [from] = Array.isArray(range) ? range : [];
  return typeof from === "number" && Number.isSafeInteger(from) && from > 0 ? { shownFrom: from } : {};
}

function readMedia(value: unknown): MediaItem | null {
  const fields = fieldsOf(value);
  const key = textIn(fields, "media_key");
  if (key === undefined) return null;
  const url = textIn(fields, "url") ?? textIn(fields, "preview_image_url");
  const altText = textIn(fields, "alt_text");
  return {
    key,
    type: textIn(fields, "type") ?? "photo",
    ...(url !== undefined && { url }),
    ...(altText !== undefined && altText.trim() !== "" && { altText }),
  };
}

/** What is said beside the data: people, posts and media by their ids. */
export function readIncludes(body: Fields | null): Pick<Page, "people" | "others" | "media"> {
  const includes = fieldsOf(body?.["includes"]);
  const read = <T>(name: string, one: (value: unknown) => T | null): readonly T[] =>
    listIn(includes, name)
      .map(one)
      .filter((found) => found !== null);
  return {
    people: new Map(read("users", readPerson).map((person) => [person.id, person])),
    others: new Map(read("tweets", readPost).map((post) => [post.id, post])),
    media: new Map(read("media", readMedia).map((item) => [item.key, item])),
  };
}

/** Reads a page of posts, whatever it is; each post once, oldest first. */
export function readPage(value: unknown): Page {
  const body = fieldsOf(value);
  const posts = new Map<string, Post>();
  const single = fieldsOf(body?.["data"]);
  for (const one of single ? [single] : listIn(body, "data")) {
    const post = readPost(one);
    if (post) posts.set(post.id, post);
  }
  const nextToken = textIn(fieldsOf(body?.["meta"]), "next_token");
  return {
    posts: [...posts.values()].sort((one, other) => compareIds(one.id, other.id)),
    ...readIncludes(body),
    ...(nextToken !== undefined && nextToken !== "" && { nextToken }),
  };
}
