/** Made at its first use: it takes longer than everything else at the start of the terminal. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const printableAscii = /^[ -~]*$/;
const wide =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u23f0\u23f3\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f1e6}-\u{1f1ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[#*0-9]\ufe0f\u20e3/u;
const empty = /^[\p{M}\p{Cf}\p{Cc}\u1160-\u11ff]/u;

/** Characters as people see them (grapheme clusters), in order. */
export function* charactersOf(text: string): Generator<string> {
  if (printableAscii.test(text)) yield* text;
  else for (const { segment } of segmentsOf(text)) yield segment;
}

/** How many columns of a terminal one character takes: 0, 1 or 2. */
export function widthOfCharacter(character: string): number {
  if (character.length === 1 && character >= " " && character <= "~") return 1;
  if (wide.test(character)) return 2;
  return empty.test(character) ? 0 : 1;
}

/** How many columns a line of text takes. */
export function widthOf(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const character of charactersOf(text)) width += widthOfCharacter(character);
  return width;
}

/** As much of a line as fits into so many columns. */
export function cutToWidth(text: string, columns: number): string {
  let width = 0;
  let cut = "";
  for (const character of charactersOf(text)) {
    width += widthOfCharacter(character);
    if (width > columns) return cut;
    cut += character;
  }
  return cut;
}

/** The character boundary before a place in a text, or the place's start. */
export function boundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  return segmentsOf(text).containing(at - 1)?.index ?? at - 1;
}

/** The character boundary after a place in a text, or its end. */
export function boundaryAfter(text: string, at: number): number {
  const segment = segmentsOf(text).containing(at);
  return segment ? segment.index + segment.segment.length : text.length;
}
