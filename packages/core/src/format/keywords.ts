/** The words that mean something in brackets: the first four act, then three control, two answer. */
const known = ["LIKE", "RETWEET", "QUOTE", "REPLY", "RESPOND", "IGNORE", "STOP", "YES", "NO"];

const keywords = new Set(known);
const beginnings = new Set(known.flatMap((word) => Array.from(word, (_, length) => word.slice(0, length + 1))));
/** A bracket longer than this, spaces included, is text. */
const limitCharacters = 32;

/** The keyword in `[ … ]`, or null. */
export function readKeyword(bracket: string): string | null {
  const word = bracket.slice(1, -1).trim().toUpperCase();
  return keywords.has(word) ? word : null;
}

/** True while `[ …` may still become a keyword: letters of one, with spaces and tabs around it. */
export function mayBecomeKeyword(bracket: string): boolean {
  if (bracket.length > limitCharacters) return false;
  const inside = bracket.slice(1).replace(/^[ \t]+/, "");
  const word = inside.replace(/[ \t]+$/, "");
  if (word === "") return true;
  const upper = word.toUpperCase();
  if (!/^[A-Za-z]+$/.test(word)) return false;
  return word.length === inside.length ? beginnings.has(upper) : keywords.has(upper);
}
