const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Letters for ids and tokens. */
export function randomText(random: () => number, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("");
}

/** A whole number, at least `from` and below `to`. */
export function randomInteger(random: () => number, from: number, to: number): number {
  return from + Math.floor(random() * (to - from));
}
