import twitter from "twitter-text";

/** How long a post may be, weighted. @see https://docs.x.com/fundamentals/counting-characters */
export const textLimit = 280;

/** Where X counts one instead of two. */
const light = /^[\u{0}-\u{10ff}\u{2000}-\u{200d}\u{2010}-\u{201f}\u{2032}-\u{2037}]$/u;

/**
 * The weighted length of a text by X's rules: links 23, emoji 2, what is not European writing 2. What it says of whole links,
 * emoji and characters adds up to what it says of a text of them.
 */
export function weightedLength(text: string): number {
  if (text.length === 1) return light.test(text) ? 1 : 2;
  return twitter.parseTweet(text).weightedLength;
}

/** Where links stand in a text: everything X makes one of, with or without `https://`. Places in UTF-16 code units. */
export function findLinks(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!text.includes(".")) return [];
  return twitter.extractUrlsWithIndices(text).map(({ indices: [start, end] }) => ({ start, end }));
}

/** What may not stand in what is said: everything of a kind (`true`), or what is listed, lower case, without `#` or `@`. */
export type Forbidden = {
  readonly links: boolean | readonly string[];
  readonly mentions: boolean | readonly string[];
  readonly hashtags: boolean | readonly string[];
};

/**
 * A text without what is forbidden: a hashtag and a name lose their mark, a link goes. Names before the text of a reply are
 * X's own and none of this.
 */
export function withoutForbidden(text: string, forbidden: Forbidden): string {
  let kept = text;
  for (const { url, start, end } of addressesIn(text).toReversed()) {
    if (isForbidden(hostOf(url), forbidden.links)) kept = cutOut(kept, start, end);
  }
  const marks = [
    ...twitter
      .extractMentionsWithIndices(kept)
      .filter(({ screenName }) => isForbidden(screenName.toLowerCase(), forbidden.mentions)),
    ...twitter
      .extractHashtagsWithIndices(kept)
      .filter(({ hashtag }) => isForbidden(hashtag.toLowerCase(), forbidden.hashtags)),
  ].map(({ indices }) => indices[0]);
  for (const at of marks.sort((a, b) => b - a)) kept = kept.slice(0, at) + kept.slice(at + 1);
  return kept.trim();
}

/** What X makes links of, and whatever else looks like an address, in order. */
function addressesIn(text: string): readonly { readonly url: string; readonly start: number; readonly end: number }[] {
  const found = twitter.extractUrlsWithIndices(text).map(({ url, indices: [start, end] }) => ({ url, start, end }));
  const typed = [...text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/giu)]
    .map(({ 0: url, index: start }) => ({ url, start, end: start + url.length }))
    .filter(({ start, end }) => !found.some((link) => link.start < end && start < link.end));
  return [...found, ...typed].sort((one, other) => one.start - other.start);
}

function isForbidden(name: string, rule: boolean | readonly string[]): boolean {
  if (typeof rule === "boolean") return rule;
  return rule.some((one) => name === one || name.endsWith(`.${one}`));
}

function hostOf(url: string): string {
  const [host = ""] = url.replace(/^\w+:\/\//u, "").split(/[/?#:]/u);
  return host.toLowerCase();
}

function cutOut(text: string, start: number, end: number): string {
  const before = text.slice(0, start).replace(/[ \t]+$/u, "");
  const after = text.slice(end);
  return before === "" || /^\s|^$|^[.,;:!?)]/u.test(after) ? before + after : `${before} ${after}`;
}

/** How many links X would find; a post with one costs more. */
export function countLinks(text: string): number {
  return findLinks(text).length;
}

/** Undoes what X does to texts: `&amp;`, `&lt;`, `&gt;`. */
export function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * A text reduced to what X leaves alone, so that what was typed can be found again in what X shows: names before it and white
 * space are gone, links are their address without `https://`. Pass the links of a text that was read.
 */
export function comparableText(
  text: string,
  links?: readonly { readonly url: string; readonly expandedUrl: string; readonly isMedia: boolean }[],
): string {
  let plain = text.normalize("NFC");
  if (links) {
    plain = unescapeText(plain);
    for (const { url, expandedUrl, isMedia } of links) plain = plain.split(url).join(isMedia ? " " : expandedUrl);
    plain = plain.replace(/\s*https?:\/\/(?:twitter|x)\.com\/\w+\/status\/\d+(?:\/(?:photo|video)\/\d)?\s*$/u, "");
  }
  return plain
    .replace(/^(?:\s*@\w{1,20}\s+)+/u, "")
    .replace(/https?:\/\/(?:www\.)?/giu, "")
    .replace(/\/(?=\s|$)/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase();
}

/** How much two texts say the same, 0..1: the share of words (four letters and more) they have in common. */
export function likeness(one: string, other: string): number {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  if (left.size === 0 || right.size === 0) return comparableText(one) === comparableText(other) ? 1 : 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / (left.size + right.size - common);
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 3 || /[^\p{Script=Latin}\p{N}]/u.test(word)));
}
