import { type ErrorCode, type ErrorDetails, TroupeError } from "@troupe/core/errors";

/** What is wrong with a document; stable, for programs. Limits are `too-…`, `bomb`, `timeout` and `memory`. */
export type DocumentProblem =
  | "too-large"
  | "too-much-text"
  | "too-many-pages"
  | "too-many-documents"
  | "too-deep"
  | "bomb"
  | "memory"
  | "timeout"
  | "aborted"
  | "encrypted"
  | "damaged"
  | "empty"
  | "no-text"
  | "unsupported"
  | "not-found"
  | "refused"
  | "unauthorized"
  | "unavailable";

const codes: Readonly<Record<DocumentProblem, ErrorCode>> = {
  "too-large": "exhausted",
  "too-much-text": "exhausted",
  "too-many-pages": "exhausted",
  "too-many-documents": "exhausted",
  "too-deep": "exhausted",
  bomb: "exhausted",
  memory: "exhausted",
  timeout: "timeout",
  aborted: "aborted",
  encrypted: "invalid",
  damaged: "invalid",
  empty: "invalid",
  "no-text": "invalid",
  unsupported: "invalid",
  "not-found": "not_found",
  refused: "invalid",
  unauthorized: "unauthorized",
  unavailable: "unavailable",
};

/** A document cannot be had. The message names it, what is wrong (with the limit, if it is one) and the remedy. */
export class DocumentError extends TroupeError {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem, message: string, details: ErrorDetails = {}) {
    super(codes[problem], message, details);
    this.problem = problem;
  }
}

/** How a document is called in messages: its name in quotes, shortened, on one line. */
export function documentLabel(name: string | undefined): string {
  if (name === undefined || name.trim() === "") return "the document";
  const line = name.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return `"${line.length > 200 ? `…${line.slice(-199)}` : line}"`;
}

/** A size for people: `20 MB`, `512 bytes`. */
export function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  if (bytes < 1e9) return `${Number((bytes / 1e6).toFixed(1))} MB`;
  return `${Number((bytes / 1e9).toFixed(1))} GB`;
}

/** @throws DocumentError `aborted` when the signal says so. */
export function throwIfAborted(signal: AbortSignal | undefined, label: string): void {
  if (signal?.aborted === true) throw abortedReading(label, signal.reason);
}

/** That reading was called off. */
export function abortedReading(label: string, cause?: unknown): DocumentError {
  return new DocumentError("aborted", `reading ${label} was called off`, cause === undefined ? {} : { cause });
}
