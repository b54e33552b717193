import type { Block, Range } from "../document.ts";
import { isBlank } from "../format/lines.ts";
import { splitText } from "./split-text.ts";
import { quarterTokens } from "./tokens.ts";

/** What a fragment repeats around the pieces of one table or fence: a header, or the fence's lines. */
export type Frame = { readonly before: string; readonly after: string };

/** The least that is never cut again. */
export type Piece = {
  readonly text: string;
  /** Put in front unless the piece begins a fragment. */
  readonly glue: string;
  readonly block: Block;
  readonly lines?: Range;
  /** The same object for all pieces it belongs around. */
  readonly frame?: Frame;
};

/** Cuts a block into pieces, none above `limit` quarter tokens with its frame. A block below it is one piece. */
export function toPieces(block: Block, limit: number, frames: Map<string, Frame>): readonly Piece[] {
  const whole: Piece = { text: block.text, glue: "\n\n", block, ...(block.lines && { lines: block.lines }) };
  if (block.kind !== "row" && quarterTokens(block.text) <= limit) return [whole];
  switch (block.kind) {
    case "row":
      return rowPieces(block, limit, frames);
    case "table":
      return tablePieces(block, limit);
    case "code":
      return codePieces(block, limit);
    case "list":
      return linePieces(block, groupItems(block.text.split("\n")), { limit, line: 0 });
    case "heading":
    case "paragraph":
      return textPieces(block, block.text, { limit, line: 0, glue: "\n\n" });
  }
}

/** Rows under the same header share its frame, so that a fragment shows it once. */
function rowPieces(block: Block, limit: number, frames: Map<string, Frame>): readonly Piece[] {
  const header = block.header;
  const fits = header !== undefined && quarterTokens(header) + 4 <= limit / 2;
  const frame = fits ? (frames.get(header) ?? { before: `${header}\n`, after: "" }) : undefined;
  const pieces: Piece[] = [];
  if (frame !== undefined) frames.set(header ?? "", frame);
  else if (header !== undefined && !frames.has(header)) {
    // Too long to be repeated: it stands once, in front of the first row.
    frames.set(header, { before: "", after: "" });
    pieces.push(
      ...textPieces({ ...block, lines: { from: 1, to: 1 }, rows: { from: 1, to: 1 } }, header, {
        limit,
        line: 0,
        glue: "\n",
      }),
    );
  }
  return [
    ...pieces,
    ...linePieces(block, [block.text], { limit: limit - frameSize(frame), line: 0, ...(frame && { frame }) }),
  ];
}

function tablePieces(block: Block, limit: number): readonly Piece[] {
  const header = block.header ?? "";
  const fits = header !== "" && block.text.startsWith(`${header}\n`) && quarterTokens(header) + 4 <= limit / 2;
  if (!fits) return linePieces(block, block.text.split("\n"), { limit, line: 0 });
  const frame = { before: `${header}\n`, after: "" };
  const rows = block.text.slice(header.length + 1).split("\n");
  return linePieces(block, rows, { limit: limit - frameSize(frame), line: header.split("\n").length, frame });
}

/** Code is cut between top-level blocks, else between lines; a fence is opened and closed in every fragment. */
function codePieces(block: Block, limit: number): readonly Piece[] {
  const lines = block.text.split("\n");
  const fence = /^ {0,3}(`{3,}|~{3,})/u.exec(lines[0] ?? "")?.[1];
  const frame = fence === undefined ? undefined : { before: `${lines[0]}\n`, after: `\n${fence}` };
  if (frame === undefined || frameSize(frame) > limit / 2)
    return linePieces(block, groupCode(lines), { limit, line: 0 });
  return linePieces(block, groupCode(lines.slice(1, -1)), { limit: limit - frameSize(frame), line: 1, frame });
}

/** Tokens a frame takes, one more for the line break in front of it. */
function frameSize(frame: Frame | undefined): number {
  return frame === undefined ? 0 : quarterTokens(frame.before) + quarterTokens(frame.after);
}

type Cutting = { readonly limit: number; readonly line: number; readonly frame?: Frame };

/** Pieces from groups of whole lines: a group that is too long is cut into its lines, a line that is too long into sentences. */
function linePieces(block: Block, groups: readonly string[], { limit, line: first, frame }: Cutting): readonly Piece[] {
  const pieces: Piece[] = [];
  let line = first;
  const framed = frame === undefined ? {} : { frame };
  for (const group of groups) {
    const glue = pieces.length > 0 || block.kind === "row" ? "\n" : "\n\n";
    const height = group.split("\n").length;
    if (quarterTokens(group) <= limit)
      pieces.push({ text: group, glue, block, ...linesWithin(block, line, height), ...framed });
    else if (height > 1)
      pieces.push(
        ...linePieces(block, group.split("\n"), { limit, line, ...framed }).map((piece, at) => ({
          ...piece,
          glue: at === 0 ? glue : piece.glue,
        })),
      );
    else pieces.push(...textPieces(block, group, { limit, line, glue }).map((piece) => ({ ...piece, ...framed })));
    line += height;
  }
  return pieces;
}

function textPieces(
  block: Block,
  text: string,
  { limit, line: first, glue }: Cutting & { readonly glue: string },
): readonly Piece[] {
  let line = first;
  return splitText(text, limit).map((sentence, at) => {
    const height = sentence.trimEnd().split("\n").length;
    const piece: Piece = { text: sentence, glue: at === 0 ? glue : "", block, ...linesWithin(block, line, height) };
    line += sentence.split("\n").length - 1;
    return piece;
  });
}

function linesWithin({ kind, lines }: Block, offset: number, height: number): { readonly lines?: Range } {
  if (lines === undefined) return {};
  // A record may take several lines, and is shown on one.
  if (kind === "row") return { lines };
  const from = Math.min(lines.from + offset, lines.to);
  return { lines: { from, to: Math.min(from + height - 1, lines.to) } };
}

/** A list's items with what belongs to them. */
function groupItems(lines: readonly string[]): readonly string[] {
  const marker = /^(\s*)(?:[-*+•]|\d{1,9}[.)])\s/u;
  const outer = marker.exec(lines[0] ?? "")?.[1]?.length ?? 0;
  return group(lines, (line) => (marker.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY) <= outer);
}

/** Code from one line at the left edge behind a blank one to the next. */
function groupCode(lines: readonly string[]): readonly string[] {
  return group(lines, (line, previous) => isBlank(previous) && /^[^\s)\]}]/u.test(line));
}

function group(
  lines: readonly string[],
  starts: (line: string, previous: string | undefined) => boolean,
): readonly string[] {
  const groups: string[][] = [];
  lines.forEach((line, at) => {
    const last = groups.at(-1);
    if (last === undefined || starts(line, lines[at - 1])) groups.push([line]);
    else last.push(line);
  });
  return groups.map((each) => each.join("\n"));
}
