import type { JsonObject } from "@troupe/core";
import { unescapeText } from "./read-character.ts";
import { wholeSentences } from "./words.ts";

/** What a sentence says of its speaker: a pattern over the sentence, and the fact it makes. */
type Pattern = {
  readonly match: RegExp;
  readonly key: string;
  readonly salience: number;
  /** The claim about `name`; `value` is the first group, `other` the second. */
  readonly claim: (name: string, value: string, other: string) => string;
  /** Where the kind of thing is said by the sentence: "my dog is called Rufus". */
  readonly isKeyFirst?: true;
};

const thing = "(?:an? |the |my )?([^,;:!?]{2,60})";
const ding = "([^,;:!?]{2,60})";
const english = (words: string): RegExp =>
  new RegExp(`^(?:(?:hi|hello|hey|well|so|and|by the way|also|now|actually)[, ]+)*${words}`, "iu");
const german = (words: string): RegExp =>
  new RegExp(`^(?:(?:hallo|hi|und|also|übrigens|nun|jetzt|ja)[, ]+)*${words}`, "iu");

const patterns: readonly Pattern[] = [
  {
    match: english(
      "(?:my (?:first |full )?name is|i am called|i'm called|people call me|call me) ([\\p{L}'’-]{2,30}(?: \\p{Lu}[\\p{L}'’-]{1,30})?)",
    ),
    key: "name",
    salience: 0.9,
    claim: (name, value) => `${possessive(name)} name is ${value}.`,
  },
  {
    match: english(
      "i(?:'m| am)? (?:now |currently )?(?:live|living|have moved|'ve moved|moved) (?:now )?(?:in|to) ([^,;:!?]{2,60})",
    ),
    key: "home city",
    salience: 0.8,
    claim: (name, value) => `${name} lives in ${value}.`,
  },
  {
    match: english(`i(?:'m| am)? (?:now |currently )?work(?:ing)? as ${thing}`),
    key: "job",
    salience: 0.8,
    claim: (name, value) => `${name} works as ${article(value)}.`,
  },
  {
    match: english("i(?:'m| am)? (?:now |currently )?work(?:ing)? (?:at|for) ([^,;:!?]{2,60})"),
    key: "employer",
    salience: 0.7,
    claim: (name, value) => `${name} works at ${value}.`,
  },
  {
    match: english("i (?:really |also )?(?:like|love|enjoy) ([^,;:!?]{2,60})"),
    key: "likes",
    salience: 0.6,
    claim: (name, value) => `${name} likes ${value}.`,
  },
  {
    match: english("i (?:really )?(?:hate|dislike|can't stand|do not like|don't like) ([^,;:!?]{2,60})"),
    key: "dislikes",
    salience: 0.6,
    claim: (name, value) => `${name} dislikes ${value}.`,
  },
  {
    match: english("i(?:'m| am) (\\d{1,3}) years old"),
    key: "age",
    salience: 0.6,
    claim: (name, value) => `${name} is ${value} years old.`,
  },
  {
    match: english("i(?:'m| am| come) from ([^,;:!?]{2,60})"),
    key: "origin",
    salience: 0.7,
    claim: (name, value) => `${name} comes from ${value}.`,
  },
  {
    match: english("my birthday is (?:on )?(?:the )?([^,;:!?]{3,40})"),
    key: "birthday",
    salience: 0.7,
    claim: (name, value) => `${possessive(name)} birthday is ${value}.`,
  },
  {
    match: english("my fav(?:ou?)?rite ([\\p{L} ]{2,30}?) is ([^,;:!?]{2,60})"),
    key: "favourite",
    salience: 0.6,
    isKeyFirst: true,
    claim: (name, value, other) => `${possessive(name)} favourite ${value} is ${other}.`,
  },
  {
    match: english("my ([\\p{L} ]{2,30}?)(?:'s name is| is called| is named) ([^,;:!?]{2,40})"),
    key: "",
    salience: 0.7,
    isKeyFirst: true,
    claim: (name, value, other) => `${possessive(name)} ${value} is called ${other}.`,
  },
  {
    match: german(
      "(?:ich heiße|ich heisse|mein name ist|nenn mich|man nennt mich) ([\\p{L}'’-]{2,30}(?: \\p{Lu}[\\p{L}'’-]{1,30})?)",
    ),
    key: "name",
    salience: 0.9,
    claim: (name, value) => `${name} heißt ${value}.`,
  },
  {
    match: german(`ich (?:wohne|lebe) (?:jetzt |nun )?in ${ding}`),
    key: "home city",
    salience: 0.8,
    claim: (name, value) => `${name} wohnt in ${value}.`,
  },
  {
    match: german("ich bin (?:jetzt )?nach ([^,;:!?]{2,60}?) gezogen"),
    key: "home city",
    salience: 0.8,
    claim: (name, value) => `${name} wohnt in ${value}.`,
  },
  {
    match: german(`ich arbeite (?:jetzt )?als ${ding}`),
    key: "job",
    salience: 0.8,
    claim: (name, value) => `${name} arbeitet als ${value}.`,
  },
  {
    match: german("ich bin ([\\p{L} -]{2,40}?) von beruf"),
    key: "job",
    salience: 0.8,
    claim: (name, value) => `${name} arbeitet als ${value}.`,
  },
  {
    match: german(`ich arbeite (?:jetzt )?(?:bei|für) ${ding}`),
    key: "employer",
    salience: 0.7,
    claim: (name, value) => `${name} arbeitet bei ${value}.`,
  },
  {
    match: german(`ich (?:mag|liebe) (?!dich|kein)(?:sehr )?${ding}`),
    key: "likes",
    salience: 0.6,
    claim: (name, value) => `${name} mag ${value}.`,
  },
  {
    match: german(`ich (?:hasse|mag (?=kein)) ?${ding}`),
    key: "dislikes",
    salience: 0.6,
    claim: (name, value) => `${name} mag ${value.startsWith("kein") ? value : `nicht: ${value}`}.`,
  },
  {
    match: german("ich bin (\\d{1,3})(?: jahre(?: alt)?)$"),
    key: "age",
    salience: 0.6,
    claim: (name, value) => `${name} ist ${value} Jahre alt.`,
  },
  {
    match: german(`ich (?:komme|bin) aus ${ding}`),
    key: "origin",
    salience: 0.7,
    claim: (name, value) => `${name} kommt aus ${value}.`,
  },
  {
    match: german("meine? lieblings-?([\\p{L}]{2,30}) (?:ist|sind) ([^,;:!?]{2,60})"),
    key: "favourite",
    salience: 0.6,
    isKeyFirst: true,
    claim: (name, value, other) => `Lieblings${value.toLowerCase()} von ${name}: ${other}.`,
  },
  {
    match: german("meine? ([\\p{L} ]{2,30}?) hei(?:ß|ss)t ([^,;:!?]{2,40})"),
    key: "",
    salience: 0.7,
    isKeyFirst: true,
    claim: (name, value, other) => `${value} von ${name} heißt ${other}.`,
  },
];

const person = /^P(\d{1,3}): "([^"\n]*)"$/gmu;
const message = /<message number="(\d+)" by="(P\d{1,3})"[^>\n]*>([\s\S]*?)<\/message>/gu;
const mostFacts = 20;
const mostSentences = 12;
const longestSentence = 200;

/** The facts that plain words say of their speakers, as the JSON the engine asks for. */
export function noteFacts(asked: string): string {
  const names = new Map([...asked.matchAll(person)].map(([, place, name]) => [`P${place}`, name ?? ""]));
  const facts = [...asked.matchAll(message)].flatMap(([, number, by = "", text = ""]) =>
    factsIn(unescapeText(text), names.get(by) || "This person").map((fact) => ({
      about: by,
      from: Number(number),
      ...fact,
    })),
  );
  return JSON.stringify({ facts: facts.slice(0, mostFacts), relationships: [] });
}

function factsIn(text: string, name: string): readonly JsonObject[] {
  const sentences = wholeSentences(text.replaceAll("’", "'"), longestSentence).slice(0, mostSentences);
  return sentences.flatMap(clauses).flatMap<JsonObject>((clause) => factIn(clause, name) ?? []);
}

/** "I live in Oslo and I like tea" are two; a question says nothing. */
function clauses(sentence: string): readonly string[] {
  if (/[?？]\s*$/u.test(sentence)) return [];
  return sentence
    .replace(/[.!…]+\s*$/u, "")
    .split(/,? (?:and|but|und|aber) (?=(?:i|my|ich|meine?)\b)|, (?=(?:i|my|ich|meine?)\b)/iu)
    .map((clause) => clause.trim());
}

function factIn(clause: string, name: string): JsonObject | undefined {
  for (const { match, key, salience, claim, isKeyFirst } of patterns) {
    const [, first = "", second = ""] = match.exec(clause) ?? [];
    const [value, other] = [tidy(first), tidy(second)];
    if (value === "" || (isKeyFirst === true && other === "")) continue;
    const kind = isKeyFirst === true ? `${key} ${value.toLowerCase()}`.trim() : key;
    const said = isKeyFirst === true ? other : value;
    return { claim: claim(name, value, other), key: kind, value: said, confidence: 0.8, salience };
  }
  return undefined;
}

/** Without what only says when, how much or that more follows. */
function tidy(words: string): string {
  return words
    .split(/ (?:and|but|because|since|so|when|if|though|und|aber|weil|seit|wenn|obwohl)\b /iu, 1)
    .join("")
    .replace(/(?: (?:now|too|a lot|very much|these days|at the moment|nowadays|jetzt|auch|sehr|gerade))+$/iu, "")
    .replace(/[.\s"“”„]+$/u, "")
    .trim();
}

function possessive(name: string): string {
  return `${name}'s`;
}

function article(job: string): string {
  return /^(?:an?|the) /iu.test(job) ? job : `${/^[aeiou]/iu.test(job) ? "an" : "a"} ${job}`;
}
