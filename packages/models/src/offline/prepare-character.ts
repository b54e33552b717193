import { factsAboutSelf } from "./about-self.ts";
import { detectLanguage, isFrequentWord } from "./detect-language.ts";
import { hearIntents } from "./hear-intents.ts";
import type { Intent, LanguageCode } from "./language-script.ts";
import type { CharacterSheet, ExampleExchange } from "./read-character.ts";
import { contentWords, readableText } from "./words.ts";

/** An example with what is needed to find it again. `language` is undefined when its words give none away. */
export type PreparedExample = ExampleExchange & {
  readonly words: ReadonlySet<string>;
  readonly intents: readonly Intent[];
  readonly language: LanguageCode | undefined;
};

/** A sentence with the words it is about. */
export type PreparedText = { readonly text: string; readonly words: ReadonlySet<string> };

/** A character sheet, read for answering: done once for a prompt's stable part. */
export type PreparedCharacter = {
  readonly sheet: CharacterSheet;
  readonly language: LanguageCode;
  readonly bio: readonly PreparedText[];
  readonly lore: readonly PreparedText[];
  readonly knowledge: readonly PreparedText[];
  readonly topics: readonly PreparedText[];
  readonly examples: readonly PreparedExample[];
  readonly manner: Manner;
};

/** What the style says about any line, whatever it says. `greeting` is a word the character always greets with. */
export type Manner = {
  readonly isBrief: boolean;
  readonly isLowerCase: boolean;
  readonly isCalm: boolean;
  readonly greeting: string | undefined;
};

const longestExample = 6;

/** Prepares a sheet for answering. */
export function prepareCharacter(sheet: CharacterSheet): PreparedCharacter {
  const sample = [...sheet.bio, ...sheet.lore, ...sheet.examples.map((example) => example.answered)].join(" ");
  const detected = detectLanguage(sample);
  const language = detected.kind === "language" ? detected.code : "en";
  const facts = factsAboutSelf(sheet);
  const isEnglish = language === "en";
  return {
    sheet,
    language,
    bio: prepareTexts(isEnglish ? facts.bio : sheet.bio),
    lore: prepareTexts(isEnglish ? facts.lore : sheet.lore),
    knowledge: prepareTexts(sheet.knowledge),
    topics: prepareTexts(sheet.topics),
    examples: sheet.examples.slice(0, 200).map((example) => prepareExample(example, language)),
    manner: readManner(sheet.style),
  };
}

/** Sentences with their words. */
export function prepareTexts(texts: readonly string[]): readonly PreparedText[] {
  return texts
    .slice(0, 200)
    .map((text) => ({ text: readableText(text), words: contentWords(text.slice(0, 1_000), isFrequentWord) }));
}

function prepareExample(example: ExampleExchange, fallback: LanguageCode): PreparedExample {
  const asked = readableText(example.asked);
  const detected = detectLanguage(`${asked} ${example.answered}`);
  const language = detected.kind === "language" ? detected.code : undefined;
  const isShort = asked.split(" ").length <= longestExample;
  return {
    ...example,
    words: contentWords(asked, isFrequentWord),
    intents: isShort ? hearIntents(asked, language ?? fallback) : [],
    language,
  };
}

function readManner(style: readonly string[]): Manner {
  const text = style.join("\n");
  return {
    isBrief:
      /\b(?:very short|short sentences|brief|terse|laconic|concise|one sentence|few words|one or two (?:sentences|lines)|whisper|knapp|kurz)\b/i.test(
        text,
      ),
    isLowerCase:
      /\b(?:all lower ?case|lower-?case only|only lower ?case|no capitals|never capitali[sz]es?|writes in lower ?case)\b/i.test(
        text,
      ),
    isCalm: /\b(?:no|never|without|avoids?) (?:uses? )?exclamation|whisper/i.test(text),
    greeting: /\bgreets? (?:everybody |everyone |people )?with ["'“]?(\p{L}{2,20})/iu.exec(text)?.[1],
  };
}
