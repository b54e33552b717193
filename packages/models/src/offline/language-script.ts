/** The languages the offline model answers in, as ISO 639-1 codes. */
export type LanguageCode =
  | "en"
  | "de"
  | "fr"
  | "es"
  | "it"
  | "pt"
  | "nl"
  | "tr"
  | "ru"
  | "uk"
  | "ar"
  | "hi"
  | "zh"
  | "ja"
  | "ko"
  | "th";

/** What a message may want, most telling first: an earlier one wins when several are heard. */
export const intents = [
  "injection",
  "quiet",
  "grief",
  "realModel",
  "isMachine",
  "abilities",
  "speaks",
  "myName",
  "yourName",
  "whoAreYou",
  "howAreYou",
  "doing",
  "likes",
  "origin",
  "age",
  "time",
  "date",
  "weather",
  "joke",
  "poem",
  "story",
  "goOn",
  "bored",
  "thanks",
  "goodNight",
  "bye",
  "sad",
  "happy",
  "love",
  "compliment",
  "insult",
  "sorry",
  "laugh",
  "greeting",
  "yes",
  "no",
] as const;

/** One of the things a message may want. */
export type Intent = (typeof intents)[number];

/** What lines are kept under: an intent, or a place in the conversation that is no intent. */
export type LineKey =
  | Intent
  | "question"
  | "factual"
  | "statement"
  | "memory"
  | "topic"
  | "honest"
  | "result"
  | "failed"
  | "need"
  | "acting"
  | "nameLearned"
  | "nameUnknown"
  | "attachment";

/**
 * One language as data. `frequent` are words that give the language away and say little else. `hears` holds phrases
 * separated by `|`: `=` before one means the whole message, `^` its beginning, nothing anywhere. `says` are lines with
 * `{places}`; a line whose place has no value is not used. `ownName` are phrases somebody's name follows.
 */
export type LanguageScript = {
  readonly code: LanguageCode;
  readonly endonym: string;
  readonly frequent: string;
  readonly ownName: string;
  readonly hears: Readonly<Partial<Record<Intent, string>>>;
  readonly says: Readonly<Partial<Record<LineKey, readonly string[]>>>;
};
