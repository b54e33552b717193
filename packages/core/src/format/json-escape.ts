const simple = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["\n", "\n"],
]);

/**
 * What `\…` stands for; null while it is not whole. An unknown escape stands for itself, so that nothing is lost of
 * patterns, paths and escaped Markdown. `rest` is what was read but does not belong to it.
 */
export function readEscape(escape: string): { readonly text: string; readonly rest: string } | null {
  const kind = escape.charAt(1);
  if (kind === "") return null;
  if (kind !== "u") return { text: simple.get(kind) ?? escape, rest: "" };
  const digits = /^[0-9a-fA-F]*/.exec(escape.slice(2))?.[0] ?? "";
  if (digits.length === 4) return { text: String.fromCharCode(Number.parseInt(digits, 16)), rest: "" };
  if (escape.length === 2 + digits.length) return null;
  return { text: escape.slice(0, 2 + digits.length), rest: escape.slice(2 + digits.length) };
}
