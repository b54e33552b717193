import { unescapeText } from "./read-character.ts";
import { plainWords, wholeSentences } from "./words.ts";

/** One sentence of a conversation with who said it; no name in a summary of summaries. */
type Line = { readonly name: string; readonly text: string; readonly isKept: boolean; readonly weight: number };

const said = /<message from="([^"\n]*)">([\s\S]*?)<\/message>/gu;
const summed = /<summary[^>\n]*>\n([\s\S]*?)\n<\/summary>/gu;
const promise = /\b(?:i will|i'll|i promise|i'm going to|let me|ich werde|ich verspreche|versprochen|bis morgen)\b/iu;
const telling = /\b(?:my|i am|i'm|i live|i work|mein|meine|ich bin|ich wohne|ich arbeite)\b|\d|\p{L} \p{Lu}\p{Ll}+/u;
const longestSentence = 240;
const mostWords = 140;
const mostItems = 10;

/** The sentences of a conversation that tell most, in their order: open questions and promises first of all. */
export function sumUp(asked: string, system: string): string {
  const lines = linesOf(asked);
  const named = [...system.matchAll(/^- (.+)$/gmu)].map(([, what]) => unescapeText(what ?? ""));
  let words = 0;
  const chosen = new Set(
    lines
      .map((line, at) => ({ line, at }))
      .toSorted((left, right) => right.line.weight - left.line.weight || right.at - left.at)
      .filter(({ line }) => {
        words += line.text.split(" ").length + 1;
        return words <= mostWords;
      })
      .map(({ at }) => at),
  );
  const told = lines.flatMap((line, at) => (chosen.has(at) ? sentence(line) : []));
  const missing = named.filter((what) => !told.some((line) => plainWords(line).includes(plainWords(what))));
  return [...told, ...missing].join(" ") || "Nothing of weight was said.";
}

/** What must not be lost, and whether a summary has it. */
export function checkSummary(asked: string): string {
  const [conversation = "", after = ""] = asked.split("\n\nThe summary to check:\n");
  const summary = plainWords(after);
  const items = linesOf(conversation)
    .filter(({ isKept }) => isKept)
    .slice(-mostItems)
    .map(({ text }) => ({
      what: text,
      kind: promise.test(text) ? "promise" : "question",
      kept: summary.includes(plainWords(text)),
    }));
  return JSON.stringify({ items });
}

function sentence({ name, text }: Line): string {
  return name === "" ? text : `${name}: ${text}`;
}

function linesOf(asked: string): readonly Line[] {
  const whole = [...asked.matchAll(summed)].flatMap(([, text]) => toLines("", unescapeText(text ?? "")));
  const messages = [...asked.matchAll(said)].map(([, name, text]) => ({
    name: unescapeText(name ?? ""),
    text: unescapeText(text ?? ""),
  }));
  const lines = messages.flatMap(({ name, text }, at) => {
    const next = messages[at + 1];
    // What the other side answered at once is no longer open.
    const isAnswered = next !== undefined && next.name !== name;
    return toLines(name, text).map((line) =>
      isAnswered && isQuestion(line.text) ? { ...line, isKept: false, weight: 1 } : line,
    );
  });
  return [...whole, ...lines];
}

function toLines(name: string, text: string): readonly Line[] {
  return wholeSentences(text, longestSentence)
    .map((one) => one.replace(/\s+/gu, " ").trim())
    .filter((one) => plainWords(one).length > 3)
    .map((one) => {
      const isKept = isQuestion(one) || promise.test(one);
      return { name, text: one, isKept, weight: (isKept ? 4 : 0) + (telling.test(one) ? 2 : 0) };
    });
}

function isQuestion(text: string): boolean {
  return /[?？؟]\s*$/u.test(text);
}
