import { createHash } from "node:crypto";
import twitter from "twitter-text";

/** Places in a text, counted in code points; `end` is the first place behind. */
type Place = { readonly start: number; readonly end: number };

/** A shortened link and what it stands for. */
type LinkEntity = Place & {
  readonly url: string;
  readonly expanded_url: string;
  readonly display_url: string;
  readonly media_key?: string;
};

/** What X finds in a text. */
export type Entities = {
  readonly urls: readonly LinkEntity[];
  /** Of accounts there are. */
  readonly mentions: readonly (Place & Named)[];
  readonly hashtags: readonly (Place & { readonly tag: string })[];
  readonly cashtags: readonly (Place & { readonly tag: string })[];
};

/** An account as a text names it. */
type Named = { readonly id: string; readonly username: string };

/** A link that X puts behind a text by itself: to a quoted post or to media. */
export type Attached = { readonly expanded: string; readonly display: string; readonly mediaKey?: string };

/** What becomes of a text that somebody typed. */
export type Shown = { readonly text: string; readonly entities: Entities };

/** What a text is shown with. */
export type Showing = {
  /** What makes its links its own. */
  readonly seed: string;
  readonly attached?: readonly Attached[];
  /** The account of a name. */
  readonly find: (username: string) => Named | undefined;
};

/**
 * Turns what was typed into what X shows: `&`, `<` and `>` escaped, links shortened by t.co, attached links behind.
 * @see https://docs.x.com/fundamentals/counting-characters
 */
export function show(typed: string, options: Showing): Shown {
  const links: { short: string; expanded: string; display: string; mediaKey?: string }[] = [];
  const shorten = (expanded: string, display: string, mediaKey?: string): string => {
    const short = `https://t.co/${code(`${options.seed}/${links.length}`)}`;
    links.push({ short, expanded, display, ...(mediaKey === undefined ? {} : { mediaKey }) });
    return short;
  };
  let text = "";
  let at = 0;
  for (const { url, indices } of twitter.extractUrlsWithIndices(typed)) {
    const expanded = /^https?:\/\//i.test(url) ? url : `http://${url}`;
    text += escape(typed.slice(at, indices[0])) + shorten(expanded, display(url));
    at = indices[1];
  }
  text += escape(typed.slice(at));
  for (const attached of options.attached ?? []) {
    const short = shorten(attached.expanded, attached.display, attached.mediaKey);
    text = text === "" ? short : `${text} ${short}`;
  }
  return { text, entities: { ...namesIn(text, options.find), urls: locate(text, links) } };
}

/** How long X counts a text: links 23, most other scripts and emoji 2. */
export function weightedLength(text: string): number {
  return twitter.parseTweet(text).weightedLength;
}

/** Whether a text has a link, as X sees it. */
export function hasLink(text: string): boolean {
  return twitter.extractUrls(text).length > 0;
}

/** The language X would guess, from the script alone. */
export function guessLanguage(text: string): string {
  const scripts: readonly (readonly [RegExp, string])[] = [
    [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
    [/\p{Script=Hangul}/u, "ko"],
    [/\p{Script=Han}/u, "zh"],
    [/\p{Script=Cyrillic}/u, "ru"],
    [/\p{Script=Arabic}/u, "ar"],
    [/\p{Script=Hebrew}/u, "iw"],
    [/\p{Script=Greek}/u, "el"],
    [/\p{Script=Thai}/u, "th"],
    [/\p{Script=Devanagari}/u, "hi"],
    [/\p{L}/u, "en"],
  ];
  return scripts.find(([script]) => script.test(text.replaceAll(/https?:\/\/\S+|[@#]\S+/g, "")))?.[1] ?? "zxx";
}

/** Finds the names, tags and cashtags in a text that is shown. */
export function namesIn(text: string, find: Showing["find"]): Omit<Entities, "urls"> {
  const place = ([start, end]: readonly [number, number]): Place => ({
    start: codePoints(text, start),
    end: codePoints(text, end),
  });
  return {
    mentions: twitter.extractMentionsWithIndices(text).flatMap(({ screenName, indices }) => {
      const named = find(screenName);
      return named === undefined ? [] : [{ ...place(indices), username: named.username, id: named.id }];
    }),
    hashtags: twitter
      .extractHashtagsWithIndices(text)
      .map(({ hashtag, indices }) => ({ ...place(indices), tag: hashtag })),
    cashtags: twitter
      .extractCashtagsWithIndices(text)
      .map(({ cashtag, indices }) => ({ ...place(indices), tag: cashtag })),
  };
}

type Link = { readonly short: string; readonly expanded: string; readonly display: string; readonly mediaKey?: string };

function locate(text: string, links: readonly Link[]): LinkEntity[] {
  return links.map(({ short, expanded, display, mediaKey }) => {
    const start = codePoints(text, text.indexOf(short));
    return {
      start,
      end: start + short.length,
      url: short,
      expanded_url: expanded,
      display_url: display,
      ...(mediaKey === undefined ? {} : { media_key: mediaKey }),
    };
  });
}

function codePoints(text: string, end: number): number {
  return [...text.slice(0, end)].length;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function display(url: string): string {
  const bare = url.replace(/^https?:\/\/(www\.)?/i, "");
  return bare.length > 27 ? `${bare.slice(0, 26)}…` : bare;
}

function code(seed: string): string {
  return createHash("sha256")
    .update(seed)
    .digest("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .slice(0, 10);
}
