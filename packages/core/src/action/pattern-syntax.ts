import type { PatternNode, UnitTest } from "./pattern-program.ts";

/** A parsed pattern, or what in it cannot be used. */
export type ParsedPattern =
  | { readonly ok: true; readonly node: PatternNode }
  | { readonly ok: false; readonly reason: string };

/** Where the parser is. `refused` is the first thing met that needs backtracking. */
type Cursor = { readonly source: string; readonly isUnicode: boolean; index: number; refused: string | null };

/** Takes a regular expression apart that the language itself accepts, with the `u` flag when `isUnicode`. */
export function parsePattern(source: string, isUnicode: boolean): ParsedPattern {
  const cursor: Cursor = { source, isUnicode, index: 0, refused: null };
  const node = parseChoice(cursor);
  return cursor.refused === null ? { ok: true, node } : { ok: false, reason: cursor.refused };
}

function parseChoice(cursor: Cursor): PatternNode {
  const nodes = [parseSequence(cursor)];
  while (take(cursor, "|")) nodes.push(parseSequence(cursor));
  const [only] = nodes;
  return only && nodes.length === 1 ? only : { type: "choice", nodes };
}

function parseSequence(cursor: Cursor): PatternNode {
  const nodes: PatternNode[] = [];
  while (cursor.index < cursor.source.length && !/^[|)]/.test(cursor.source.charAt(cursor.index))) {
    nodes.push(parseRepeat(cursor, parseTerm(cursor)));
    if (cursor.refused !== null) cursor.index = cursor.source.length;
  }
  return { type: "sequence", nodes };
}

function parseRepeat(cursor: Cursor, node: PatternNode): PatternNode {
  const quantifier = match(cursor, /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y);
  if (!quantifier) return node;
  const [text, from, comma, to] = quantifier;
  if (from === undefined) {
    return { type: "repeat", node, min: text.startsWith("+") ? 1 : 0, max: text.startsWith("?") ? 1 : null };
  }
  const min = Number(from);
  if (comma === undefined) return { type: "repeat", node, min, max: min };
  return { type: "repeat", node, min, max: to ? Number(to) : null };
}

function parseTerm(cursor: Cursor): PatternNode {
  const { source } = cursor;
  if (take(cursor, "^")) return { type: "assert", assertion: "start" };
  if (take(cursor, "$")) return { type: "assert", assertion: "end" };
  if (take(cursor, "\\b")) return { type: "assert", assertion: "word-edge" };
  if (take(cursor, "\\B")) return { type: "assert", assertion: "no-word-edge" };
  switch (source.charAt(cursor.index)) {
    case "(":
      return parseGroup(cursor);
    case "[":
      return unit(cursor, match(cursor, /\[(?:\\[^]|[^\]\\])*\]/y)?.[0] ?? "[");
    case "\\":
      return parseEscape(cursor);
    case ".":
      cursor.index += 1;
      return unit(cursor, ".");
    default:
      return literal(cursor);
  }
}

function parseGroup(cursor: Cursor): PatternNode {
  const opening = match(cursor, /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y);
  if (!opening) return refuse(cursor, "look-around and inline flags, as in (?=…), are not taken; say it without them");
  const node = parseChoice(cursor);
  take(cursor, ")");
  return node;
}

const unicodeEscape = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[^}]*\}|[pP]\{[^}]*\})/y;
const plainEscape = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|0(?!\d)|c[A-Za-z]|[^0-9ck])/y;

function parseEscape(cursor: Cursor): PatternNode {
  const escape = (cursor.isUnicode ? match(cursor, unicodeEscape) : null) ?? match(cursor, plainEscape);
  if (!escape) return refuse(cursor, "back-references, as in \\1 or \\k<name>, are not taken; say it without them");
  return unit(cursor, escape[0]);
}

function literal(cursor: Cursor): PatternNode {
  const { source, index } = cursor;
  const wanted = cursor.isUnicode ? String.fromCodePoint(source.codePointAt(index) ?? 0) : source.charAt(index);
  cursor.index += wanted.length;
  return { type: "unit", test: (given) => given === wanted };
}

/** A class, an escape or a dot: the language itself is asked what belongs to it, one character at a time. */
function unit({ isUnicode }: Cursor, source: string): PatternNode {
  const expression = new RegExp(`^(?:${source})$`, isUnicode ? "u" : "");
  return { type: "unit", test: remembered((given) => expression.test(given)) };
}

/** Asks about each ASCII character once. */
function remembered(test: UnitTest): UnitTest {
  const known: (boolean | undefined)[] = [];
  return (given) => {
    const code = given.charCodeAt(0);
    if (code > 127) return test(given);
    known[code] ??= test(given);
    return known[code] === true;
  };
}

function refuse(cursor: Cursor, reason: string): PatternNode {
  cursor.refused ??= reason;
  cursor.index = cursor.source.length;
  return { type: "sequence", nodes: [] };
}

function take(cursor: Cursor, text: string): boolean {
  if (!cursor.source.startsWith(text, cursor.index)) return false;
  cursor.index += text.length;
  return true;
}

/** What a sticky expression finds at the cursor, moved behind it. */
function match(cursor: Cursor, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = cursor.index;
  const found = sticky.exec(cursor.source);
  if (found) cursor.index += found[0].length;
  return found;
}
