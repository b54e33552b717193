import type { Scene } from "./scene.ts";
import { plainWords } from "./words.ts";

/** A question after something the person told, and how a note of it is known. */
type Question = { readonly asks: RegExp; readonly notes: RegExp };

const questions: readonly Question[] = [
  {
    asks: /\bwhere (?:do|am) i (?:live|living)\b|\bwhat (?:city|town|place) do i live\b|\bwo (?:wohne|lebe) ich\b/u,
    notes: /\b(?:lives|living|wohnt|lebt|home|zuhause)\b/u,
  },
  {
    asks: /\bwhat(?: is| s) my name\b|\bwhat am i called\b|\bwie heisse ich\b|\bwie ist mein name\b|\bwer bin ich\b|\bwho am i\b/u,
    notes: /\b(?:name is|is called|heisst)\b/u,
  },
  {
    asks: /\bwhat(?: is| s) my (?:job|work|profession)\b|\bwhat do i (?:work|do for)\b|\bwhere do i work\b|\bwas (?:arbeite ich|ist mein beruf)\b|\bwo arbeite ich\b|\bals was arbeite ich\b/u,
    notes: /\b(?:works|working|arbeitet|job|beruf)\b/u,
  },
  {
    asks: /\bwhat do i (?:like|love|enjoy)\b|\bwas mag ich\b|\bwas liebe ich\b/u,
    notes: /\b(?:likes|loves|enjoys|favou?rite|mag|liebt|lieblings\p{L}*)\b/u,
  },
  {
    asks: /\bwhat do(?:n t| not) i like\b|\bwhat do i (?:hate|dislike)\b|\bwas mag ich nicht\b/u,
    notes: /\b(?:dislikes|hates|nicht|kein\p{L}*|hasst)\b/u,
  },
  { asks: /\bhow old am i\b|\bwie alt bin ich\b/u, notes: /\b(?:years old|jahre alt)\b/u },
  { asks: /\bwhere (?:am|do) i (?:from|come)\b|\bwoher komme ich\b/u, notes: /\b(?:comes|from|kommt|aus)\b/u },
  { asks: /\bwhen is my birthday\b|\bwann habe ich geburtstag\b/u, notes: /\b(?:birthday|geburtstag)\b/u },
];

const everything =
  /\bwhat (?:do|did|else do) you (?:know|remember) (?:about|of) me\b|\bdo you (?:know|remember) (?:me|who i am)\b|\bwas weisst du (?:noch )?(?:uber mich|von mir)\b|\bweisst du(?: noch)? wer ich bin\b|\bkennst du mich\b|\berinnerst du dich an mich\b/u;
/** "my dog", "meine Katze": whatever the person has. */
const belonging = /\b(?:my|meine?r?s?) (?:fav(?:ou)?rite |lieblings)?(\p{L}{3,30})/u;
const mostTold = 6;

/** What the person told before, when they ask for it; undefined when they ask something else. */
export function answerByNotes(scene: Scene): string | undefined {
  const asked = plain(scene.text);
  const { facts } = scene.prompt;
  if (everything.test(asked)) return tellAll(scene, facts);
  if (!scene.isQuestion || facts.length === 0) return undefined;
  const question = questions.find(({ asks }) => asks.test(asked));
  const thing = belonging.exec(asked)?.[1];
  const notes = facts.filter((fact) => {
    const note = plain(fact);
    if (question) return question.notes.test(note) && !isOfSomethingElse(note, question);
    return thing !== undefined && note.includes(thing);
  });
  return notes.length === 0 ? undefined : notes.slice(0, mostTold).map(toYou).join(" ");
}

/** "Mona's dog is called Rufus" is no answer to who she is, nor what she dislikes to what she likes. */
function isOfSomethingElse(note: string, { notes }: Question): boolean {
  if (notes.source.includes("hei")) return /\bs (?!name )\p{L}+ is called\b|\bvon \S+ hei/u.test(note);
  return notes.source.includes("likes|loves") && /\bmag (?:nicht|kein)/u.test(note);
}

function tellAll(scene: Scene, facts: readonly string[]): string | undefined {
  const isGerman = scene.language === "de";
  if (facts.length > 0) {
    return `${isGerman ? "Das weiß ich noch:" : "This I remember:"} ${facts.slice(0, mostTold).map(toYou).join(" ")}`;
  }
  if (isGerman) return "Über dich weiß ich noch nichts. Erzähl mir etwas.";
  return scene.language === "en" ? "Nothing about you yet. Tell me something." : undefined;
}

const turns: readonly (readonly [RegExp, string])[] = [
  [/^[^,.:]{1,60}?['’]s (name|birthday|favou?rite|\p{Ll}+ is called)/u, "Your $1"],
  [/^[^,.:]{1,60}? lives in /u, "You live in "],
  [/^[^,.:]{1,60}? works /u, "You work "],
  [/^[^,.:]{1,60}? likes /u, "You like "],
  [/^[^,.:]{1,60}? dislikes /u, "You dislike "],
  [/^[^,.:]{1,60}? comes from /u, "You come from "],
  [/^[^,.:]{1,60}? is (\d+ years old)/u, "You are $1"],
  [/^[^,.:]{1,60}? wohnt in /u, "Du wohnst in "],
  [/^[^,.:]{1,60}? arbeitet /u, "Du arbeitest "],
  [/^[^,.:]{1,60}? mag /u, "Du magst "],
  [/^[^,.:]{1,60}? kommt aus /u, "Du kommst aus "],
  [/^[^,.:]{1,60}? ist (\d+ Jahre alt)/u, "Du bist $1"],
  [/^(?!.* von )[^,.:]{1,60}? heißt /u, "Du heißt "],
];

/** A note about the person as it is said to them; one that cannot be turned round is said as it stands. */
function toYou(fact: string): string {
  const turn = turns.find(([pattern]) => pattern.test(fact));
  return turn ? fact.replace(turn[0], turn[1]) : fact;
}

function plain(text: string): string {
  return plainWords(text.toLowerCase().replaceAll("ß", "ss")).replaceAll(/\s+/gu, " ");
}
