import { type Intent, intents, type LanguageCode } from "./language-script.ts";
import { languageScripts } from "./languages.ts";
import { plainWords } from "./words.ts";

/**
 * In what a text is written: a language we speak; `unknown-script` for letters of no script we can read; `none` when
 * there are no letters at all (emoji, digits); `unclear` when the letters are known but the words give nothing away.
 */
export type Detected =
  | { readonly kind: "language"; readonly code: LanguageCode }
  | { readonly kind: "unclear" }
  | { readonly kind: "unknown-script" }
  | { readonly kind: "none" };

const scripts: readonly (readonly [RegExp, "latin" | "cyrillic" | LanguageCode])[] = [
  [/\p{Script=Latin}/gu, "latin"],
  [/\p{Script=Cyrillic}/gu, "cyrillic"],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Arabic}/gu, "ar"],
  [/\p{Script=Devanagari}/gu, "hi"],
  [/\p{Script=Thai}/gu, "th"],
];
const readLength = 600;

/** Which languages have a word among their frequent ones. */
const languagesOfWord = new Map<string, readonly LanguageCode[]>();
for (const script of languageScripts) {
  for (const word of plainWords(script.frequent).split(" ")) {
    const known = languagesOfWord.get(word) ?? [];
    if (!known.includes(script.code)) languagesOfWord.set(word, [...known, script.code]);
  }
}

/** True for words so frequent in some language that they say nothing about a text's subject. */
export function isFrequentWord(word: string): boolean {
  return languagesOfWord.has(word);
}

/** Detects a text's language from its beginning. `hint` is the language the conversation had so far: it tips the scales. */
export function detectLanguage(text: string, hint?: LanguageCode): Detected {
  const sample = text.slice(0, readLength);
  const letters = count(sample, /\p{L}/gu);
  if (letters === 0) return { kind: "none" };
  let best: { readonly script: string; readonly letters: number } = { script: "", letters: 0 };
  for (const [pattern, script] of scripts) {
    const found = count(sample, pattern);
    if (script === "ja" && found > 0 && best.script !== "latin") return { kind: "language", code: "ja" };
    if (found > best.letters) best = { script, letters: found };
  }
  if (best.letters * 3 < letters) return { kind: "unknown-script" };
  if (best.script === "latin") return detectLatin(sample, hint);
  if (best.script === "cyrillic") return { kind: "language", code: detectCyrillic(sample, hint) };
  const code = languageScripts.find((script) => script.code === best.script)?.code;
  return code === undefined ? { kind: "unclear" } : { kind: "language", code };
}

function detectCyrillic(sample: string, hint: LanguageCode | undefined): LanguageCode {
  if (/[іїєґІЇЄҐ]/u.test(sample)) return "uk";
  if (/[ыэъёЫЭЪЁ]/u.test(sample)) return "ru";
  const [first] = rankLanguages(sample, cyrillicCodes, hint);
  return first?.[0] ?? "ru";
}

const tellingLetters: readonly (readonly [RegExp, LanguageCode])[] = [
  [/[ß]|[äÄ]/u, "de"],
  [/[ğışİŞĞ]/u, "tr"],
  [/[ñ¿¡Ñ]/u, "es"],
  [/[ãõÃÕ]/u, "pt"],
  [/[œêûŒ]/u, "fr"],
];

/** Letters none of our languages has: Polish, Czech, Hungarian, Romanian, Vietnamese, the Nordic ones … */
const foreignLetters = /[ąćęłńśźżőűřěůšžčđăåøæțșệơưėįųļķņ\u1ea0-\u1ef9]/giu;

function detectLatin(sample: string, hint: LanguageCode | undefined): Detected {
  const foreign = count(sample.normalize("NFC"), foreignLetters);
  if (foreign >= 2 || (foreign === 1 && sample.length < 20)) return { kind: "unknown-script" };
  const ranked = rankLanguages(sample, latinCodes, hint);
  const [first] = ranked;
  if (first === undefined || first[1] < 0.3) return { kind: "unclear" };
  // English words turn up everywhere: a tie with English decides nothing, one between neighbours is settled by order.
  const tied = ranked.filter(([, score]) => score === first[1]).map(([code]) => code);
  return tied.length > 1 && tied.includes("en") ? { kind: "unclear" } : { kind: "language", code: first[0] };
}

/** The languages by how much of a text speaks for them, best first. */
function rankLanguages(
  sample: string,
  among: ReadonlySet<LanguageCode>,
  hint: LanguageCode | undefined,
): readonly (readonly [LanguageCode, number])[] {
  const scores = new Map<LanguageCode, number>();
  const add = (code: LanguageCode, score: number): void => {
    if (among.has(code)) scores.set(code, (scores.get(code) ?? 0) + score);
  };
  for (const word of plainWords(sample).split(" ")) {
    if (international.has(word)) continue;
    const codes = languagesOfWord.get(word)?.filter((code) => among.has(code)) ?? [];
    for (const code of codes) add(code, 1 / codes.length);
  }
  for (const [pattern, code] of tellingLetters) if (pattern.test(sample)) add(code, 0.8);
  for (const code of smallTalkLanguage(sample)) add(code, 1.2);
  if (hint !== undefined && scores.has(hint)) add(hint, 0.25);
  return languageScripts
    .flatMap(({ code }) => (scores.has(code) ? [[code, scores.get(code) ?? 0] as const] : []))
    .toSorted((a, b) => b[1] - a[1]);
}

/** Words of no language in particular: what an apostrophe leaves behind, and what everybody says. */
const international: ReadonlySet<string> = new Set(
  "s t m d l j c n re ve ll ok okay hi hey hm hmm lol haha wow super stop test bot chat bye sorry".split(" "),
);

const latinCodes = new Set<LanguageCode>(["en", "de", "fr", "es", "it", "pt", "nl", "tr"]);
const cyrillicCodes = new Set<LanguageCode>(["ru", "uk"]);
const notSmallTalk: ReadonlySet<Intent> = new Set(["injection", "realModel", "laugh"]);

/** Words of small talk, by language: a lone "bonjour" or "teşekkürler" is enough. */
const smallTalkLanguages = new Map<string, readonly LanguageCode[]>();
for (const script of languageScripts) {
  if (!latinCodes.has(script.code) && !cyrillicCodes.has(script.code)) continue;
  for (const phrase of [
    ...intents.flatMap((intent) => (notSmallTalk.has(intent) ? [] : (script.hears[intent]?.split("|") ?? []))),
    ...script.ownName.split("|"),
  ]) {
    const plain = plainWords(phrase);
    const known = smallTalkLanguages.get(plain) ?? [];
    if (!known.includes(script.code)) smallTalkLanguages.set(plain, [...known, script.code]);
  }
}

function smallTalkLanguage(sample: string): readonly LanguageCode[] {
  const words = plainWords(sample).split(" ");
  const phrases = [
    words.join(" "),
    words.slice(0, 3).join(" "),
    words.slice(0, 2).join(" "),
    words[0] ?? "",
    words.at(-1) ?? "",
  ];
  for (const phrase of phrases) {
    const codes = smallTalkLanguages.get(phrase);
    if (codes?.length === 1) return codes;
  }
  return [];
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
