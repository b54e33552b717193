import { findByUsername, type Post, type World } from "../world/world.ts";
import { hasLink } from "./entities.ts";

/** A query that cannot be understood; the message is for whoever wrote it. */
export class QueryError extends Error {}

type Matcher = (post: Post, world: World) => boolean;
type Token = { readonly text: string; readonly isQuoted: boolean };
type Node = { readonly matches: Matcher; readonly standsAlone: boolean };

/**
 * Reads a query of X's search: words, "phrases", @name, #tag, $tag, from:, to:, conversation_id:, in_reply_to_tweet_id:,
 * retweets_of:, url:, is:, has:, lang:, `-`, OR and brackets.
 * @see https://docs.x.com/x-api/posts/search/integrate/operators
 * @throws QueryError
 */
export function parseQuery(query: string): Matcher {
  const tokens = tokenize(query);
  if (tokens.length === 0) throw new QueryError("Invalid 'query':''. 'query' must be a non-empty string");
  const reader = { tokens, at: 0 };
  const node = readAlternatives(reader);
  if (reader.at < tokens.length) throw new QueryError(`no viable alternative at input '${tokens[reader.at]?.text}'`);
  if (!node.standsAlone) {
    throw new QueryError(
      "Rule must contain at least one positive, non-stopword clause; is:, has: and lang: cannot stand alone",
    );
  }
  return node.matches;
}

type Reader = { readonly tokens: readonly Token[]; at: number };

function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(?:(-?)"([^"]*)"|([()])|(-?[^\s()"]+:"[^"]*")|(-(?=\())|([^\s()"]+)|(.))/gsu;
  for (const match of query.matchAll(pattern)) {
    const [, minus, phrase, bracket, quotedOperator, negation, word, other] = match;
    if (phrase !== undefined) tokens.push({ text: `${minus}${phrase}`, isQuoted: true });
    else if (other !== undefined) {
      if (other.trim() !== "") throw new QueryError(`missing EOF at '${other}'`);
    } else tokens.push({ text: bracket ?? quotedOperator ?? negation ?? word ?? "", isQuoted: false });
  }
  return tokens;
}

function readAlternatives(reader: Reader): Node {
  const nodes = [readAll(reader)];
  while (isNext(reader, "OR")) {
    reader.at += 1;
    nodes.push(readAll(reader));
  }
  return {
    matches: (post, world) => nodes.some(({ matches }) => matches(post, world)),
    standsAlone: nodes.every(({ standsAlone }) => standsAlone),
  };
}

function readAll(reader: Reader): Node {
  const nodes: Node[] = [];
  while (reader.at < reader.tokens.length && !isNext(reader, ")") && !isNext(reader, "OR")) {
    if (isNext(reader, "AND")) reader.at += 1;
    else nodes.push(readOne(reader));
  }
  if (nodes.length === 0) throw new QueryError("no viable alternative at input '<EOF>'");
  return {
    matches: (post, world) => nodes.every(({ matches }) => matches(post, world)),
    standsAlone: nodes.some(({ standsAlone }) => standsAlone),
  };
}

function readOne(reader: Reader): Node {
  if (isNext(reader, "-")) {
    reader.at += 1;
    return negate(readOne(reader));
  }
  if (isNext(reader, "(")) {
    reader.at += 1;
    const node = readAlternatives(reader);
    if (!isNext(reader, ")")) throw new QueryError("missing ')' at '<EOF>'");
    reader.at += 1;
    return node;
  }
  const token = reader.tokens[reader.at];
  if (token === undefined) throw new QueryError("no viable alternative at input '<EOF>'");
  reader.at += 1;
  if (token.text.startsWith("-")) return negate(readTerm({ ...token, text: token.text.slice(1) }));
  return readTerm(token);
}

function isNext({ tokens, at }: Reader, text: string): boolean {
  const token = tokens[at];
  return token !== undefined && !token.isQuoted && token.text === text;
}

function negate({ matches }: Node): Node {
  return { matches: (post, world) => !matches(post, world), standsAlone: false };
}

function readTerm({ text, isQuoted }: Token): Node {
  if (text === "") throw new QueryError("no viable alternative at input '-'");
  if (isQuoted) return { matches: hasWords(text), standsAlone: true };
  if (/^[@#$]./u.test(text)) return { matches: named(text), standsAlone: true };
  const operator = /^([a-z_]+):(.*)$/s.exec(text);
  if (operator === null) return { matches: hasWords(text), standsAlone: true };
  return readOperator(operator[1] ?? "", (operator[2] ?? "").replace(/^"(.*)"$/s, "$1"));
}

const independent: Readonly<Record<string, (value: string) => Matcher>> = {
  from: (value) => (post, world) => isUser(world, post.authorId, value),
  to: (value) => (post, world) => post.replyTo !== null && isUser(world, post.replyTo.userId, value),
  conversation_id: (value) => (post) => post.conversationId === value,
  in_reply_to_tweet_id: (value) => (post) => post.replyTo?.postId === value,
  quotes_of_tweet_id: (value) => (post) => post.quoteOf === value,
  retweets_of_tweet_id: (value) => (post) => post.repostOf === value,
  retweets_of: (value) => (post, world) => {
    const original = post.repostOf === null ? undefined : world.posts.get(post.repostOf);
    return original !== undefined && isUser(world, original.authorId, value);
  },
  url: (value) => (post) =>
    post.entities.urls.some(({ expanded_url }) => expanded_url.toLowerCase().includes(value.toLowerCase())),
};

const dependent: Readonly<Record<string, Readonly<Record<string, Matcher>>>> = {
  is: {
    reply: (post) => post.replyTo !== null,
    retweet: (post) => post.repostOf !== null,
    quote: (post) => post.quoteOf !== null,
    verified: (post, world) => world.users.get(post.authorId)?.isVerified ?? false,
  },
  has: {
    links: (post) => hasLink(post.typed),
    media: (post) => post.mediaIds.length > 0,
    images: (post, world) => post.mediaIds.some((id) => world.media.get(id)?.type === "photo"),
    videos: (post, world) => post.mediaIds.some((id) => world.media.get(id)?.type === "video"),
    mentions: (post) => post.entities.mentions.length > 0,
    hashtags: (post) => post.entities.hashtags.length > 0,
    cashtags: (post) => post.entities.cashtags.length > 0,
  },
};

function readOperator(name: string, value: string): Node {
  const make = Object.hasOwn(independent, name) ? independent[name] : undefined;
  if (make !== undefined && value !== "") return { matches: make(value), standsAlone: true };
  if (name === "lang" && /^[a-z]{2,3}(-[a-z]+)?$/i.test(value)) {
    return { matches: (post) => post.language === value.toLowerCase(), standsAlone: false };
  }
  const values = Object.hasOwn(dependent, name) ? dependent[name] : undefined;
  const matches = values !== undefined && Object.hasOwn(values, value) ? values[value] : undefined;
  if (matches !== undefined) return { matches, standsAlone: false };
  throw new QueryError(
    `Reference to invalid operator '${name}'. Operator is not available in current product or product packaging.`,
  );
}

function isUser(world: World, userId: string, value: string): boolean {
  return userId === value || findByUsername(world, value.replace(/^@/, ""))?.id === userId;
}

function named(text: string): Matcher {
  const name = text.slice(1).toLowerCase();
  return ({ entities: { mentions, hashtags, cashtags } }) => {
    if (text.startsWith("@")) return mentions.some(({ username }) => username.toLowerCase() === name);
    return (text.startsWith("#") ? hashtags : cashtags).some(({ tag }) => tag.toLowerCase() === name);
  };
}

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
// Posts do not change, and every search looks at all of a week.
const known = new WeakMap<Post, readonly string[]>();

// Whole words in a row, as X matches keywords: neither capitals nor punctuation count.
function hasWords(text: string): Matcher {
  const wanted = wordsOf(text);
  return (post) => {
    const words = known.get(post) ?? wordsOf(post.typed);
    known.set(post, words);
    return words.some((_, at) => wanted.length > 0 && wanted.every((word, index) => words[at + index] === word));
  };
}

function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase();
  return [...segmenter.segment(plain)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
