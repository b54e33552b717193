/** A stretch of a text, in UTF-16 code units: from `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number };

/** A fenced code block. Its lines stand from `contentStart` to `contentEnd`; the fence lines around them. */
export type Fence = Span & {
  readonly contentStart: number;
  readonly contentEnd: number;
  /** What opens it again in another piece, e.g. "```ts\n". */
  readonly opening: string;
  /** What closes it after a line of code, e.g. "\n```". */
  readonly closing: string;
};

const openingLine = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;
const bareFence = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

/** The fenced code blocks of a Markdown text, in order; one that is never closed ends with the text. */
export function findFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  if (!text.includes("```") && !text.includes("~~~")) return fences;
  let open: {
    readonly start: number;
    readonly contentStart: number;
    readonly mark: string;
    readonly info: string;
  } | null = null;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const next = Math.min(text.length, end + 1);
    const line = mayBeFence(text, start) ? text.slice(start, end).replace(/\r$/, "") : "";
    if (open === null) open = readOpening(line, { start, contentStart: next });
    else if (closes(line, open.mark)) {
      fences.push({ start: open.start, end, contentStart: open.contentStart, contentEnd: start, ...marks(open) });
      open = null;
    }
    start = next;
  }
  if (open) {
    const end = text.length;
    fences.push({ start: open.start, end, contentStart: open.contentStart, contentEnd: end, ...marks(open) });
  }
  return fences;
}

function mayBeFence(text: string, lineStart: number): boolean {
  for (let at = lineStart; at < lineStart + 4; at += 1) {
    const unit = text[at];
    if (unit === "`" || unit === "~") return true;
    if (unit !== " ") return false;
  }
  return false;
}

function readOpening(line: string, place: { readonly start: number; readonly contentStart: number }) {
  const found = openingLine.exec(line);
  const [, mark = "", info = ""] = found ?? [];
  if (!found || (mark.startsWith("`") && info.includes("`"))) return null;
  return { ...place, mark, info: info.trim() };
}

function closes(line: string, mark: string): boolean {
  const found = bareFence.exec(line)?.[1];
  return found !== undefined && found[0] === mark[0] && found.length >= mark.length;
}

function marks(open: { readonly mark: string; readonly info: string }): Pick<Fence, "opening" | "closing"> {
  const language = /^\S{1,40}(?=\s|$)/u.exec(open.info)?.[0] ?? "";
  return { opening: `${open.mark}${language}\n`, closing: `\n${open.mark}` };
}

const unbreakable =
  /!?\[[^[\]\n]*\]\((?:[^()\s]|\([^()\s]*\)){0,4000}(?:[ \t]+"[^"\n]*")?\)|<[^<>\s]+>|(?:https?:\/\/|www\.)[^\s<>]+/giu;

/** Markdown links, bare and bracketed addresses, and mentions like `<@42>`: what means nothing when cut. In order. */
export function findLinks(text: string): readonly Span[] {
  const links: Span[] = [];
  if (!/[[<]|:\/\/|www\./i.test(text)) return links;
  for (const found of text.matchAll(unbreakable)) {
    links.push({ start: found.index, end: found.index + found[0].length });
  }
  return links;
}

/** Made when it is first needed: it takes longer than a whole module. */
let segmenter: Intl.Segmenter | undefined;

/** Where the character (grapheme cluster) that stands at a place ends. */
export type CharacterEnd = (at: number) => number;

/** Finds the ends of characters as people see them: an emoji family or a letter with its accents is one. */
export function characterEnds(text: string): CharacterEnd {
  let segments: Intl.Segments | undefined;
  return (at) => {
    if (isPlain(text.charCodeAt(at)) && (at + 1 >= text.length || isPlain(text.charCodeAt(at + 1)))) return at + 1;
    segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
    segments ??= segmenter.segment(text);
    const segment = segments.containing(at);
    return segment ? segment.index + segment.segment.length : at + 1;
  };
}

/** Printable ASCII: two of them in a row are always two characters. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit < 0x7f;
}

/** How good a place is to end a piece, best first. */
export type SeamKind = "paragraph" | "line" | "sentence" | "code-line" | "word" | "character";

const sentenceEnd = /[.!?…。！？｡؟۔।॥։።][)\]}"'’”»」』）】]*$/u;
const wideSentenceEnd = /[。！？｡][)\]}"'’”»」』）】]*$/u;
const wideClauseEnd = /[，、；：]$/u;
const afterWideEnd = /[)\]}"'’”»」』）】。！？｡，、；：]/u;

/** The kind of seam there is after `end`, outside code, where `next` is the end of the white space that follows it. */
export function seamAfter(text: string, end: number, next: number): SeamKind {
  const gap = text.slice(end, next);
  const firstBreak = gap.indexOf("\n");
  if (firstBreak !== -1) return gap.indexOf("\n", firstBreak + 1) === -1 ? "line" : "paragraph";
  const before = text.slice(Math.max(0, end - 8), end);
  if (gap !== "") return sentenceEnd.test(before) ? "sentence" : "word";
  if (afterWideEnd.test(text.charAt(end))) return "character";
  if (wideSentenceEnd.test(before)) return "sentence";
  return wideClauseEnd.test(before) ? "word" : "character";
}
