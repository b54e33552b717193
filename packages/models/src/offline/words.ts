/** How many UTF-16 units of one message are read for its meaning; more changes nothing in a rule-based answer. */
const readLength = 4_000;

/** Latin accents, Arabic vowel signs and the stretching stroke: written or not, the word is the same. */
const accents = /[\u0300-\u036f\u0640\u064b-\u0655]/g;
const notWord = /[^\p{L}\p{M}\p{N}]+/gu;
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;

/** A message as far as it is read: its beginning, well-formed, without control characters, white space collapsed. */
export function readableText(text: string): string {
  // Emoji sequences are held together by U+200D, which is a format character and must survive.
  const clipped = text.length > readLength ? text.slice(0, readLength) : text;
  return clipped
    .toWellFormed()
    .replaceAll("\u200d", "\ue000")
    .replace(controlCharacters, (run) => (run.includes("\ue000") ? "\u200d" : " "))
    .replace(/\s+/g, " ")
    .trim();
}

/** A text in lower case without accents, with everything but letters, marks and digits turned into single spaces. */
export function plainWords(text: string): string {
  const bare = text.toLowerCase().normalize("NFKD").replace(accents, "").normalize("NFC");
  return bare.replace(notWord, " ").trim();
}

/** A word without the commonest English endings, so that "engines" meets "engine". */
export function stemWord(word: string): string {
  for (const ending of ["ings", "ing", "ers", "er", "ed", "es", "s"]) {
    if (word.length - ending.length >= 4 && word.endsWith(ending)) return word.slice(0, -ending.length);
  }
  return word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
}

/**
 * What a text is about, as a set to compare: stemmed words, and pairs of letters where a script puts no spaces.
 * Words that `isCommon` are left out unless nothing else remains.
 */
export function contentWords(text: string, isCommon: (word: string) => boolean): ReadonlySet<string> {
  const words = plainWords(text).split(" ");
  const all = new Set<string>();
  const telling = new Set<string>();
  for (const word of words) {
    if (word === "") continue;
    if (unspacedScript.test(word)) {
      addPairs(word, all);
      addPairs(word, telling);
      continue;
    }
    const stem = stemWord(word);
    all.add(stem);
    if (!isCommon(word)) telling.add(stem);
  }
  return telling.size > 0 ? telling : all;
}

function addPairs(word: string, into: Set<string>): void {
  const letters = [...word];
  if (letters.length === 1) into.add(word);
  for (let index = 1; index < letters.length; index += 1) into.add(`${letters[index - 1]}${letters[index]}`);
}

/** How alike two sets of words are, 0..1 (the Dice coefficient). */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  return (2 * sharedCount(a, b)) / (a.size + b.size);
}

/** How many words two sets share. */
export function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared;
}

/** A text's sentences, each at most `limitLength` UTF-16 units, in order; longer ones are left out. */
export function splitSentences(text: string, limitLength: number): readonly string[] {
  return text
    .split(/[.!?;。！？\n…]+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && sentence.length <= limitLength);
}

/** The sentences of a text with their marks, over-long ones left out. */
export function wholeSentences(text: string, limitLength: number): readonly string[] {
  return (text.match(/[^.!?;。！？\n…]+[.!?;。！？…]*/gu) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && sentence.length <= limitLength);
}

/** A stable 32-bit number for a text (FNV-1a over its UTF-16 units). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
