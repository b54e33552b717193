import { isFrequentWord } from "./detect-language.ts";
import { capitalise } from "./eliza.ts";
import type { Intent } from "./language-script.ts";
import { type PreparedExample, type PreparedText, prepareTexts } from "./prepare-character.ts";
import { linesFor, type Scene } from "./scene.ts";
import { bestByWords, sceneValues, speaksOwnLanguage } from "./scene-values.ts";
import { contentWords, likeness, sharedCount } from "./words.ts";

/** What is better answered plainly than by an example. */
const answeredPlainly: ReadonlySet<Intent> = new Set([
  "injection",
  "quiet",
  "realModel",
  "isMachine",
  "abilities",
  "myName",
  "time",
  "date",
  "goOn",
]);

/** The reply of the example that is most like the message; undefined below `least` (0..1) or when it was said lately. */
export function answerByExample(scene: Scene, least: number): string | undefined {
  if (scene.intents.some((intent) => answeredPlainly.has(intent))) return undefined;
  const words = contentWords(scene.text, isFrequentWord);
  const scored = scene.self.examples
    .filter((example) => example.language === undefined || example.language === scene.language)
    .map((example) => ({ example, score: exampleScore(scene, example, words) }))
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score);
  for (const { example } of scored) {
    const reply = inOwnWords(example, scene.userName);
    if (reply !== undefined && !scene.choose.wasSaid(reply)) return reply;
  }
  return undefined;
}

function exampleScore(scene: Scene, example: PreparedExample, words: ReadonlySet<string>): number {
  const isSameWish = example.intents.length > 0 && example.intents.join() === scene.intents.join();
  const alike = likeness(words, example.words);
  // One shared word is chance, unless it is all there is.
  const isChance = sharedCount(words, example.words) < 2 && alike < 1;
  return Math.max(isSameWish ? 0.9 : 0, isChance ? alike / 2 : alike);
}

/** The example's reply to somebody else than the example's guest. */
function inOwnWords(example: PreparedExample, userName: string | undefined): string | undefined {
  const { asker, answered } = example;
  if (asker === "" || !answered.includes(asker)) return answered;
  if (userName !== undefined) return answered.replaceAll(asker, userName);
  const without = answered.replaceAll(`, ${asker}`, "").replaceAll(`${asker}, `, "");
  return without.includes(asker) ? undefined : capitalise(without);
}

/** A sentence of the character's knowledge, or of what the prompt brought along, that meets a question. */
export function answerByKnowledge(scene: Scene): string | undefined {
  if (!scene.isQuestion) return undefined;
  const words = contentWords(scene.text, isFrequentWord);
  const known = [...scene.self.knowledge, ...prepareTexts(scene.prompt.notes)];
  const found = bestByWords(known, words, Math.min(2, words.size));
  return found === undefined || words.size === 0 || scene.choose.wasSaid(found.text) ? undefined : found.text;
}

/** A word about a topic of the character's that the message touches. */
export function answerByTopic(scene: Scene): string | undefined {
  const topic = touchedTopic(scene);
  if (topic === undefined) return undefined;
  if (scene.ownLines.slice(-4).filter((line) => line.toLowerCase().includes(topic.text.toLowerCase())).length >= 2)
    return undefined;
  const ownFacts = speaksOwnLanguage(scene)
    ? [...scene.self.lore, ...scene.self.bio].filter((fact) => !scene.choose.wasSaid(fact.text))
    : [];
  const fact = bestByWords(ownFacts, topic.words, 1)?.text;
  const values = { ...sceneValues(scene), topic: topic.text, topicCapital: capitalise(topic.text), fact };
  const lines = linesFor(scene, "topic");
  const withFact = lines.filter((line) => line.includes("{fact}"));
  return (fact === undefined ? undefined : scene.choose.fresh(withFact, values)) ?? scene.choose.fresh(lines, values);
}

function touchedTopic(scene: Scene): PreparedText | undefined {
  const words = contentWords(scene.text, isFrequentWord);
  return scene.self.topics.find((topic) => {
    const shared = [...topic.words].filter(
      (word) => words.has(word) && word.length >= 2 && !isFrequentWord(word),
    ).length;
    return shared > 0 && shared * 2 >= topic.words.size;
  });
}

/** One of the character's facts that meets the message in a telling word. */
export function answerByFact(scene: Scene): string | undefined {
  if (!speaksOwnLanguage(scene)) return undefined;
  const words = new Set(
    [...contentWords(scene.text, isFrequentWord)].filter((word) => word.length >= 4 && !isFrequentWord(word)),
  );
  const found = bestByWords([...scene.self.lore, ...scene.self.bio], words, 1);
  return found === undefined || scene.choose.wasSaid(found.text) ? undefined : found.text;
}
