import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { DocumentError } from "../errors.ts";
import { joinCells, looksLikeHeader } from "./cells.ts";
import { decodeText } from "./decode-text.ts";

const noRows: Parsed = { rows: [], hasHeader: false };

/** A longer record means that a quote was opened and never closed. */
const recordCharacters = 1_000_000;

/** A record as one line, and the line of the document it ends on. */
type Row = { readonly text: string; readonly endLine: number };

/** All records; `names` is the first when it reads like names of columns. */
type Parsed = { readonly rows: readonly Row[]; readonly hasHeader: boolean };

/** Reads tables of separated values; the separator is found out unless it is a tab by name. */
export function readCsv(input: ReaderInput): Promise<ReaderResult> {
  return readSeparated(input, undefined);
}

/** Reads tables separated by tabs. */
export function readTsv(input: ReaderInput): Promise<ReaderResult> {
  return readSeparated(input, "\t");
}

async function readSeparated(input: ReaderInput, separator: string | undefined): Promise<ReaderResult> {
  const { text, encoding, warnings } = await decodeText(input.bytes, input.charset, input.label);
  const list = createBlockList(input.limits, input.label);
  const delimiter = separator ?? findSeparator(text);
  const strict = await parse(text, { delimiter, label: input.label });
  // An unclosed quote swallows what follows it: then quotes are ordinary characters.
  const { rows, hasHeader } = strict ?? (await parse(text, { delimiter, label: input.label, quote: false })) ?? noRows;
  const header = hasHeader && rows.length > 1 ? rows[0]?.text : undefined;
  let line = 1;
  rows.forEach((row, at) => {
    const place = { rows: { from: at + 1, to: at + 1 }, lines: { from: line, to: Math.max(line, row.endLine) } };
    line = row.endLine + 1;
    if (at > 0 || header === undefined)
      list.add("row", row.text, { ...place, ...(header === undefined ? {} : { header }) });
  });
  const repaired = strict === undefined ? ["a quote is never closed; quotes were read as ordinary characters"] : [];
  return { blocks: list.blocks, encoding, warnings: [...warnings, ...repaired] };
}

type ParseOptions = { readonly delimiter: string; readonly label: string; readonly quote?: false };

/** Undefined when the quotes do not add up. */
async function parse(text: string, options: ParseOptions): Promise<Parsed | undefined> {
  const { CsvError, parse: parseCsv } = await import("csv-parse/sync");
  const rows: Row[] = [];
  let hasHeader = false;
  try {
    parseCsv(text, {
      delimiter: options.delimiter,
      max_record_size: recordCharacters,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      quote: options.quote === false ? null : '"',
      // Nothing of the library's own records is kept: they take many times the text.
      on_record: (record: readonly string[], { lines }) => {
        if (rows.length === 0) hasHeader = looksLikeHeader(record);
        rows.push({ text: joinCells(record), endLine: lines });
        return null;
      },
    });
    return { rows, hasHeader };
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    if (options.quote !== false) return undefined;
    throw new DocumentError("damaged", `${options.label} is no table that can be read: save it again as CSV in UTF-8`, {
      cause,
    });
  }
}

/** The separator that stands equally often in most of the first lines. */
function findSeparator(text: string): string {
  const lines = text
    .slice(0, 50_000)
    .split("\n", 20)
    .filter((line) => line.trim() !== "");
  const score = (separator: string) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/gu, "").split(separator).length - 1);
    const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
    return usual === 0 ? 0 : counts.filter((count) => count === usual).length * 1_000 + usual;
  };
  return [",", ";", "\t", "|"].reduce((best, each) => (score(each) > score(best) ? each : best));
}
