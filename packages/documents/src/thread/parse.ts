import type { ReaderInput, ReaderResult } from "../blocks.ts";
import type { DocumentFormat } from "../document.ts";
import { DocumentError } from "../errors.ts";

/** A document to be read, as plain data that can go to another thread. */
export type ParseRequest = ReaderInput & { readonly format: DocumentFormat };

/** Reads a document with its format's reader, which is loaded now. @throws DocumentError */
export async function parse(request: ParseRequest): Promise<ReaderResult> {
  const reader = await readerOf(request.format);
  try {
    return await reader(request);
  } catch (cause) {
    // Only a stack that overflowed: a document may nest deeper than a library's recursion.
    if (cause instanceof RangeError && /call stack/iu.test(cause.message)) throw nestsTooDeep(request.label, cause);
    throw cause;
  }
}

async function readerOf(format: DocumentFormat): Promise<(input: ReaderInput) => Promise<ReaderResult>> {
  switch (format) {
    case "text":
      return (await import("../format/read-text.ts")).readText;
    case "markdown":
      return (await import("../format/read-markdown.ts")).readMarkdown;
    case "html":
      return (await import("../format/read-html.ts")).readHtml;
    case "pdf":
      return (await import("../format/read-pdf.ts")).readPdf;
    case "docx":
      return (await import("../format/read-docx.ts")).readDocx;
    case "csv":
      return (await import("../format/read-csv.ts")).readCsv;
    case "tsv":
      return (await import("../format/read-csv.ts")).readTsv;
    case "json":
      return (await import("../format/read-json.ts")).readJson;
    case "yaml":
    case "source":
      return (await import("../format/read-source.ts")).readSource;
  }
}

function nestsTooDeep(label: string, cause: unknown): DocumentError {
  return new DocumentError(
    "too-deep",
    `${label} nests its parts too deeply to be read: save it again in a simpler form`,
    { cause },
  );
}

/** Below this many bytes a document that is text is read in the caller's thread: that takes less than starting another. */
const inlineBytes = 128_000;

/** True when reading could take long or end badly and therefore happens in a thread of its own. */
export function needsThread(format: DocumentFormat, sizeBytes: number): boolean {
  return format === "pdf" || format === "docx" || sizeBytes > inlineBytes;
}

/** What the thread says when it is done. */
export type ParseReply =
  | { readonly type: "read"; readonly result: ReaderResult }
  | { readonly type: "refused"; readonly problem: DocumentError["problem"]; readonly message: string }
  | { readonly type: "failed"; readonly message: string };
