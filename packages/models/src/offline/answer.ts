import { answerAction, answerGoOn, answerQuiet, answerResults, reply } from "./answer-actions.ts";
import { answerByExample, answerByFact, answerByKnowledge, answerByTopic } from "./answer-as-character.ts";
import { answerOtherScript, isForeignTongue } from "./answer-other-script.ts";
import { answerEmoji, answerName, answerSum, answerWish } from "./answer-small-talk.ts";
import { isFrequentWord } from "./detect-language.ts";
import { memorableStatements, turnAround } from "./eliza.ts";
import type { Answer } from "./encode-answer.ts";
import type { Intent } from "./language-script.ts";
import type { Manner } from "./prepare-character.ts";
import { isFactual } from "./questions.ts";
import { answerByNotes } from "./remember.ts";
import { linesFor, type Scene } from "./scene.ts";
import { sceneValues } from "./scene-values.ts";

/** How the character came to a reply: the rule's name, shown as its thought, and whether its style may shape the words. */
type Rule = {
  readonly thought: string;
  readonly isStyled: boolean;
  readonly find: (scene: Scene) => string | undefined;
};

const plainWishes: ReadonlySet<Intent> = new Set(["realModel", "isMachine", "abilities", "myName"]);
const toldWishes: ReadonlySet<Intent> = new Set(["joke", "poem", "story"]);
const griefWishes: ReadonlySet<Intent> = new Set(["grief"]);
const clockWishes: ReadonlySet<Intent> = new Set(["time", "date"]);
const aboutSelfWishes: ReadonlySet<Intent> = new Set(["yourName", "whoAreYou", "origin", "age"]);

/** In this order; the first rule with something to say answers. */
const rules: readonly Rule[] = [
  { thought: "There is nothing to read.", isStyled: true, find: answerNothing },
  { thought: "A language I do not know.", isStyled: false, find: answerForeign },
  { thought: "Somebody is hurting.", isStyled: false, find: (scene) => answerWish(scene, heard(scene, griefWishes)) },
  {
    thought: "No words, but a mood.",
    isStyled: true,
    find: (scene) => (scene.detected.kind === "none" ? answerEmoji(scene) : undefined),
  },
  { thought: "I was told that.", isStyled: false, find: answerByNotes },
  { thought: "A name to remember.", isStyled: true, find: answerName },
  {
    thought: "A plain question about me.",
    isStyled: false,
    find: (scene) => answerWish(scene, heard(scene, plainWishes)),
  },
  { thought: "A sum.", isStyled: false, find: answerSum },
  { thought: "The clock is asked.", isStyled: true, find: (scene) => answerWish(scene, heard(scene, clockWishes)) },
  { thought: "I have been asked the like before.", isStyled: false, find: (scene) => answerByExample(scene, 0.5) },
  {
    thought: "Something about me.",
    isStyled: false,
    find: (scene) => answerWish(scene, heard(scene, aboutSelfWishes)),
  },
  { thought: "Something to tell.", isStyled: false, find: (scene) => answerWish(scene, heard(scene, toldWishes)) },
  { thought: "Small talk.", isStyled: true, find: (scene) => answerWish(scene, scene.intents) },
  { thought: "That I know.", isStyled: false, find: answerByKnowledge },
  { thought: "That touches one of my topics.", isStyled: true, find: answerByTopic },
  {
    thought: "That reminds me of something I once said.",
    isStyled: false,
    find: (scene) => (scene.isQuestion ? answerByExample(scene, 0.34) : undefined),
  },
  {
    thought: "That touches my own story.",
    isStyled: true,
    find: (scene) => (scene.isQuestion ? answerByFact(scene) : undefined),
  },
  {
    thought: "Turn the words around.",
    isStyled: true,
    find: (scene) => turnAround(scene.text, scene.language, scene.choose),
  },
  { thought: "Come back to what was said before.", isStyled: true, find: answerByMemory },
  { thought: "Ask on.", isStyled: true, find: answerAnyhow },
];

/** The reply to a scene. There is one for every scene. */
export function composeReply(scene: Scene): Answer {
  const done = answerResults(scene) ?? answerQuiet(scene);
  if (done !== undefined) return done;
  if (!scene.intents.includes("injection")) {
    const acted = (scene.isContinuing ? undefined : answerAction(scene)) ?? answerGoOn(scene);
    if (acted !== undefined) return acted;
  } else {
    const text = answerWish(scene, ["injection"]) ?? linesFor(scene, "question")[0] ?? "…";
    return { thought: "My instructions are nobody's business.", actions: reply(), text };
  }
  for (const rule of rules) {
    const text = rule.find(scene);
    if (text === undefined) continue;
    return { thought: rule.thought, actions: reply(), text: rule.isStyled ? inManner(text, scene.self.manner) : text };
  }
  return { thought: "Nothing comes to mind.", actions: reply(), text: "…" };
}

function heard(scene: Scene, wanted: ReadonlySet<Intent>): readonly Intent[] {
  return scene.intents.filter((intent) => wanted.has(intent));
}

function answerNothing(scene: Scene): string | undefined {
  if (scene.text === "") return answerAnyhow(scene);
  const attached = /^(?:\[attached: [^\]]{0,300}\]\s*){1,20}$/.test(scene.text.slice(0, 1_000));
  return attached ? scene.choose.always(linesFor(scene, "attachment"), sceneValues(scene)) : undefined;
}

function answerForeign(scene: Scene): string | undefined {
  if (scene.detected.kind === "unknown-script") return answerOtherScript(scene);
  const isForeign = scene.detected.kind === "unclear" && isForeignTongue(scene.text.slice(0, 400), isFrequentWord);
  return isForeign ? answerOtherScript(scene) : undefined;
}

function answerByMemory(scene: Scene): string | undefined {
  if (scene.isQuestion || scene.earlier.length < 3 || scene.choose.seed % 3 !== 0) return undefined;
  const memory = memorableStatements(scene.earlier.slice(0, -1), scene.language).find(
    (said) => !scene.choose.wasSaid(said),
  );
  return memory === undefined ? undefined : scene.choose.fresh(linesFor(scene, "memory"), { memory });
}

function answerAnyhow(scene: Scene): string | undefined {
  const values = sceneValues(scene);
  const factual = isFactual(scene.text) ? scene.choose.fresh(linesFor(scene, "factual"), values) : undefined;
  if (factual !== undefined) return factual;
  const lines = linesFor(scene, scene.isQuestion ? "question" : "statement");
  const other = linesFor(scene, scene.isQuestion ? "statement" : "question");
  return (
    scene.choose.fresh(lines, values) ??
    (scene.isQuestion ? scene.choose.fresh(other, values) : undefined) ??
    scene.choose.always(lines, values)
  );
}

/** The line as the character's style has it. */
function inManner(text: string, manner: Manner): string {
  let spoken = text;
  if (manner.greeting !== undefined)
    spoken = spoken.replace(/^(?:hello there|hello again|hello|hi|hallo|welcome)\b/i, manner.greeting);
  if (manner.isCalm) spoken = spoken.replaceAll("!", ".");
  if (manner.isBrief) spoken = shorten(spoken);
  return manner.isLowerCase && !spoken.includes("_API_KEY") ? spoken.toLowerCase() : spoken;
}

/** Two sentences at most; a closing question stays. */
function shorten(text: string): string {
  const ends = [...text.matchAll(/[.!?…。！？](?=\s)/gu)].map(({ index }) => index + 1);
  const [first, second] = ends;
  if (first === undefined || second === undefined) return text;
  const closing = text.slice(ends.at(-1)).trim();
  return closing.endsWith("?") ? `${text.slice(0, first)} ${closing}` : text.slice(0, second);
}
