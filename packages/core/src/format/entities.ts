const named = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
]);

/** Longest reference that is read, `&` and `;` included. */
const limitEntityCharacters = 10;

/** What `&…;` stands for; null when it is text. */
export function readEntity(reference: string): string | null {
  const name = reference.slice(1, -1);
  if (!name.startsWith("#")) return named.get(name.toLowerCase()) ?? null;
  const digits = /^#(?:[xX]([0-9a-fA-F]+)|([0-9]+))$/.exec(name);
  if (!digits) return null;
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

/** True while `&…` may still become a reference. */
export function mayBecomeEntity(reference: string): boolean {
  return reference.length < limitEntityCharacters && /^&#?[0-9A-Za-z]*$/.test(reference);
}

/** A whole text with its references replaced, well-formed. */
export function decodeEntities(text: string): string {
  return text.replace(/&#?[0-9A-Za-z]{1,7};/g, (reference) => readEntity(reference) ?? reference).toWellFormed();
}
