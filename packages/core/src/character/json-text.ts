/** Where and why a text is not JSON, with what to do; line and column count from 1. */
export type JsonFault = {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly remedy: string;
};

/** A key written twice in one object; only the last one counts. */
export type RepeatedKey = { readonly key: string; readonly line: number; readonly column: number };

type Scan = { readonly text: string; offset: number; readonly repeated: { key: string; offset: number }[] };

class Fault extends Error {
  readonly offset: number;
  readonly remedy: string;
  constructor(offset: number, message: string, remedy: string) {
    super(message);
    this.offset = offset;
    this.remedy = remedy;
  }
}

const DEPTH_LIMIT = 500;
const REPEATED_LIMIT = 100;

/**
 * Reads a text as JSON for its mistakes only: the first fault with its place, and every key that is written twice in
 * one object (which `JSON.parse` passes over in silence).
 */
export function inspectJsonText(text: string): { fault?: JsonFault; repeated: readonly RepeatedKey[] } {
  const scan: Scan = { text, offset: 0, repeated: [] };
  let fault: JsonFault | undefined;
  try {
    scanValue(scan, 0);
    skipSpace(scan);
    if (scan.offset < text.length) {
      const remedy = "Keep one object in the file; look for a closing bracket too many above this place.";
      throw new Fault(scan.offset, `There is more text (${seen(scan)}) after the end of the value`, remedy);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = { ...placeOf(text, error.offset), message: error.message, remedy: error.remedy };
  }
  const repeated = scan.repeated.map(({ key, offset }) => ({ key, ...placeOf(text, offset) }));
  return fault === undefined ? { repeated } : { fault, repeated };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1 };
}

function seen(scan: Scan): string {
  const point = scan.text.codePointAt(scan.offset);
  return point === undefined ? "the end of the file" : JSON.stringify(String.fromCodePoint(point));
}

function skipSpace(scan: Scan): void {
  while (/[ \t\n\r]/.test(scan.text[scan.offset] ?? "")) scan.offset += 1;
  const two = scan.text.slice(scan.offset, scan.offset + 2);
  if (two === "//" || two === "/*") throw new Fault(scan.offset, "JSON has no comments", "Remove the comment.");
}

function scanValue(scan: Scan, depth: number): void {
  if (depth > DEPTH_LIMIT) throw new Fault(scan.offset, "The text is nested too deeply", "Make the structure flatter.");
  skipSpace(scan);
  const first = scan.text[scan.offset];
  if (first === "{") scanObject(scan, depth);
  else if (first === "[") scanList(scan, depth);
  else if (first === '"') scanText(scan);
  else scanWord(scan);
}

function scanObject(scan: Scan, depth: number): void {
  const keys = new Set<string>();
  const opened = scan.offset;
  scan.offset += 1;
  skipSpace(scan);
  if (scan.text[scan.offset] === "}") {
    scan.offset += 1;
    return;
  }
  for (;;) {
    scanKey(scan, keys, opened);
    scanValue(scan, depth + 1);
    if (!hasNext(scan, "}", opened)) return;
  }
}

function scanKey(scan: Scan, keys: Set<string>, opened: number): void {
  skipSpace(scan);
  const start = scan.offset;
  if (start >= scan.text.length) throw unclosed(scan, "}", opened);
  if (scan.text[start] !== '"') {
    const message = `Expected a key in double quotes, found ${seen(scan)}`;
    throw new Fault(start, message, 'Write keys as "name", in straight double quotes.');
  }
  const key = scanText(scan);
  if (keys.has(key) && scan.repeated.length < REPEATED_LIMIT) scan.repeated.push({ key, offset: start });
  keys.add(key);
  skipSpace(scan);
  if (scan.text[scan.offset] !== ":") {
    throw new Fault(scan.offset, `Expected ":" after the key, found ${seen(scan)}`, 'Write a key as "name": value.');
  }
  scan.offset += 1;
}

function scanList(scan: Scan, depth: number): void {
  const opened = scan.offset;
  scan.offset += 1;
  skipSpace(scan);
  if (scan.text[scan.offset] === "]") {
    scan.offset += 1;
    return;
  }
  for (;;) {
    scanValue(scan, depth + 1);
    if (!hasNext(scan, "]", opened)) return;
  }
}

/** After an entry: true past a comma, false past the closing bracket. */
function hasNext(scan: Scan, closing: "}" | "]", opened: number): boolean {
  skipSpace(scan);
  const mark = scan.text[scan.offset];
  if (mark === undefined) throw unclosed(scan, closing, opened);
  if (mark !== "," && mark !== closing) {
    const message = `Expected "," or "${closing}", found ${seen(scan)}`;
    throw new Fault(scan.offset, message, 'Put a comma between entries, and write \\" for a quote inside a text.');
  }
  const comma = scan.offset;
  scan.offset += 1;
  if (mark === closing) return false;
  skipSpace(scan);
  if (scan.text[scan.offset] === closing) {
    throw new Fault(comma, `A comma stands before the closing "${closing}"`, "Remove this comma.");
  }
  return true;
}

function unclosed(scan: Scan, closing: "}" | "]", opened: number): Fault {
  const { line, column } = placeOf(scan.text, opened);
  const message = `The file ends before the bracket from line ${line}, column ${column} is closed`;
  return new Fault(scan.text.length, message, `Add the missing "${closing}", or restore the end of the file.`);
}

function scanText(scan: Scan): string {
  const start = scan.offset;
  for (scan.offset += 1; ; scan.offset += 1) {
    const unit = scan.text[scan.offset];
    if (unit === undefined) throw new Fault(start, "This text is never closed", 'Add the closing ".');
    if (unit === '"') break;
    if (unit < " ") {
      const message = unit === "\n" || unit === "\r" ? "A line break stands inside a text" : "A raw control character";
      throw new Fault(
        scan.offset,
        message,
        "Close the text before it, or write \\n for a line break and \\t for a tab.",
      );
    }
    if (unit === "\\") scanEscape(scan);
  }
  scan.offset += 1;
  return JSON.parse(scan.text.slice(start, scan.offset));
}

function scanEscape(scan: Scan): void {
  const escape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(scan.text.slice(scan.offset, scan.offset + 6));
  if (escape === null) {
    const written = JSON.stringify(scan.text.slice(scan.offset, scan.offset + 2));
    throw new Fault(scan.offset, `${written} is not an escape JSON knows`, "Write \\\\ for a backslash itself.");
  }
  scan.offset += escape[0].length - 1;
}

function scanWord(scan: Scan): void {
  const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  word.lastIndex = scan.offset;
  if (word.test(scan.text)) {
    scan.offset = word.lastIndex;
    return;
  }
  const rest = scan.text.slice(scan.offset, scan.offset + 20);
  if (rest === "") {
    const message = scan.text.trim() === "" ? "The file is empty" : "The file ends where a value should stand";
    throw new Fault(scan.offset, message, 'Write at least { "name": "…" }, or restore the end of the file.');
  }
  throw new Fault(scan.offset, `Expected a value, found ${seen(scan)}`, remedyForWord(rest));
}

function remedyForWord(rest: string): string {
  if (rest.startsWith("'")) return "Use double quotes instead of single ones.";
  if (/^[\u201c\u201d\u201e\u2018\u2019]/.test(rest)) return 'Use straight double quotes (") instead of curly ones.';
  if (rest.startsWith(",")) return "Remove the extra comma.";
  if (/^(?:True|False|None|NaN|-?Infinity|undefined)/.test(rest)) return "Write true, false, null or a number.";
  return "Write a text in double quotes, a number, true, false, null, a list or an object.";
}
