/** What a document is, as far as reading it goes. `source` is program code in any language. */
export type DocumentFormat = "text" | "markdown" | "html" | "pdf" | "docx" | "csv" | "tsv" | "json" | "yaml" | "source";

/** From one number to another, both included, counted from 1. */
export type Range = { readonly from: number; readonly to: number };

/** Where something stands in a document. */
export type BlockPlace = {
  /** The headings in effect, outermost first; a heading's own place includes itself. */
  readonly headings: readonly string[];
  /** Page, from 1; PDF only. */
  readonly page?: number;
  /** Lines of the decoded text; formats that are text. */
  readonly lines?: Range;
  /** Records, the header being row 1; CSV and TSV only. */
  readonly rows?: Range;
};

/** What a block is. `row` is one record of a CSV or TSV. */
export type BlockKind = "heading" | "paragraph" | "list" | "table" | "code" | "row";

/** A part of a document that belongs together. Never empty. */
export type Block = BlockPlace & {
  readonly kind: BlockKind;
  readonly text: string;
  /** Of a heading: 1 (outermost) … 6. */
  readonly level?: number;
  /** Of a table, the beginning of `text` that names its columns; of a row, what names its cells (not part of `text`). */
  readonly header?: string;
  /** Of code: its language, as far as known. */
  readonly language?: string;
};

/** A document as it was read: its blocks in reading order. */
export type ReadDocument = {
  readonly format: DocumentFormat;
  /** Lower case, without parameters. */
  readonly mediaType: string;
  readonly title?: string;
  /** How characters were encoded; formats that are text. */
  readonly encoding?: string;
  readonly blocks: readonly Block[];
  /** What was lost or repaired on the way, as sentences for the operator; contains no text of the document. */
  readonly warnings: readonly string[];
};
