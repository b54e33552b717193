import { languageScripts } from "./languages.ts";
import type { Scene } from "./scene.ts";

/** "I do not read this yet", each in the script it is about. */
const ownWords: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Greek}/u, "Δυστυχώς δεν διαβάζω ακόμη ελληνικά."],
  [/\p{Script=Hebrew}/u, "לצערי, עברית עוד לא מוכרת לי."],
  [/\p{Script=Georgian}/u, "სამწუხაროდ, ქართულს ჯერ ვერ ვკითხულობ."],
  [/\p{Script=Armenian}/u, "Ցավոք, հայերեն դեռ չեմ կարդում։"],
  [/\p{Script=Bengali}/u, "দুঃখিত, আমি এখনও বাংলা পড়তে পারি না।"],
  [/\p{Script=Tamil}/u, "மன்னிக்கவும், என்னால் இன்னும் தமிழ் படிக்க முடியாது."],
];

/** An answer to a message in a script or language the model cannot read: says so, and which ones it can. */
export function answerOtherScript(scene: Scene): string {
  const apology = ownWords.find(([pattern]) => pattern.test(scene.text))?.[1];
  const spoken = languageScripts.map(({ endonym }) => endonym).join(" · ");
  const lines = [
    `🙏 I can't read your language yet, and I'd rather say so than guess. These I can follow: ${spoken}`,
    `🙂 I wish I understood! My small offline model knows these languages: ${spoken}`,
    `I'm sorry, that is beyond my small rule book. Shall we try one of these? ${spoken}`,
  ];
  return [apology, scene.choose.always(lines)].filter((part) => part !== undefined).join(" ");
}

/** True for letters we know in words we do not: several of them, and none known in any language. */
export function isForeignTongue(text: string, isKnownWord: (word: string) => boolean): boolean {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== "");
  return words.length >= 3 && /[^\p{ASCII}\p{P}\p{S}\s]/u.test(text) && !words.some(isKnownWord);
}
