import type { LanguageCode, LanguageScript } from "./language-script.ts";
import { chineseScript, japaneseScript } from "./script-asian.ts";
import { russianScript, turkishScript, ukrainianScript } from "./script-eastern.ts";
import { englishScript } from "./script-english.ts";
import { germanScript } from "./script-german.ts";
import { koreanScript, thaiScript } from "./script-korean-thai.ts";
import { frenchScript, spanishScript } from "./script-romance.ts";
import { arabicScript, hindiScript } from "./script-southern.ts";
import { dutchScript, italianScript, portugueseScript } from "./script-western.ts";

const scriptByCode: Readonly<Record<LanguageCode, LanguageScript>> = {
  en: englishScript,
  de: germanScript,
  fr: frenchScript,
  es: spanishScript,
  it: italianScript,
  pt: portugueseScript,
  nl: dutchScript,
  tr: turkishScript,
  ru: russianScript,
  uk: ukrainianScript,
  ar: arabicScript,
  hi: hindiScript,
  zh: chineseScript,
  ja: japaneseScript,
  ko: koreanScript,
  th: thaiScript,
};

/** All languages the offline model speaks, English first. */
export const languageScripts: readonly LanguageScript[] = Object.values(scriptByCode);

/** One language's data. */
export function languageScript(code: LanguageCode): LanguageScript {
  return scriptByCode[code];
}
