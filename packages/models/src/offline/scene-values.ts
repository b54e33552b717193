import { steeringActions } from "./choose-action.ts";
import type { LineValues } from "./choose-line.ts";
import { capitalise, memorableStatements } from "./eliza.ts";
import type { LanguageCode } from "./language-script.ts";
import { languageScripts } from "./languages.ts";
import type { PreparedText } from "./prepare-character.ts";
import type { Scene } from "./scene.ts";
import { sharedCount } from "./words.ts";

const joints: Readonly<Partial<Record<LanguageCode, string>>> = {
  en: " and ",
  de: " und ",
  fr: " et ",
  es: " y ",
  it: " e ",
  pt: " e ",
  nl: " en ",
};
const aboutLength = 260;

/** What the places in lines stand for in this scene. */
export function sceneValues(scene: Scene): LineValues {
  const { self, prompt, choose } = scene;
  const topic = pick(self.topics, choose.seed)?.text;
  const facts = speaksOwnLanguage(scene) ? [...self.lore, ...self.bio] : [];
  return {
    name: self.sheet.name === "" ? undefined : self.sheet.name,
    user: scene.userName,
    topic,
    topicCapital: topic === undefined ? undefined : capitalise(topic),
    topics: topicList(scene),
    languages: languageScripts.map(({ endonym }) => endonym).join(", "),
    about: aboutText(scene),
    fact: facts.filter((fact) => !choose.wasSaid(fact.text))[choose.seed % Math.max(1, facts.length)]?.text,
    time: /\b\d{1,2}:\d{2}(?: ?[A-Z]{2,5})?/.exec(prompt.now ?? "")?.[0],
    date: dateText(prompt.now, scene.language),
    memory: memorableStatements(scene.earlier.slice(0, -1), scene.language).find(
      (statement) => !choose.wasSaid(statement),
    ),
  };
}

/** True when the character's own lines fit the language of the conversation. */
export function speaksOwnLanguage(scene: Scene): boolean {
  return scene.self.language === scene.language;
}

function pick<Item>(items: readonly Item[], seed: number): Item | undefined {
  return items[seed % Math.max(1, items.length)];
}

function topicList(scene: Scene): string | undefined {
  const { topics } = scene.self;
  if (topics.length === 0) return undefined;
  const start = scene.choose.seed % topics.length;
  const names = [...topics.slice(start), ...topics.slice(0, start)].slice(0, 3).map((topic) => topic.text);
  const joint = joints[scene.language];
  const last = names.at(-1);
  if (joint === undefined || last === undefined || names.length < 2)
    return names.join(scene.language === "zh" || scene.language === "ja" ? "、" : ", ");
  return `${names.slice(0, -1).join(", ")}${joint}${last}`;
}

function aboutText(scene: Scene): string | undefined {
  if (!speaksOwnLanguage(scene)) {
    const topics = topicList(scene);
    const line = scene.script.says.likes?.[0];
    return topics === undefined ? undefined : line?.replace("{topics}", topics);
  }
  let about = "";
  for (const { text } of scene.self.bio) {
    if (about !== "" && about.length + text.length > aboutLength) break;
    about = `${about} ${text}`.trim();
  }
  return about === "" ? undefined : about;
}

function dateText(now: string | undefined, language: LanguageCode): string | undefined {
  const date = /\b\d{4}-\d{2}-\d{2}\b/.exec(now ?? "")?.[0];
  if (date === undefined) return undefined;
  const weekday = /^\p{Lu}\p{L}+/u.exec(now ?? "")?.[0];
  return language === "en" && weekday !== undefined ? `${weekday}, ${date}` : date;
}

/** The offered actions as a remark inside a list of abilities; empty when there are none but talking. */
export function doingsRemark(scene: Scene): string {
  const names = scene.self.sheet.actions.filter(({ name }) => !steeringActions.has(name)).map(({ name }) => name);
  if (names.length === 0) return "";
  const shown = names.slice(0, 6).join(", ");
  return scene.language === "en" ? `, and call ${shown} when you ask me to` : ` (+ ${shown})`;
}

/** The text that shares most telling words with what was said; undefined below `least` shared words. */
export function bestByWords(
  texts: readonly PreparedText[],
  words: ReadonlySet<string>,
  least: number,
): PreparedText | undefined {
  let best: { readonly text: PreparedText; readonly shared: number } | undefined;
  for (const text of texts) {
    const shared = sharedCount(text.words, words);
    if (shared >= least && shared > (best?.shared ?? 0)) best = { text, shared };
  }
  return best?.text;
}
