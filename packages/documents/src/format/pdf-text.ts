/** A piece of text on a page, as the PDF library gives it; coordinates grow upwards, in points. */
export type PdfItem = {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
};

/** Lines that stand together in one size. */
export type PdfParagraph = { readonly text: string; readonly height: number; readonly lineCount: number };

type Line = {
  readonly text: string;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly height: number;
};

/** The page's paragraphs in the order of its content. */
export function toParagraphs(items: readonly PdfItem[]): readonly PdfParagraph[] {
  const paragraphs: PdfParagraph[] = [];
  let open: Line[] = [];
  const close = () => {
    if (open.length > 0)
      paragraphs.push({ text: joinLines(open), height: open[0]?.height ?? 0, lineCount: open.length });
    open = [];
  };
  for (const line of toLines(items)) {
    const previous = open.at(-1);
    if (previous !== undefined && !continues(previous, line)) close();
    open.push(line);
  }
  close();
  return paragraphs;
}

function toLines(items: readonly PdfItem[]): readonly Line[] {
  const lines: Line[] = [];
  let parts: PdfItem[] = [];
  const close = () => {
    const shown = parts.filter((item) => item.str.trim() !== "");
    const text = parts
      .map((item) => item.str)
      .join("")
      .replace(/\s+/gu, " ")
      .trim();
    if (shown.length > 0) {
      const height = shown.reduce((most, item) => Math.max(most, item.height), 0);
      const left = shown.reduce((least, item) => Math.min(least, item.transform[4] ?? 0), Number.POSITIVE_INFINITY);
      const right = shown.reduce((most, item) => Math.max(most, (item.transform[4] ?? 0) + item.width), 0);
      lines.push({ text, y: shown[0]?.transform[5] ?? 0, left, right, height });
    }
    parts = [];
  };
  for (const item of items) {
    parts.push(item);
    if (item.hasEOL) close();
  }
  close();
  return lines;
}

/** True when the line stands below in the same size, as close as lines of a paragraph do. */
function continues(previous: Line, line: Line): boolean {
  const gap = previous.y - line.y;
  const height = Math.max(previous.height, line.height, 1);
  const isSameSize = Math.abs(previous.height - line.height) <= 0.15 * height;
  return isSameSize && gap > -0.5 * height && gap <= 1.75 * height && !/^[•‣▪◦●–]\s/u.test(line.text);
}

const cjk = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u{3000}-\u{303f}\u{ff00}-\u{ffef}]/u;

/** One text: words cut at a line's end are joined; a line that ends early stays a line of its own. */
function joinLines(lines: readonly Line[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const width = lines.reduce((most, line) => Math.max(most, line.right), 0) - left;
  let text = "";
  lines.forEach((line, at) => {
    const previous = lines[at - 1];
    if (previous === undefined) text = line.text;
    else if (/\p{Ll}[-\u{ad}\u{2010}]$/u.test(previous.text) && /^\p{Ll}/u.test(line.text))
      text = text.slice(0, -1) + line.text;
    else if (previous.right - left < 0.7 * width) text += `\n${line.text}`;
    else if (cjk.test(previous.text.slice(-1)) && cjk.test(line.text.slice(0, 1))) text += line.text;
    else text += ` ${line.text}`;
  });
  return text;
}

/** The height most of the text has; 0 without text. */
export function bodyHeight(paragraphs: readonly PdfParagraph[]): number {
  const characters = new Map<number, number>();
  for (const { text, height } of paragraphs) {
    const rounded = Math.round(height * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
  }
  return [...characters].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0] as const)[0];
}

/** Sizes of headings, largest first: what is short and clearly larger than the body. */
export function headingHeights(paragraphs: readonly PdfParagraph[], body: number): readonly number[] {
  const heights = paragraphs.filter((each) => isHeading(each, body)).map(({ height }) => Math.round(height * 2) / 2);
  return [...new Set(heights)].sort((a, b) => b - a);
}

/** True for what is short and clearly larger than the body. */
export function isHeading({ height, text, lineCount }: PdfParagraph, body: number): boolean {
  return height >= 1.18 * body && body > 0 && text.length <= 150 && lineCount <= 3 && /\p{L}/u.test(text);
}
