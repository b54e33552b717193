import type { LineChooser } from "./choose-line.ts";
import { keywordRules } from "./keyword-rules.ts";
import type { LanguageCode } from "./language-script.ts";
import { looksLikeQuestion } from "./questions.ts";
import { germanYouForm, reflectEnglish, reflectGerman } from "./reflect.ts";
import { splitSentences } from "./words.ts";

const sentenceLength = 240;
const echoLength = 70;
const sentencesRead = 12;
const rulesByRank = keywordRules.toSorted((a, b) => b.rank - a.rank);

/** An answer taken from the speaker's own words, turned around; undefined when no keyword is heard or all is said. */
export function turnAround(text: string, language: LanguageCode, choose: LineChooser): string | undefined {
  if (language === "en") return turnEnglish(text, choose);
  return language === "de" ? turnGerman(text, choose) : undefined;
}

function turnEnglish(text: string, choose: LineChooser): string | undefined {
  const sentences = readSentences(text);
  for (const rule of rulesByRank) {
    for (const sentence of sentences) {
      const found = rule.match.exec(sentence);
      if (found === null) continue;
      const values = { 1: echoOf(found[1], reflectEnglish), 2: echoOf(found[2], reflectEnglish) };
      const line = choose.fresh(rule.lines.map(fillable), { first: values[1], second: values[2] });
      if (line !== undefined) return line;
    }
  }
  return undefined;
}

function fillable(line: string): string {
  return line.replaceAll("{1}", "{first}").replaceAll("{2}", "{second}");
}

function readSentences(text: string): readonly string[] {
  return splitSentences(text.replaceAll("’", "'"), sentenceLength).slice(-sentencesRead);
}

/** The speaker's words turned around, as far as they fit into an answer; undefined when they do not. */
function echoOf(words: string | undefined, reflect: (words: string) => string): string | undefined {
  if (words === undefined) return undefined;
  const clause = plainEcho(words.split(/[,;:(–—]| (?:but|because|so that|though|although|aber|weil|obwohl) /i)[0] ?? "")
    .replace(/(?: (?:please|too|now|today|really|very much|a lot|though|right now|anymore|again|instead|yet))+$/i, "")
    .trim();
  return clause === "" || clause.length > echoLength ? undefined : reflect(clause);
}

/** Words fit to be repeated: nothing that an answer's decoder or a platform could take for control. */
export function plainEcho(words: string): string {
  return words
    .replace(/[[\]{}<>`*_#|\\"“”„«»@/&~^=$]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const germanReasons = [
  "Warum {verb} du {rest}?",
  "Seit wann {verb} du {rest}?",
  "Was würde sich ändern, wenn es anders wäre?",
];
const germanFamilyLines = ["Erzähl mir mehr davon.", "Was bedeutet dir das?", "Und wie geht es dir damit?"];
const germanFamily =
  /\bmeine?[nmr]? (mutter|vater|mama|papa|eltern|schwester|bruder|sohn|tochter|frau|mann|oma|opa|familie|freundin|freund|chef|chefin|hund|katze|kinder)\b/i;

function turnGerman(text: string, choose: LineChooser): string | undefined {
  for (const sentence of readSentences(text)) {
    const statement = /^(?:(?:und|aber|also|na|ja|hm) )?ich (\p{L}{2,20}) (?!es\b|das\b)(.+)/iu.exec(sentence);
    const verb = germanYouForm(statement?.[1]?.toLowerCase() ?? "");
    const rest = echoOf(statement?.[2], reflectGerman);
    const asked = verb === undefined || rest === undefined ? undefined : choose.fresh(germanReasons, { verb, rest });
    if (asked !== undefined) return asked;
    const family = germanFamily.exec(sentence)?.[0];
    const line = family === undefined ? undefined : choose.fresh(germanFamilyLines);
    if (family !== undefined && line !== undefined)
      return `${capitalise(reflectGerman(plainEcho(family)))} also. ${line}`;
  }
  return undefined;
}

/** A text with a capital first letter. */
export function capitalise(text: string): string {
  const [first = "", ...others] = text;
  return first.toUpperCase() + others.join("");
}

const memorable =
  /\b(?:my [a-z]+ (?:is|was|are|were|has|had|said|told|ran|left|lost|doesn't|never)|i(?:'m| am) (?!fine|good|ok|okay|well|sorry|not sure|here|back)|i (?:feel|felt|want|wish|need|love|like|hate|miss|lost|work|live|dream)) ?.+/i;

/**
 * Earlier statements of the speaker worth coming back to, newest first, turned around ("you said your cat is ill").
 * `texts` are earlier messages, oldest first.
 */
export function memorableStatements(texts: readonly string[], language: LanguageCode): readonly string[] {
  const found: string[] = [];
  for (const text of texts.toReversed()) {
    if (looksLikeQuestion(text)) continue;
    found.push(...readSentences(text).flatMap((sentence) => memorableIn(sentence, language)));
    if (found.length >= 4) break;
  }
  return found;
}

function memorableIn(sentence: string, language: LanguageCode): readonly string[] {
  if (language === "en") {
    const echo = echoOf(memorable.exec(sentence)?.[0], reflectEnglish);
    return echo === undefined || echo.length < 12 ? [] : [echo];
  }
  return sentence.length >= 12 && sentence.length <= echoLength ? [plainEcho(sentence)] : [];
}
