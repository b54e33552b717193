import { createLineChooser, type LineChooser } from "./choose-line.ts";
import { type Detected, detectLanguage } from "./detect-language.ts";
import { heardName, hearIntents } from "./hear-intents.ts";
import type { Intent, LanguageCode, LanguageScript, LineKey } from "./language-script.ts";
import { languageScript } from "./languages.ts";
import type { PreparedCharacter } from "./prepare-character.ts";
import { looksLikeQuestion } from "./questions.ts";
import type { ReadPrompt, Turn } from "./read-prompt.ts";
import { readableText } from "./words.ts";

/** Everything one answer is made from. */
export type Scene = {
  readonly prompt: ReadPrompt;
  readonly self: PreparedCharacter;
  /** The message to answer, without the agent's name before it; empty when nobody said anything. */
  readonly text: string;
  readonly detected: Detected;
  readonly language: LanguageCode;
  readonly script: LanguageScript;
  readonly intents: readonly Intent[];
  readonly isQuestion: boolean;
  /** True when the last line is the agent's own: it was asked to go on. */
  readonly isContinuing: boolean;
  /** What the same speaker said before, oldest first. */
  readonly earlier: readonly string[];
  /** The agent's lines, oldest first. */
  readonly ownLines: readonly string[];
  readonly userName: string | undefined;
  readonly choose: LineChooser;
};

const turnsRead = 80;
const ownLineLength = 1_500;
const anonymous = /^(?:user|you|me|guest|somebody|someone|anonymous|terminal|human|unknown|\d+)$/i;

/** Sets the scene from a prompt. */
export function setScene(prompt: ReadPrompt, self: PreparedCharacter): Scene {
  const turns = prompt.turns.slice(-turnsRead);
  const last = turns.findLast((turn) => !turn.isAgent);
  const text = last === undefined ? "" : withoutAddress(readableText(last.text), prompt.character.name);
  const earlier = turns
    .filter((turn) => !turn.isAgent && turn !== last && turn.speaker === last?.speaker)
    .map((turn) => readableText(turn.text.slice(0, 1_000)));
  const before = earlierLanguage(earlier, self.language);
  const detected = detectLanguage(text, before);
  const language = detected.kind === "language" ? detected.code : before;
  const ownLines = turns.filter((turn) => turn.isAgent).map((turn) => readableText(turn.text.slice(0, ownLineLength)));
  return {
    prompt,
    self,
    text,
    detected,
    language,
    script: languageScript(language),
    intents: hearIntents(text, language),
    isQuestion: looksLikeQuestion(text),
    isContinuing: turns.at(-1)?.isAgent === true,
    earlier,
    ownLines,
    userName: findUserName([...earlier, text], language, last),
    choose: createLineChooser(
      ownLines,
      `${turns.length} ${text.slice(0, 400)} ${ownLines.at(-1)?.slice(0, 200) ?? ""}`,
    ),
  };
}

function withoutAddress(text: string, name: string): string {
  const unmarked = text.replace(/^(?:<@!?\d{1,30}>[\s,:]*){1,4}/, "");
  if (name === "" || unmarked.length <= name.length) return unmarked;
  const start = unmarked.startsWith("@") ? unmarked.slice(1) : unmarked;
  if (start.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return withoutTrailingName(unmarked, name);
  const rest = start.slice(name.length);
  return /^[\s,:;!–—-]/u.test(rest) ? rest.replace(/^[\s,:;!–—-]+/u, "") || unmarked : unmarked;
}

/** "hi Ada!" is "hi!". */
function withoutTrailingName(text: string, name: string): string {
  const end = text.replace(/[\s.!?]+$/, "");
  if (!end.toLowerCase().endsWith(` ${name.toLowerCase()}`)) return text;
  const before = end.slice(0, -name.length).trimEnd();
  return /\b(?:is|am|called|about|of|with|name|are|be)$/i.test(before)
    ? text
    : before.replace(/,$/, "") + text.slice(end.length);
}

function earlierLanguage(earlier: readonly string[], fallback: LanguageCode): LanguageCode {
  for (const text of earlier.slice(-6).toReversed()) {
    const detected = detectLanguage(text);
    if (detected.kind === "language") return detected.code;
  }
  return fallback;
}

function findUserName(texts: readonly string[], language: LanguageCode, last: Turn | undefined): string | undefined {
  for (const text of texts.toReversed()) {
    const detected = detectLanguage(text, language);
    const name = heardName(text, detected.kind === "language" ? detected.code : language) ?? heardName(text, "en");
    if (name !== undefined) return name;
  }
  const shown = readableText(last?.speaker ?? "").slice(0, 40);
  return shown === "" || anonymous.test(shown) ? undefined : shown;
}

const substitutes: Readonly<Partial<Record<LineKey, LineKey>>> = {
  goodNight: "bye",
  age: "whoAreYou",
  origin: "whoAreYou",
  bored: "story",
  compliment: "thanks",
  grief: "sad",
  love: "happy",
  doing: "howAreYou",
  poem: "story",
  speaks: "abilities",
  insult: "question",
  sorry: "thanks",
  laugh: "happy",
  likes: "whoAreYou",
  injection: "question",
};

/** The lines the scene's language has for a key, or for the nearest key it has. */
export function linesFor(scene: Scene, key: LineKey): readonly string[] {
  const { says } = scene.script;
  const other = substitutes[key];
  return says[key] ?? (other === undefined ? undefined : says[other]) ?? [];
}
