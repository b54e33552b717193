import type { TextLimits } from "../client/client.ts";
import { ValidationError } from "../errors.ts";
import {
  type CharacterEnd,
  characterEnds,
  type Fence,
  findFences,
  findLinks,
  type SeamKind,
  type Span,
  seamAfter,
} from "./text-structure.ts";

/** A platform's limits. What `measure` says of parts must add up to what the platform says of the whole. */
export type SplitLimits = TextLimits;

/** How the pieces look. */
export type SplitOptions = {
  /** Begins every piece with its number, "2/5 ", when there is more than one. */
  readonly isNumbered?: boolean;
};

/**
 * Splits a text for a platform where it reads best: between paragraphs, else lines, sentences, words, characters. A code
 * block is closed and opened again, with its language, in the next piece; links, addresses and emoji stay whole as long as
 * one piece can hold them. White space at the seams is left out.
 *
 * Returns 0..n pieces, none blank, each within the limits and well-formed; the text itself when it fits. `weighted` without a
 * `measure` counts like X: two for what is not European writing, 23 at least for an address. Linear in the text's length.
 * @throws ValidationError when not even one character fits.
 */
export function splitText(text: string, limits: SplitLimits, options: SplitOptions = {}): readonly string[] {
  const whole = text.toWellFormed();
  if (whole.trim() === "") return [];
  if (fits(whole, limits)) return [whole];
  if (options.isNumbered !== true) return cut(whole, limits);
  for (let digits = 1; ; digits += 1) {
    const room = "9".repeat(digits);
    const pieces = cut(whole, { ...limits, textLength: limits.textLength - lengthIn(limits)(`${room}/${room} `) });
    if (String(pieces.length).length <= digits)
      return pieces.map((piece, index) => number(piece, index, pieces.length));
  }
}

/** A piece that begins with a code fence has its number on a line of its own, else the fence would be none. */
function number(piece: string, index: number, count: number): string {
  return `${index + 1}/${count}${/^ {0,3}(`{3}|~{3})/.test(piece) ? "\n" : " "}${piece}`;
}

function fits(text: string, limits: SplitLimits): boolean {
  if (limits.unit === "utf16" && !limits.measure) return text.length <= limits.textLength;
  if (limits.unit === "codepoints" && !limits.measure && text.length <= limits.textLength) return true;
  const units = createUnits(text, limits);
  let used = 0;
  for (let at = 0; at < text.length && used <= limits.textLength; ) {
    const end = units.endOf(at);
    used += units.length(text.slice(at, end));
    at = end;
  }
  return used <= limits.textLength;
}

/** How long a link or a few characters are in a platform's unit. */
function lengthIn(limits: SplitLimits): (text: string) => number {
  if (limits.measure) return limits.measure;
  switch (limits.unit) {
    case "utf16":
      return (text) => text.length;
    case "codepoints":
      return countCodePoints;
    case "weighted":
      return weigh;
  }
}

function countCodePoints(text: string): number {
  if (text.length === 1) return 1;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Where X counts one: Latin, Greek, Cyrillic, Hebrew, Arabic, most of South Asia, and common punctuation. */
const light = /[\u{0}-\u{10ff}\u{2000}-\u{200d}\u{2010}-\u{201f}\u{2032}-\u{2037}]/u;

function weigh(text: string): number {
  let sum = 0;
  for (const character of text) sum += light.test(character) ? 1 : 2;
  return /:\/\/|^www\./i.test(text) ? Math.max(23, sum) : sum;
}

/** A text as what must not be cut: links, else characters. */
type Units = {
  /** Where the unit that begins at a place ends. Places are asked in any order, mostly forwards. */
  endOf(at: number): number;
  /** From now on the unit at this place is cut into smaller ones. */
  breakUp(at: number, end: number): void;
  length(text: string): number;
};

function createUnits(text: string, limits: SplitLimits): Units {
  const linkEnds = new Map((limits.findLinks ?? findLinks)(text).map((link) => [link.start, link.end]));
  const characterEnd: CharacterEnd = characterEnds(text);
  let shattered: Span = { start: 0, end: 0 };
  return {
    endOf(at) {
      if (at >= shattered.start && at < shattered.end) return at + codePointLength(text, at);
      return linkEnds.get(at) ?? characterEnd(at);
    },
    breakUp(at, end) {
      if (!linkEnds.delete(at)) shattered = { start: at, end };
    },
    length: lengthIn(limits),
  };
}

/** A code block that can be closed and opened again: both together take at most half a piece. */
type Block = Fence & { readonly openingLength: number; readonly closingLength: number };

/** A place where a piece may end, and where the next one begins. `block` is to be closed and opened again there. */
type Seam = { readonly end: number; readonly next: number; readonly block?: Block };

/** The last seam of each kind; `late` ones leave the piece at least half full. */
type Seams = { readonly late: Map<SeamKind, Seam>; readonly early: Map<SeamKind, Seam> };

/** What a cut works on. */
type Job = { readonly text: string; readonly limit: number; readonly units: Units; readonly blocks: readonly Block[] };

/** Where a piece begins. `reopened` is the block it continues; `blockIndex` the first block that does not lie before it. */
type Place = { readonly from: number; readonly blockIndex: number; readonly reopened?: Block };

function cut(text: string, limits: SplitLimits): readonly string[] {
  const units = createUnits(text, limits);
  const limit = limits.textLength;
  const job: Job = { text, limit, units, blocks: findBlocks(text, limit, units) };
  const pieces: string[] = [];
  let place: Place = { from: skipBlank(job, 0), blockIndex: 0 };
  while (place.from < text.length) {
    const seam = nextSeam(job, place);
    const body = text.slice(place.from, seam.end).trimEnd();
    if (body.trim() !== "") pieces.push((place.reopened?.opening ?? "") + body + (seam.block?.closing ?? ""));
    place = follow(job, place, seam);
  }
  return pieces;
}

function findBlocks(text: string, limit: number, units: Units): readonly Block[] {
  const lengthOf = (part: string): number => {
    let sum = 0;
    for (const character of part) sum += units.length(character);
    return sum;
  };
  return findFences(text)
    .map((fence) => ({
      ...fence,
      openingLength: Math.max(lengthOf(fence.opening), lengthOf(text.slice(fence.start, fence.contentStart))),
      closingLength: Math.max(
        lengthOf(fence.closing),
        lengthOf(text.slice(Math.max(0, fence.contentEnd - 1), fence.end)),
      ),
    }))
    .filter((block) => block.openingLength + block.closingLength <= limit / 2);
}

function follow(job: Job, place: Place, seam: Seam): Place {
  const from = seam.block ? seam.next : skipBlank(job, seam.next);
  const blockIndex = blockFrom(job, place.blockIndex, from + 1);
  return { from, blockIndex, ...(seam.block ? { reopened: seam.block } : {}) };
}

/** The first block, from `index` on, that does not end before a place. */
function blockFrom(job: Job, index: number, at: number): number {
  let found = index;
  while ((job.blocks[found]?.end ?? Number.POSITIVE_INFINITY) < at) found += 1;
  return found;
}

/** Past blank lines; the indentation of the line they lead to stays, unless it would take much of a piece. */
function skipBlank(job: Job, from: number): number {
  const end = gapEnd(job, from);
  const newline = job.text.slice(from, end).lastIndexOf("\n");
  const isLineStart = newline !== -1 || from === 0;
  const lineStart = from + newline + 1;
  return isLineStart && end < job.text.length && end - lineStart <= job.limit / 4 ? lineStart : end;
}

/** Where the white space that begins here ends. */
function gapEnd(job: Job, from: number): number {
  let at = from;
  while (at < job.text.length && isWhite(job.text.charCodeAt(at))) {
    const end = job.units.endOf(at);
    if (!isWhite(job.text.charCodeAt(end - 1))) break;
    at = end;
  }
  return at;
}

/** White space where a line may be broken: not the no-break spaces. */
function isWhite(unit: number): boolean {
  if (unit < 0x1680) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit >= 0x2000 && unit <= 0x200a) return unit !== 0x2007;
  return unit === 0x3000 || unit === 0x1680 || unit === 0x2028 || unit === 0x2029 || unit === 0x205f;
}

/** Walks on as far as a piece can reach, then returns its best end. */
function nextSeam(job: Job, place: Place): Seam {
  const { text, limit, units } = job;
  const seams: Seams = { late: new Map(), early: new Map() };
  let used = place.reopened?.openingLength ?? 0;
  let blockIndex = place.blockIndex;
  for (let at = place.from; at < text.length; ) {
    blockIndex = blockFrom(job, blockIndex, at);
    const block = job.blocks[blockIndex];
    const found = at === place.from ? null : seamAt(job, at, { block, used });
    if (found) (used >= limit / 2 ? seams.late : seams.early).set(found.kind, found.seam);
    const end = units.endOf(at);
    const length = units.length(text.slice(at, end));
    const reserve = hasSeam(seams) || end - at === codePointLength(text, at) ? 0 : closingAhead(block, at);
    if (used + length + reserve <= limit) {
      used += length;
      at = end;
      continue;
    }
    const best = bestSeam(seams) ?? afterIndentation(text, place.from, at);
    if (best) return best;
    if (end - at === codePointLength(text, at)) throw tooSmall(limit);
    units.breakUp(at, end);
  }
  return { end: text.length, next: text.length };
}

/** What must stay free behind the unit at a place, so that a code block could be closed there. */
function closingAhead(block: Block | undefined, at: number): number {
  return block && at >= block.contentStart && at < block.contentEnd ? block.closingLength : 0;
}

function hasSeam({ late, early }: Seams): boolean {
  return late.size + early.size > 0;
}

/** What does not fit after white space may fit without it. */
function afterIndentation(text: string, from: number, at: number): Seam | undefined {
  return at > from && text.slice(from, at).trim() === "" ? { end: from, next: at } : undefined;
}

const seamOrder: readonly SeamKind[] = ["paragraph", "line", "sentence", "code-line", "word"];

function bestSeam({ late, early }: Seams): Seam | undefined {
  for (const kind of seamOrder) if (late.has(kind)) return late.get(kind);
  for (const kind of seamOrder) if (early.has(kind)) return early.get(kind);
  return late.get("character") ?? early.get("character");
}

/** The seam right before a unit, if a piece may end there; `used` is how long the piece would be, `block` the next code block. */
function seamAt(
  job: Job,
  at: number,
  where: { readonly block: Block | undefined; readonly used: number },
): { readonly kind: SeamKind; readonly seam: Seam } | null {
  const { block, used } = where;
  if (block && at > block.start && at < block.end) {
    return used + block.closingLength > job.limit ? null : seamInCode(job.text, at, block);
  }
  if (isWhite(job.text.charCodeAt(at - 1))) return null;
  const next = gapEnd(job, at);
  const touchesBlock = block !== undefined && (block.end === at || (block.start > at && block.start <= next));
  return { kind: touchesBlock ? "paragraph" : seamAfter(job.text, at, next), seam: { end: at, next: at } };
}

function seamInCode(text: string, at: number, block: Block): { readonly kind: SeamKind; readonly seam: Seam } | null {
  if (at <= block.contentStart || at >= block.contentEnd) return null;
  if (text[at - 1] === "\n") return { kind: "code-line", seam: { end: at, next: at, block } };
  const newline = /^\r?\n/.exec(text.slice(at, at + 2))?.[0];
  if (newline === undefined) {
    return { kind: isWhite(text.charCodeAt(at)) ? "word" : "character", seam: { end: at, next: at, block } };
  }
  const next = at + newline.length;
  return next >= block.contentEnd ? null : { kind: "code-line", seam: { end: at, next, block } };
}

function codePointLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function tooSmall(limit: number): ValidationError {
  return new ValidationError(
    `A text cannot be split into pieces of ${limit}: not even one character fits; raise textLength.`,
  );
}
