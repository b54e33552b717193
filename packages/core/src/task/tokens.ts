/** A word, number or mark of a text: folded for comparing, with where it stands. */
export type Token = { readonly word: string; readonly start: number; readonly end: number };

const form = /\d+(?:[.:]\d+)*|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[^\s]/gu;

/** Cuts a text into words, numbers (`8:30`, `1.5`) and marks, in lower case. */
export function tokenize(text: string): readonly Token[] {
  return [...text.matchAll(form)].map(({ 0: word, index }) => ({
    word: word.toLowerCase().replaceAll("’", "'"),
    start: index,
    end: index + word.length,
  }));
}
