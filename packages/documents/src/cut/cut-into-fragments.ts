import { hash } from "node:crypto";
import { ValidationError } from "@troupe/core/errors";
import type { BlockPlace, Range, ReadDocument } from "../document.ts";
import { type Frame, type Piece, toPieces } from "./pieces.ts";
import { splitSentences } from "./split-text.ts";
import { quarterTokens } from "./tokens.ts";

/** How large fragments are, in estimated tokens: four letters of an alphabet or one sign of a script like Chinese are one. */
export type CutOptions = {
  /** Fragments grow up to this. Default 320. */
  readonly targetTokens?: number;
  /** No fragment is above this; what belongs together may take it. Default 1.5 × target; at least 16. */
  readonly maxTokens?: number;
  /** How much of a section's last sentences the next fragment of the section begins with, at most half of the target. Default 0. */
  readonly overlapTokens?: number;
};

/** A part of a document, as it is embedded, found and cited. */
export type Fragment = {
  /** From 0, in reading order. */
  readonly index: number;
  readonly text: string;
  /** The headings all of it stands under (what precedes the first heading does not count), the page it begins on, the lines and rows it takes. */
  readonly place: BlockPlace;
  /** SHA-256 of the text, hexadecimal: equal texts have equal hashes. */
  readonly hash: string;
};

type Sizes = { readonly target: number; readonly max: number; readonly overlap: number };

/**
 * Cuts a document by its structure: sections stay together as far as they fit; a fragment never begins within a sentence, a table's
 * row or a grapheme, a heading never ends one, code keeps its fence and a table's part its header. The same document and options
 * always give the same fragments.
 * @throws ValidationError when the sizes contradict each other
 */
export function cutIntoFragments(
  document: Pick<ReadDocument, "blocks">,
  options: CutOptions = {},
): readonly Fragment[] {
  const sizes = toSizes(options);
  const frames = new Map<string, Frame>();
  const texts: { readonly text: string; readonly place: BlockPlace }[] = [];
  const put = (pieces: readonly Piece[]) => {
    const text = render(pieces);
    if (text !== "") texts.push({ text, place: placeOf(pieces) });
  };
  let open: readonly Piece[] = [];
  let size = 0;
  for (const block of document.blocks) {
    for (const piece of toPieces(block, sizes.max, frames)) {
      if (open.length > 0 && isFull(open, size, piece, sizes)) {
        open = startNext(open, piece, { sizes, put });
        size = sizeOf(open);
      }
      size += costOf(open.at(-1), piece);
      open = append(open, piece);
    }
  }
  put(open);
  return texts.map(({ text, place }, index) => ({ index, text, place, hash: hash("sha256", text) }));
}

/** Arrays are grown in place: `open` belongs to the loop alone. */
function append(open: readonly Piece[], piece: Piece): readonly Piece[] {
  const pieces = open as Piece[];
  pieces.push(piece);
  return pieces;
}

function toSizes({
  targetTokens = 320,
  maxTokens = Math.max(16, Math.round(targetTokens * 1.5)),
  overlapTokens = 0,
}: CutOptions): Sizes {
  if (!(maxTokens >= 16)) throw new ValidationError(`maxTokens is ${maxTokens}: let fragments have 16 tokens or more`);
  if (!(targetTokens > 0 && targetTokens <= maxTokens)) {
    throw new ValidationError(
      `targetTokens is ${targetTokens}: let it be above 0 and at most maxTokens (${maxTokens})`,
    );
  }
  if (!(overlapTokens >= 0 && overlapTokens <= targetTokens / 2)) {
    throw new ValidationError(
      `overlapTokens is ${overlapTokens}: let it be from 0 to half of targetTokens (${targetTokens / 2})`,
    );
  }
  return { target: targetTokens * 4, max: maxTokens * 4, overlap: overlapTokens * 4 };
}

/** True when the piece begins a new fragment. */
function isFull(open: readonly Piece[], size: number, piece: Piece, { target, max }: Sizes): boolean {
  const next = size + costOf(open.at(-1), piece);
  if (next > max) return true;
  if (open.every(isHeading)) return false;
  if (isHeading(piece) && size >= target / 4) return true;
  if (piece.block.page !== open[0]?.block.page && size >= target / 2) return true;
  return next > target && size >= target / 4;
}

type Starting = { readonly sizes: Sizes; readonly put: (pieces: readonly Piece[]) => void };

/** Puts out the open fragment and returns what the next one begins with: headings that would have ended it, or the overlap. */
function startNext(open: readonly Piece[], piece: Piece, { sizes, put }: Starting): Piece[] {
  const last = open.findLastIndex((each) => !isHeading(each));
  const body = open.slice(0, last + 1);
  const headings = open.slice(last + 1);
  const fits = (pieces: readonly Piece[]) => sizeOf(pieces) + costOf(pieces.at(-1), piece) <= sizes.max;
  if (headings.length > 0 && body.length > 0 && fits(headings)) {
    put(body);
    return headings;
  }
  put(open);
  const overlap = overlapOf(open, piece, sizes);
  return fits(overlap) ? overlap : [];
}

/** The last sentences of running text, when the piece goes on under the same headings. */
function overlapOf(open: readonly Piece[], piece: Piece, { overlap }: Sizes): Piece[] {
  const repeated: Piece[] = [];
  let left = overlap;
  for (const previous of open.toReversed()) {
    if (left <= 0 || !isProse(previous) || !isProse(piece) || previous.block.headings !== piece.block.headings) break;
    const sentences = splitSentences(previous.text);
    let from = sentences.length;
    while (from > 0 && quarterTokens(sentences[from - 1] ?? "") <= left) left -= quarterTokens(sentences[--from] ?? "");
    if (from < sentences.length) repeated.unshift({ ...previous, text: sentences.slice(from).join("") });
    if (from > 0) break;
  }
  return repeated;
}

function isProse({ block }: Piece): boolean {
  return block.kind === "paragraph";
}

function isHeading({ block }: Piece): boolean {
  return block.kind === "heading";
}

/** Quarter tokens that a piece adds behind another, with the frame it opens and closes. */
function costOf(previous: Piece | undefined, piece: Piece): number {
  const text = quarterTokens(piece.text) + (previous === undefined ? 0 : quarterTokens(piece.glue));
  const frame = piece.frame;
  return frame === undefined || frame === previous?.frame
    ? text
    : text + quarterTokens(frame.before) + quarterTokens(frame.after);
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece, at) => sum + costOf(pieces[at - 1], piece), 0);
}

function render(pieces: readonly Piece[]): string {
  const parts: string[] = [];
  pieces.forEach((piece, at) => {
    const previous = pieces[at - 1];
    const isFramed = piece.frame === previous?.frame;
    if (!isFramed) parts.push(previous?.frame?.after ?? "");
    if (previous !== undefined) parts.push(piece.glue);
    if (!isFramed) parts.push(piece.frame?.before ?? "");
    parts.push(piece.text);
  });
  parts.push(pieces.at(-1)?.frame?.after ?? "");
  return parts.join("").replace(/^\n+/u, "").trimEnd();
}

function placeOf(pieces: readonly Piece[]): BlockPlace {
  const page = pieces[0]?.block.page;
  const lines = spanOf(pieces.map((piece) => piece.lines));
  const rows = spanOf(pieces.map((piece) => piece.block.rows));
  return {
    headings: commonHeadings(pieces),
    ...(page === undefined ? {} : { page }),
    ...(lines === undefined ? {} : { lines }),
    ...(rows === undefined ? {} : { rows }),
  };
}

function commonHeadings(pieces: readonly Piece[]): readonly string[] {
  let common: readonly string[] = [];
  for (const { headings } of pieces.map(({ block }) => block)) {
    if (headings === common || headings.length === 0) continue;
    const end = common.findIndex((heading, at) => headings[at] !== heading);
    if (common.length === 0) common = headings;
    else if (end === 0) return [];
    else if (end > 0) common = common.slice(0, end);
  }
  return common;
}

function spanOf(ranges: readonly (Range | undefined)[]): Range | undefined {
  let span: Range | undefined;
  for (const range of ranges) {
    if (range === undefined) continue;
    span = span === undefined ? range : { from: Math.min(span.from, range.from), to: Math.max(span.to, range.to) };
  }
  return span;
}
