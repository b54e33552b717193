import type { Tokenizer } from "./tokenizer.ts";

/** How many signs of a word one token holds in the vocabularies of today's large models, script by script; measured. */
const signsPerToken: readonly (readonly [script: RegExp, signs: number])[] = [
  [/\p{Script=Latin}/u, 6.2],
  [/\p{Script=Cyrillic}/u, 4.6],
  [/\p{Script=Greek}/u, 3],
  [/\p{Script=Arabic}/u, 4.6],
  [/\p{Script=Hebrew}/u, 2.9],
  [/\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Gujarati}/u, 4.2],
  [/\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u, 3],
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u, 1.35],
  [/\p{Script=Hangul}/u, 2.1],
  [/\p{Nd}/u, 3],
];

/** A run of one kind of sign; the space before a word belongs to the word. */
const runs = /[a-zA-Z]+| ?[a-zA-Z]+|\p{Nd}+| ?[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{M}\p{Nd}]/gu;

/** Six bytes are 48 bits, which a number holds exactly behind a leading 1. */
const bytesPerNumber = 6;

/**
 * A tokenizer that belongs to no model: it counts what a prompt will cost to within a third or so, in any script. Its
 * `encode` packs bytes into numbers, mostly more of them than `count` says: a text that is cut to so many is never too long.
 */
export const estimatingTokenizer: Tokenizer = {
  id: "estimate:script",
  count(text) {
    let tokens = 0;
    for (const [run] of text.matchAll(runs)) tokens += tokensOfRun(run);
    return tokens;
  },
  encode(text) {
    const bytes = new TextEncoder().encode(text);
    return Array.from({ length: Math.ceil(bytes.length / bytesPerNumber) }, (_, index) =>
      bytes.subarray(index * bytesPerNumber, (index + 1) * bytesPerNumber).reduce((sum, byte) => sum * 256 + byte, 1),
    );
  },
  decode: (tokens) => new TextDecoder().decode(Uint8Array.from(tokens.flatMap(bytesOf))),
};

function tokensOfRun(run: string): number {
  const first = run.charCodeAt(0) === 32 && run.length > 1 ? run.slice(1) : run;
  const letter = String.fromCodePoint(first.codePointAt(0) ?? 0);
  if (/\s/u.test(letter)) return 1;
  for (const [script, signs] of signsPerToken) {
    if (script.test(letter)) return Math.max(1, Math.round(first.length / signs + 0.1));
  }
  if (letter < "\u0080") return 1;
  // Letters of rare scripts are cut into bytes; emoji and other signs take about two tokens.
  return /[\p{L}\p{M}]/u.test(letter) ? first.length : 2;
}

function bytesOf(token: number): readonly number[] {
  const bytes: number[] = [];
  for (let rest = token; rest >= 256; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}
