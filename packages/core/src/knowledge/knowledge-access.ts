import type { JsonObject } from "../json.ts";

/** What tells an edited file from an unchanged one without reading it. */
export type FileStamp = { readonly sizeBytes: number; readonly modifiedAtMs: number };

/** From one number to another, both included, counted from 1. */
type Span = { readonly from: number; readonly to: number };

/** Where a fragment stands in its document. */
export type FragmentPlace = {
  /** Outermost first. */
  readonly headings: readonly string[];
  readonly page?: number;
  readonly lines?: Span;
  readonly rows?: Span;
};

/** A document that was read and cut into fragments, in reading order. */
export type ReadKnowledge = {
  readonly title?: string;
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** Of all that was read: equal documents have equal hashes. */
  readonly hash: string;
  readonly fragments: readonly { readonly text: string; readonly place: FragmentPlace }[];
  /** What was lost on the way, one sentence each. */
  readonly warnings: readonly string[];
};

/** A file below a directory; `path` is the way to it with `/`, the same on every machine. */
export type ListedFile = FileStamp & { readonly path: string; readonly absolutePath: string };

/** The files of a directory, and what was passed over with the end of a sentence that says why. */
export type FileList = {
  readonly files: readonly ListedFile[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
};

/** What is known of a page from the last time it was asked for. */
export type PageMarks = { readonly etag?: string; readonly lastModified?: string };

/** A page as it is now. */
export type ReadPage =
  | { readonly type: "unchanged" }
  | ({ readonly type: "read"; readonly knowledge: ReadKnowledge } & PageMarks);

/**
 * The world outside, as far as knowledge comes from it: the engine itself touches no file and no network. Whatever cannot be
 * had is a TroupeError whose message names it and the remedy; `unavailable` and `timeout` mean that later it may be had.
 */
export interface KnowledgeAccess {
  /** Null when there is no such file. */
  stamp(path: string): Promise<FileStamp | null>;
  list(directory: string, signal: AbortSignal): Promise<FileList>;
  readFile(path: string, signal: AbortSignal): Promise<ReadKnowledge>;
  readPage(url: string, marks: PageMarks, signal: AbortSignal): Promise<ReadPage>;
  readText(text: string, signal: AbortSignal): Promise<ReadKnowledge>;
}

/** A place as it is kept with a fragment. */
export function placeToJson({ headings, page, lines, rows }: FragmentPlace): JsonObject {
  return {
    headings,
    ...(page !== undefined && { page }),
    ...(lines && { lines }),
    ...(rows && { rows }),
  };
}

/** `Holidays, p. 3`: a place in the words of a citation; empty when nothing is known of it. */
export function describePlace({ headings, page, lines, rows }: FragmentPlace): string {
  const span = ({ from, to }: Span): string => (from === to ? `${from}` : `${from}–${to}`);
  const parts = [
    headings.join(" › "),
    page !== undefined ? `p. ${page}` : "",
    rows ? `rows ${span(rows)}` : "",
    lines && !rows && page === undefined ? `lines ${span(lines)}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
