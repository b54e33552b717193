const letterOrDigit = /[\p{L}\p{M}\p{N}]/u;
/** Scripts that put no spaces between words: there a name stands wherever its characters stand. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Folds what does not tell names apart: case, width, accents. Vowel signs of other scripts do tell them apart. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/gu, "")
    .toLowerCase()
    .normalize("NFC");
}

/**
 * Whether a text calls one of these names as a word of its own, in any script; case and accents do not matter.
 * "Ada" is called in "hey ada!" and in "Ada's", not in "Canada".
 */
export function callsName(text: string, names: readonly string[]): boolean {
  const folded = fold(text);
  return names.some((name) => standsIn(folded, fold(name.trim())));
}

function standsIn(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = at === 0 ? "" : (text.slice(Math.max(0, at - 2), at).match(/.$/su)?.[0] ?? "");
    const after = text.slice(at + name.length, at + name.length + 2).match(/^./su)?.[0] ?? "";
    if (isEdge(before, name) && isEdge(after, name)) return true;
  }
  return false;
}

function isEdge(neighbour: string, name: string): boolean {
  return neighbour === "" || !letterOrDigit.test(neighbour) || unspaced.test(neighbour) || unspaced.test(name);
}
