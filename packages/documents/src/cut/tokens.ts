/** Tokens in quarters, so that texts put together have the sum of their parts. Four letters of an alphabet, or one sign of a script that writes words with few, are one token. */
export function quarterTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += quartersOf(text.charCodeAt(at));
  return quarters;
}

/** ASCII letters share tokens best, other alphabets half as well; from Thai on (U+0E00) a sign is about a token. */
function quartersOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x0e00 ? 2 : 4;
}
