import type { CharacterSheet } from "./read-character.ts";

const verbEndings: readonly (readonly [RegExp, string])[] = [
  [/^has$/, "have"],
  [/^is$/, "am"],
  [/^does$/, "do"],
  [/^goes$/, "go"],
  [/^(?:was|were)$/, "was"],
  [/^(.+)ies$/, "$1y"],
  [/^(.+(?:ch|sh|ss|x|zz))es$/, "$1"],
  [/^(.{2,})s$/, "$1"],
];
const notVerbs = new Set(
  "always sometimes besides perhaps as was this his its less across towards afterwards nevertheless thus".split(" "),
);
const afterVerb =
  "(?:an?|the|my|your|it|one|two|three|what|whatever|that|once|twice|every|nobody|everybody|me|them|people|things|all|no|both|how|why|where|when|only|each)";

/**
 * A line about the character as the character says it: "Ada keeps bees." → "I keep bees." Undefined when the line is
 * about somebody else or cannot be turned around safely.
 */
export function toFirstPerson(line: string, name: string): string | undefined {
  const text = line.trim();
  if (text === "" || text.length > 400) return undefined;
  if (/\b(?:I|I'm|my|me)\b/.test(text) && !text.includes(name)) return text;
  const isKnownSubject = startsWithSubject(text, name);
  const subject = isKnownSubject ? text : withSubject(text);
  if (subject === undefined) return undefined;
  const spoken = turnPronouns(subject, name);
  return new RegExp(`\\b(?:she|he|her|his|him|herself|himself)\\b`, "i").test(spoken) ? undefined : spoken;
}

function startsWithSubject(text: string, name: string): boolean {
  return (
    (name !== "" && text.includes(name)) ||
    /^(?:She|He|Her|His)\b/.test(text) ||
    /^[A-Z][^.,;]{2,40},? (?:she|he|her|his)\b/.test(text)
  );
}

/** Lore is often told without a subject: "Hammered by a tinsmith", "Has four brothers", "Wrote a sonnet". */
function withSubject(text: string): string | undefined {
  const first = /^([A-Z][a-z]+)\b/.exec(text)?.[1];
  if (first === undefined) return undefined;
  const rest = text.slice(first.length);
  const verb = first.toLowerCase();
  if (
    /^(?:is|was|has|had|does|did|once|never|wrote|knew|kept|made|built|grew|lost|won|taught|spent|left|found|met)$/.test(
      verb,
    )
  ) {
    return verb === "once" || verb === "never" ? `She ${verb}${rest}` : `She ${verb}${rest}`;
  }
  if (verb.endsWith("ed")) return /^ (?:by|in|at|on)\b/.test(rest) ? `She was ${verb}${rest}` : `She ${verb}${rest}`;
  return verb.endsWith("s") && new RegExp(`^ ${afterVerb}\\b`).test(rest) ? `She ${verb}${rest}` : undefined;
}

function turnPronouns(text: string, name: string): string {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const subject = name === "" ? "[Ss]he|[Hh]e" : `${escaped}|[Ss]he|[Hh]e`;
  const named = name === "" ? text : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}['’]s\\b`, "gu"), "my");
  const spoken = named
    .replace(
      new RegExp(
        `(?<![\\p{L}\\p{N}])(?:${subject}) ((?:once|always|never|also|often|still|sometimes|usually|only|even|rarely|secretly) )?(\\p{L}+)`,
        "gu",
      ),
      (_all, adverb: string | undefined, verb: string) => `I ${adverb ?? ""}${firstPersonVerb(verb)}`,
    )
    .replace(/\b[Hh]erself\b|\b[Hh]imself\b/g, "myself")
    .replace(
      /\b(her|his|Her|His)(?= (?!to\b|by\b|at\b|in\b|on\b|and\b|or\b|for\b|with\b|from\b|that\b|when\b|wrong\b|right\b|how\b|what\b|so\b|as\b|if\b|a\b|the\b)\p{L})/gu,
      (word) => (/^[HM]/.test(word) ? "My" : "my"),
    )
    .replace(/\b(?:her|him)\b/g, "me");
  const coordinated = spoken.replace(
    new RegExp(
      `(, and |, but |, or | and | but |, )((?:never|always|still|also|only) )?(\\p{Ll}+s)(?= ${afterVerb}\\b)`,
      "gu",
    ),
    (all, joint: string, adverb: string | undefined, verb: string) =>
      notVerbs.has(verb) ? all : `${joint}${adverb ?? ""}${firstPersonVerb(verb)}`,
  );
  const auxiliaries = coordinated.replace(
    /(, and |, but | and | but )(is|has)\b/g,
    (_all, joint: string, verb: string) => `${joint}${verb === "is" ? "am" : "have"}`,
  );
  return capitaliseStart(auxiliaries);
}

function firstPersonVerb(verb: string): string {
  if (notVerbs.has(verb) && verb !== "was") return verb;
  for (const [pattern, replacement] of verbEndings) {
    if (pattern.test(verb)) return verb.endsWith("ss") ? verb : verb.replace(pattern, replacement);
  }
  return verb;
}

function capitaliseStart(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** The character's bio and lore in its own mouth; lines that cannot be turned around are left out. */
export function factsAboutSelf(sheet: CharacterSheet): {
  readonly bio: readonly string[];
  readonly lore: readonly string[];
} {
  const turn = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => {
      const spoken = toFirstPerson(line, sheet.name);
      return spoken === undefined ? [] : [/[.!?…。！？]$/u.test(spoken) ? spoken : `${spoken}.`];
    });
  return { bio: turn(sheet.bio), lore: turn(sheet.lore) };
}
