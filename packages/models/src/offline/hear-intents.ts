import { type Intent, intents, type LanguageCode } from "./language-script.ts";
import { languageScript } from "./languages.ts";
import { plainWords } from "./words.ts";

/** A phrase to listen for. `spoken` is plain; `place` says where in the message it has to stand. */
type Phrase = { readonly intent: Intent; readonly spoken: string; readonly place: "whole" | "start" | "anywhere" };

const unspaced: ReadonlySet<LanguageCode> = new Set(["zh", "ja", "ko", "th"]);
/** Said in passing: in a long message they are manners, not the matter. */
const inPassing: ReadonlySet<Intent> = new Set([
  "greeting",
  "thanks",
  "bye",
  "goodNight",
  "sorry",
  "laugh",
  "compliment",
]);
const passingWords = 8;
const phrasesByLanguage = new Map<LanguageCode, readonly Phrase[]>();

function phrasesOf(code: LanguageCode): readonly Phrase[] {
  const known = phrasesByLanguage.get(code);
  if (known !== undefined) return known;
  const { hears } = languageScript(code);
  const phrases = intents.flatMap((intent) =>
    (hears[intent] ?? "").split("|").flatMap((given): readonly Phrase[] => {
      const spoken = plainWords(given);
      if (spoken === "") return [];
      return [
        { intent, spoken, place: given.startsWith("=") ? "whole" : given.startsWith("^") ? "start" : "anywhere" },
      ];
    }),
  );
  phrasesByLanguage.set(code, phrases);
  return phrases;
}

/** What a message wants, most telling first; empty when it wants nothing the script knows by name. */
export function hearIntents(text: string, code: LanguageCode): readonly Intent[] {
  const message = plainWords(text.slice(0, 1_000));
  if (message === "") return [];
  const isSpaced = !unspaced.has(code);
  const padded = isSpaced ? ` ${message} ` : message;
  const isLong = isSpaced ? message.split(" ").length > passingWords : message.length > 24;
  const heard: Intent[] = [];
  for (const { intent, spoken, place } of phrasesOf(code)) {
    if (heard.includes(intent) || (isLong && inPassing.has(intent))) continue;
    if (isHeard(message, padded, { spoken, place, isSpaced })) heard.push(intent);
  }
  return heard;
}

function isHeard(
  message: string,
  padded: string,
  { spoken, place, isSpaced }: Pick<Phrase, "spoken" | "place"> & { readonly isSpaced: boolean },
): boolean {
  switch (place) {
    case "whole":
      return message === spoken;
    case "start":
      return message === spoken || message.startsWith(isSpaced ? `${spoken} ` : spoken);
    case "anywhere":
      return padded.includes(isSpaced ? ` ${spoken} ` : spoken);
  }
}

const notNames = new Set(
  "what who not a an the so very really here back fine good ok okay well sorry happy sad tired just your my is are was qué que comment wie was ne मेरा क्या".split(
    " ",
  ),
);

/** The name somebody says they have ("my name is Bo" → "Bo"); undefined when the message does not say one. */
export function heardName(text: string, code: LanguageCode): string | undefined {
  const sample = text.slice(0, 400).replaceAll("’", "'");
  const lower = sample.toLowerCase();
  for (const phrase of languageScript(code).ownName.split("|")) {
    const place = lower.indexOf(phrase);
    if (place < 0 || /\p{L}/u.test(unspaced.has(code) ? "" : (lower[place - 1] ?? ""))) continue;
    const name = nameAt(sample.slice(place + phrase.length), unspaced.has(code));
    if (name !== undefined) return name;
  }
  const short =
    code === "en" ? /^(?:h[a-z]{1,4},? )?i(?:'m| am) (\p{Lu}\p{L}{1,20})[.!]?$/iu.exec(sample.trim())?.[1] : undefined;
  return short !== undefined && /^\p{Lu}/u.test(short) && !/(?:ish|ese|ian|an|ed|ing)$/.test(short) ? short : undefined;
}

function nameAt(rest: string, isUnspaced: boolean): string | undefined {
  const pattern = isUnspaced
    ? /^[\s::]*([\p{L}\p{M}·]{1,20})/u
    : /^[\s::]+([\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’-]{0,30})/u;
  const word = pattern.exec(rest)?.[1]?.replace(/(?:です|だよ|といいます|예요|이에요|입니다|이야|야|ครับ|ค่ะ|คะ)$/u, "");
  if (word === undefined || word === "" || notNames.has(word.toLowerCase()) || /什么|何|なん|뭐|อะไร/u.test(word))
    return undefined;
  return word;
}
