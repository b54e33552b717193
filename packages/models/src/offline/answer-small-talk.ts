import { findSum } from "./arithmetic.ts";
import { heardName } from "./hear-intents.ts";
import type { Intent } from "./language-script.ts";
import { linesFor, type Scene } from "./scene.ts";
import { doingsRemark, sceneValues, speaksOwnLanguage } from "./scene-values.ts";
import { stories } from "./stories.ts";

/** Questions that are always answered, even if the answer was given before. */
const alwaysAnswered: ReadonlySet<Intent> = new Set([
  "realModel",
  "isMachine",
  "abilities",
  "time",
  "date",
  "yourName",
  "whoAreYou",
  "injection",
]);

/** The first line the script has for one of the wishes heard; undefined when none is left to say. */
export function answerWish(scene: Scene, wishes: readonly Intent[]): string | undefined {
  for (const intent of wishes) {
    const reply = answerOne(scene, intent);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

function answerOne(scene: Scene, intent: Intent): string | undefined {
  switch (intent) {
    case "whoAreYou":
      return withHonesty(scene, sayLine(scene, intent));
    case "myName":
      return heardBefore(scene)
        ? sayLine(scene, "myName", true)
        : (sayLine(scene, "myName") ?? say(scene, "nameUnknown"));
    case "story":
      return tellStory(scene);
    case "greeting":
      return greet(scene);
    default:
      return sayLine(scene, intent);
  }
}

function heardBefore(scene: Scene): boolean {
  return scene.userName !== undefined;
}

function say(scene: Scene, key: Parameters<typeof linesFor>[1]): string | undefined {
  return scene.choose.always(linesFor(scene, key), sceneValues(scene));
}

function sayLine(scene: Scene, intent: Intent, isAlways = alwaysAnswered.has(intent)): string | undefined {
  const doings = doingsRemark(scene);
  const lines = linesFor(scene, intent).map((line) => line.replace("{doings}", doings));
  const values = sceneValues(scene);
  return isAlways ? scene.choose.always(lines, values) : scene.choose.fresh(lines, values);
}

/** A greeting fits the moment: a welcome at first, "again" only later. */
function greet(scene: Scene): string | undefined {
  const isFirst = scene.ownLines.length === 0;
  const lines = linesFor(scene, "greeting");
  const fitting = lines.filter((line, index) =>
    isFirst ? !/again|wieder|weer|retour|vuelto|rivederti|voltou/.test(line) : index > 0,
  );
  const values = sceneValues(scene);
  return scene.choose.fresh(fitting, values) ?? scene.choose.fresh(lines, values);
}

/** Who the character is, and once in a conversation what speaks for it. */
function withHonesty(scene: Scene, line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  const isTold = scene.ownLines.some((own) =>
    /_API_KEY|offline|офлайн|オフライン|오프라인|离线|çevrimdışı|hors ligne|sin conexión|دون اتصال|ऑफ़लाइन|ออฟไลน์/i.test(
      own,
    ),
  );
  const honest = isTold ? undefined : scene.choose.fresh(linesFor(scene, "honest"), sceneValues(scene));
  return honest === undefined ? line : `${line} ${honest}`;
}

function tellStory(scene: Scene): string | undefined {
  if (scene.language !== "en") return sayLine(scene, "story");
  const wantsFact = /\b(?:fact|something interesting|about you)\b/i.test(scene.text);
  const facts = speaksOwnLanguage(scene)
    ? scene.self.lore.map(({ text }) => `A true one, then. ${text} Shall I tell you another?`)
    : [];
  const beginnings = stories.flatMap(([first]) => (first === undefined ? [] : `${first.text} ${first.offer}`));
  return (wantsFact ? scene.choose.fresh(facts) : undefined) ?? scene.choose.fresh([...beginnings, ...facts]);
}

/** The thread taken up again. `offer` are the words that offer more after it; empty when there is no more. */
export type Thread = { readonly text: string; readonly offer: string };

/** The story's next part, or another of the character's own facts; undefined when there is nothing to go on with. */
export function takeUpThread(scene: Scene): Thread | undefined {
  const part = scene.language === "en" ? nextStoryPart(scene) : undefined;
  if (part !== undefined) return part;
  const joke = nextJoke(scene);
  if (joke !== undefined) return joke;
  if (!speaksOwnLanguage(scene)) return undefined;
  const next = [...scene.self.lore, ...scene.self.bio].find(({ text }) => !scene.choose.wasSaid(text));
  return next === undefined ? undefined : { text: next.text, offer: "" };
}

function nextJoke(scene: Scene): Thread | undefined {
  const jokes = linesFor(scene, "joke");
  const last = scene.ownLines.at(-1) ?? "";
  const next = jokes.includes(last) ? scene.choose.fresh(jokes) : undefined;
  return next === undefined ? undefined : { text: next, offer: "" };
}

function nextStoryPart(scene: Scene): Thread | undefined {
  for (const own of scene.ownLines.slice(-4).toReversed()) {
    for (const story of stories) {
      const part = story.findIndex(({ text }) => own.includes(text));
      const next = part < 0 ? undefined : story[part + 1];
      if (next !== undefined && !scene.choose.wasSaid(next.text)) return next;
    }
  }
  return undefined;
}

/** A name just told: the pleasure is ours. */
export function answerName(scene: Scene): string | undefined {
  const name = heardName(scene.text, scene.language);
  if (name === undefined || scene.intents.includes("myName")) return undefined;
  return scene.choose.always(linesFor(scene, "nameLearned"), { ...sceneValues(scene), user: name });
}

/** The result of a sum in the message. */
export function answerSum(scene: Scene): string | undefined {
  const found = findSum(scene.text);
  if (found === undefined) return undefined;
  const equation = `${found.sum} = ${found.value}`;
  return scene.language === "en"
    ? scene.choose.always(["{sum}. I checked it twice.", "{sum}.", "That makes {value}: {sum}."], {
        sum: equation,
        value: found.value,
      })
    : `${equation}`;
}

const moods: readonly (readonly [RegExp, Intent, string])[] = [
  [/[😢😭😞😔🥺😿💔☹🙁😥😟]/u, "sad", "🫂"],
  [/[😂🤣😆😅😹]/u, "laugh", "😄"],
  [/[❤🥰😍😘💕💖💙💚💛🧡💜🖤🤍♥💗]/u, "love", "💛"],
  [/[👋🤗]/u, "greeting", "👋"],
  [/[👍👌🙌✅💯👏🔥]/u, "yes", "👍"],
  [/[🙏]/u, "thanks", "🙏"],
  [/[😀😃😄😁😊🙂🥳🎉🎊✨😎🤩]/u, "happy", "😊"],
  [/[😡🤬😠👎🖕]/u, "insult", "🕊️"],
  [/[😴💤🌙🛌]/u, "goodNight", "🌙"],
];

/** An answer to a message without letters: its mood returned. Undefined when it holds no emoji either. */
export function answerEmoji(scene: Scene): string | undefined {
  if (!/\p{Extended_Pictographic}/u.test(scene.text)) return undefined;
  const mood = moods.find(([pattern]) => pattern.test(scene.text));
  const line = mood === undefined ? undefined : scene.choose.fresh(linesFor(scene, mood[1]), sceneValues(scene));
  return `${mood?.[2] ?? "🙂"} ${line ?? say(scene, "statement") ?? ""}`.trim();
}
