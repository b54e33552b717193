import { open } from "node:fs/promises";
import type { ReaderResult } from "./blocks.ts";
import { detectFormat } from "./detect/detect-format.ts";
import type { ReadDocument } from "./document.ts";
import { DocumentError, documentLabel, throwIfAborted } from "./errors.ts";
import { checkSize, completeLimits, type ReadLimits } from "./limits.ts";
import { needsThread, type ParseRequest, parse } from "./thread/parse.ts";

/** A document's bytes and what is known about them. */
export type ReadDocumentInput = {
  readonly bytes: Uint8Array;
  /** A file's name or an address: for the format and for messages. */
  readonly name?: string;
  /** May carry parameters: `text/html; charset=shift_jis`. */
  readonly mediaType?: string;
  readonly limits?: Partial<ReadLimits>;
  readonly signal?: AbortSignal;
};

/**
 * Reads a document of any readable format. The format is found by the first bytes, then the media type, then the name.
 * PDF, DOCX and whatever is large are read in a thread of their own, which is ended when a limit is passed.
 * @throws DocumentError naming the document, what is wrong and the remedy
 */
export async function readDocument(input: ReadDocumentInput): Promise<ReadDocument> {
  const label = documentLabel(input.name);
  const limits = completeLimits(input.limits);
  throwIfAborted(input.signal, label);
  checkSize(input.bytes.length, limits, label);
  if (isEmpty(input.bytes)) throw emptyDocument(label);
  const detected = detectFormat({ ...input, label });
  const request: ParseRequest = {
    format: detected.format,
    bytes: input.bytes,
    label,
    limits,
    ...(detected.charset === undefined ? {} : { charset: detected.charset }),
    ...(detected.language === undefined ? {} : { language: detected.language }),
  };
  const result = await parseRequest(request, input.signal);
  throwIfAborted(input.signal, label);
  if (result.blocks.length === 0) throw emptyDocument(label);
  return { format: detected.format, mediaType: detected.mediaType, ...result };
}

/** Reads a file. Its size is checked before it is read. @throws DocumentError `not-found`, and as `readDocument` */
export async function readDocumentFile(
  path: string,
  options: Omit<ReadDocumentInput, "bytes"> = {},
): Promise<ReadDocument> {
  const name = options.name ?? path;
  const bytes = await readBytes(path, documentLabel(name), completeLimits(options.limits));
  return readDocument({ ...options, name, bytes });
}

async function parseRequest(request: ParseRequest, signal: AbortSignal | undefined): Promise<ReaderResult> {
  if (!needsThread(request.format, request.bytes.length)) return parse(request);
  const { parseInThread } = await import("./thread/parse-in-thread.ts");
  return parseInThread(request, signal);
}

async function readBytes(path: string, label: string, limits: ReadLimits): Promise<Uint8Array> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadableFile(label, cause);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new DocumentError("not-found", `${label} is not a file: name a file`);
    checkSize(stats.size, limits, label);
    const bytes = await file.readFile();
    checkSize(bytes.length, limits, label);
    return bytes;
  } finally {
    await file.close();
  }
}

function unreadableFile(label: string, cause: unknown): DocumentError {
  const isForbidden = cause instanceof Error && "code" in cause && (cause.code === "EACCES" || cause.code === "EPERM");
  return isForbidden
    ? new DocumentError(
        "unauthorized",
        `${label} may not be read by this process: give it permission to read the file`,
        { cause },
      )
    : new DocumentError("not-found", `${label} does not exist or cannot be opened: check the path`, { cause });
}

/** True without bytes other than white space, zeros or a byte order mark. */
function isEmpty(bytes: Uint8Array): boolean {
  return !bytes.some(
    (byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf && byte !== 0xfe && byte !== 0xff,
  );
}

function emptyDocument(label: string): DocumentError {
  return new DocumentError("empty", `${label} holds no text: add a document with content`);
}
