import { DocumentError, formatBytes } from "./errors.ts";

/** How much a document may cost. */
export type ReadLimits = {
  /** The document itself. */
  readonly sizeBytes: number;
  /** The text read from it, as UTF-8. */
  readonly textBytes: number;
  /** Pages of a PDF. */
  readonly pages: number;
  /** Files in an archive such as a DOCX. */
  readonly archiveEntries: number;
  /** All files of an archive, unpacked. */
  readonly archiveBytes: number;
  /** Unpacked to packed size of an archive; looked at from 1 MB unpacked on. */
  readonly archiveRatio: number;
  /** Elements or quotes within each other. */
  readonly nestingLevels: number;
  /** Reading, in all. */
  readonly timeMs: number;
  /** Memory the reader may take. */
  readonly memoryBytes: number;
};

/** What a document may cost unless said otherwise. */
export const defaultReadLimits: ReadLimits = {
  sizeBytes: 20_000_000,
  textBytes: 10_000_000,
  pages: 2_000,
  archiveEntries: 5_000,
  archiveBytes: 200_000_000,
  archiveRatio: 200,
  nestingLevels: 10_000,
  timeMs: 30_000,
  memoryBytes: 512_000_000,
};

/** The limits with the defaults filled in. */
export function completeLimits(limits: Partial<ReadLimits> | undefined): ReadLimits {
  return { ...defaultReadLimits, ...limits };
}

/** @throws DocumentError `too-large` */
export function checkSize(sizeBytes: number, limits: ReadLimits, label: string): void {
  if (sizeBytes <= limits.sizeBytes) return;
  throw new DocumentError(
    "too-large",
    `${label} is ${formatBytes(sizeBytes)} long and the limit is ${formatBytes(limits.sizeBytes)} (sizeBytes): split it, or raise the limit`,
  );
}
