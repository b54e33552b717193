import type { JsonObject } from "@troupe/core";
import { fillParameters } from "./fill-parameters.ts";
import type { OfferedAction } from "./read-character.ts";
import { plainWords, stemWord } from "./words.ts";

/** What a wish for an action comes to: a call, or the parameter that has to be asked for first. */
export type ActionChoice =
  | { readonly kind: "call"; readonly action: OfferedAction; readonly parameters: JsonObject }
  | { readonly kind: "ask"; readonly action: OfferedAction; readonly parameter: string };

/** Actions that steer the conversation itself; they are chosen by what is said, not by being asked for. */
export const steeringActions: ReadonlySet<string> = new Set(["REPLY", "NONE", "CONTINUE", "IGNORE", "STOP"]);

/** Verbs of looking something up: asking after the thing is asking for the action. */
const lookingUp = new Set(
  "get fetch show tell list find search check look lookup read query see view describe give".split(" "),
);
const generic = new Set(
  "a an the of to for by in on with my your this that it action do make set use call run please send create add new current message user room".split(
    " ",
  ),
);
const politeStart =
  /^(?:(?:please|ok|okay|now|hey|hi|hello|then|and|so|just|bitte|can you|could you|would you|will you|can u|kannst du|könntest du|i want you to|i'd like you to|i would like you to|let's|lets|go|you should|you can|you may)[, ]+){1,4}/i;

/** Nouns of common actions in other languages, by the English word an action's name has. */
const foreignNouns: Readonly<Record<string, string>> = {
  weather: "wetter météo meteo clima tiempo tempo weer погода погоду погоде hava الطقس मौसम 天气 天気 날씨 อากาศ",
  news: "nachrichten nouvelles noticias notizie notícias nieuws новости haberler الأخبار समाचार 新闻 ニュース 뉴스 ข่าว",
  image: "bild image imagen immagine imagem afbeelding картинку resim صورة चित्र 图片 画像 그림 รูป",
  reminder:
    "erinnere erinnerung rappel recordatorio promemoria lembrete herinnering напомни hatırlat تذكير याद 提醒 リマインダー 알림 เตือน",
};

/** Finds the offered action a message plainly asks for; undefined when it asks for none. */
export function chooseAction(text: string, actions: readonly OfferedAction[]): ActionChoice | undefined {
  const message = text.slice(0, 1_000).trim();
  const wishes = actions.filter(({ name }) => !steeringActions.has(name) && isAboutSpeaker(name, message));
  const action = wishes.find((offered) => isNamed(message, offered)) ?? bestMeant(message, wishes);
  return action === undefined ? undefined : readyCall(action, message);
}

/** What is known is asked about anything; the list of what is kept only about oneself. */
function isAboutSpeaker(name: string, message: string): boolean {
  return name !== "WHAT_DO_YOU_KNOW" || /\b(?:me|myself)\b/iu.test(message);
}

/** The call of one action with what the message says, or what is still missing for it. */
export function readyCall(action: OfferedAction, message: string): ActionChoice {
  const actionWords = new Set([...namesOf(action).flatMap((name) => nameWords(name))]);
  const withoutName = message.replaceAll(action.name, " ").replace(/\[[^\]]{1,40}\]/g, " ");
  const { values, missing } = fillParameters(action.schema, withoutName, actionWords);
  const parameter = missing[0];
  return parameter === undefined ? { kind: "call", action, parameters: values } : { kind: "ask", action, parameter };
}

function namesOf(action: OfferedAction): readonly string[] {
  return [action.name, ...action.similes];
}

function nameWords(name: string): readonly string[] {
  return plainWords(name.replace(/[_-]+/g, " ")).split(" ");
}

/** Said outright: `[LIKE]`, `GET_WEATHER`, "use like", "call the get weather action". */
function isNamed(message: string, action: OfferedAction): boolean {
  const plain = ` ${plainWords(message.replace(/[_-]+/g, " "))} `;
  return namesOf(action).some((name) => {
    const spoken = nameWords(name).join(" ");
    if (spoken === "") return false;
    if (message.includes(`[${name}]`) || message.toUpperCase().includes(`[${name}]`)) return true;
    const at = message.indexOf(name);
    const isShouted = name.length > 3 && name === name.toUpperCase() && /[A-Z]/.test(name);
    if (at >= 0 && isShouted && !isWordCharacter(message[at - 1]) && !isWordCharacter(message[at + name.length]))
      return true;
    return [`use `, `use the `, `call `, `call the `, `run `, `run the `, `do a `].some((verb) =>
      plain.includes(` ${verb}${spoken} `),
    );
  });
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

function bestMeant(message: string, actions: readonly OfferedAction[]): OfferedAction | undefined {
  const bare = message.replace(politeStart, "");
  const words = plainWords(bare).split(" ").slice(0, 40);
  const stems = new Set(words.map(stemWord));
  const isQuestion =
    /[?？؟]\s*$/u.test(message) ||
    /^(?:what|how|which|where|when|who|is|are|does|do|wie|was|quel|qué|che|какая)\b/iu.test(plainWords(bare));
  let best: { readonly action: OfferedAction; readonly score: number } | undefined;
  for (const action of actions) {
    const score = Math.max(
      ...namesOf(action).map((name) => meaning(nameWords(name), { words, stems, isQuestion, message })),
    );
    if (score > (best?.score ?? 0)) best = { action, score };
  }
  return best?.action;
}

type Heard = {
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly isQuestion: boolean;
  readonly message: string;
};

/** How surely a message means an action of this name: 0 not at all. */
function meaning(name: readonly string[], heard: Heard): number {
  const [verb = "", ...others] = name;
  const startsWithVerb = stemWord(heard.words[0] ?? "") === stemWord(verb);
  if (others.length === 0) return startsWithVerb && isShortOrder(heard) ? 2 : 0;
  const telling = others.filter((word) => !generic.has(word));
  const hasAll = others.every((word) => heard.stems.has(stemWord(word)));
  if (startsWithVerb && hasAll) return 3 + others.length;
  if (lookingUp.has(verb)) return meaningOfLookingUp(telling, heard);
  return hasAll &&
    heard.stems.has(stemWord(verb)) &&
    heard.words.length <= 12 &&
    !/^(?:i|we|he|she|they|ich)$/.test(heard.words[0] ?? "")
    ? 1
    : 0;
}

function meaningOfLookingUp(telling: readonly string[], heard: Heard): number {
  if (telling.length === 0) return 0;
  const startsWithNoun = heard.words.length <= 8 && telling.includes(heard.words[0] ?? "");
  const isAskedFor =
    heard.isQuestion || lookingUp.has(heard.words[0] ?? "") || heard.words.length <= 3 || startsWithNoun;
  const knows = (word: string): boolean => heard.stems.has(stemWord(word)) || knowsForeign(word, heard);
  return isAskedFor && telling.every(knows) ? 1 + telling.length : 0;
}

function knowsForeign(word: string, heard: Heard): boolean {
  const nouns = Object.hasOwn(foreignNouns, word) ? foreignNouns[word] : undefined;
  if (nouns === undefined) return false;
  return nouns
    .split(" ")
    .some((noun) =>
      /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}\p{Script=Katakana}\p{Script=Arabic}]/u.test(noun)
        ? heard.message.includes(noun)
        : heard.words.includes(plainWords(noun)),
    );
}

/** "like this", "retweet", "follow @bo": an order; "like I said" is none. */
function isShortOrder(heard: Heard): boolean {
  return (
    heard.words.length <= 7 && !/^(?:i|you|we|he|she|they|when|if|a|an|in|what|how|so|many)$/.test(heard.words[1] ?? "")
  );
}
