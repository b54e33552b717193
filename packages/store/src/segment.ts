/**
 * How text becomes words to search by, in every script.
 *
 * Scripts written with spaces are folded (case, accents, vowel points, widths) and cut into words. Scripts written
 * without are indexed as overlapping pairs: 北京大学 as 北京 京大 大学 学, one for each character, so that a phrase of pairs
 * is exactly a substring; a query in them is first cut into words by the language's dictionary. Every emoji is a word.
 */

/** One demand of a query: these words side by side; with `isPrefix` the last one may go on. */
export type Term = { readonly phrase: string; readonly isPrefix: boolean };

/** More words than this in one query narrow nothing any more. */
const maxTerms = 32;

/** Nothing beyond ASCII: needs no folding but for case. */
const plain = /^[\u0000-\u007f]*$/;
const plainWord = /[a-z0-9]+/g;

/** Marks that do not make another word: Latin, Greek and Cyrillic accents (й stays), Hebrew and Arabic points, joiners, styles. */
const mark =
  /(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{1f3fb}-\u{1f3ff}\u{e0100}-\u{e01ef}]|\p{Cf}/gu;

/** Letters written in more than one way that have no decomposition of their own; Thai and Lao AM, which has one too many. */
const variants: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ð", "d"],
  ["ħ", "h"],
  ["ł", "l"],
  ["þ", "th"],
  ["ı", "i"],
  ["ς", "σ"],
  ["ى", "ي"],
  ["ی", "ي"],
  ["ک", "ك"],
  ["ة", "ه"],
  ["ٱ", "ا"],
  ["\u0e4d\u0e32", "\u0e33"],
  ["\u0ecd\u0eb2", "\u0eb3"],
]);
const variant = /[ßæœøđðħłþıςىیکةٱ]|\u0e4d\u0e32|\u0ecd\u0eb2/g;

/** Scripts that are written without spaces, or whose words carry particles (Korean): found by substring. */
const dense = [
  ...["Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Javanese"],
  ...["Balinese", "Tai_Le", "New_Tai_Lue", "Tai_Tham", "Yi", "Nushu", "Tangut"],
]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const letter = "[\\p{L}\\p{M}\\p{N}\\p{Co}]";
const symbol = "\\p{RI}\\p{RI}|[[\\p{Extended_Pictographic}\\p{Sc}\\p{Sm}\\p{So}]--[\\u0000-\\u007f\\ufffd]]";
const piece = new RegExp(`(?<dense>[[${dense}]&&${letter}]+)|(?<word>[${letter}--[${dense}]]+)|${symbol}`, "gv");

let dictionary: Intl.Segmenter | undefined;

/** The words of a text as the index keeps them, separated by spaces. Plain ASCII is handed on as it is: the index cuts it itself. */
export function indexWords(text: string): string {
  if (plain.test(text)) return text;
  const words: string[] = [];
  for (const match of fold(text).matchAll(piece)) {
    if (match.groups?.dense === undefined) words.push(match[0]);
    else pushPairs(words, match[0], true);
  }
  return words.join(" ");
}

/** What a query demands; every term must occur. Empty when it has no word in it. Never throws, whatever the text. */
export function queryTerms(text: string): readonly Term[] {
  const terms = new Map<string, Term>();
  for (const term of termsOf(text)) {
    terms.set(`${term.isPrefix} ${term.phrase}`, term);
    if (terms.size === maxTerms) break;
  }
  return [...terms.values()];
}

function* termsOf(text: string): Generator<Term> {
  if (plain.test(text)) {
    for (const [phrase] of text.toLowerCase().matchAll(plainWord)) yield { phrase, isPrefix: false };
    return;
  }
  for (const match of fold(text).matchAll(piece)) {
    if (match.groups?.dense === undefined) yield { phrase: match[0], isPrefix: false };
    else yield* denseTerms(match[0]);
  }
}

function* denseTerms(run: string): Generator<Term> {
  dictionary ??= new Intl.Segmenter("und", { granularity: "word" });
  for (const { segment, isWordLike } of dictionary.segment(run)) {
    if (!isWordLike) continue;
    const pairs: string[] = [];
    pushPairs(pairs, segment, false);
    yield pairs.length === 0 ? { phrase: segment, isPrefix: true } : { phrase: pairs.join(" "), isPrefix: false };
  }
}

/** Pairs of neighbours; `withTail` adds the last character, so that every character begins a word of the index. */
function pushPairs(words: string[], run: string, withTail: boolean): void {
  let previous = "";
  for (const character of run) {
    if (previous !== "") words.push(previous + character);
    previous = character;
  }
  if (withTail) words.push(previous);
}

/** Whether all of a query's terms must occur in a text, or any. */
export type Match = "all" | "any";

/** How often the terms occur in a text; 0 when it does not match. For the few texts that are not in the index yet. */
export function countTerms(text: string, terms: readonly Term[], match: Match): number {
  const words = indexWords(text);
  const line = ` ${plain.test(words) ? (words.toLowerCase().match(plainWord) ?? []).join(" ") : words} `;
  let sum = 0;
  for (const term of terms) {
    const occurrences = line.split(term.isPrefix ? ` ${term.phrase}` : ` ${term.phrase} `).length - 1;
    if (occurrences === 0 && match === "all") return 0;
    sum += occurrences;
  }
  return sum;
}

/** What a memory is found by: what it says, and what its attachments show. */
export function searchable(text: string, words: string | null): string {
  return words === null ? text : `${text}\n${words}`;
}

/** Whether there is anything in a text to search by. */
export function hasWords(text: string): boolean {
  if (plain.test(text)) return /[a-zA-Z0-9]/.test(text);
  return indexWords(text) !== "";
}

/** The query in the index's own language: every part quoted, so that nothing a user writes is read as syntax. */
export function toMatch(terms: readonly Term[], match: Match): string {
  const quoted = terms.map(({ phrase, isPrefix }) => `"${phrase.replaceAll('"', '""')}"${isPrefix ? " *" : ""}`);
  return quoted.join(match === "all" ? " AND " : " OR ");
}

function fold(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKD")
    .toLowerCase()
    .replace(mark, "")
    .normalize("NFC")
    .replace(variant, (found) => variants.get(found) ?? found);
}
