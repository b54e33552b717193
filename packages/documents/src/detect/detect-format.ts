import type { DocumentFormat } from "../document.ts";
import { DocumentError } from "../errors.ts";
import {
  extensionOf,
  formatOfMediaType,
  formatOfName,
  type KnownFormat,
  mediaTypeOf,
  readableFormats,
} from "./extensions.ts";
import { signatureOf } from "./signatures.ts";

/** What is known of a document before it is read. */
export type DetectInput = {
  readonly bytes: Uint8Array;
  readonly name?: string;
  /** May carry parameters: `text/html; charset=shift_jis`. */
  readonly mediaType?: string;
  readonly label: string;
};

/** What a document is, and the encoding its media type declares. */
export type Detected = KnownFormat & { readonly mediaType: string; readonly charset?: string };

const unreadableNames: Readonly<Record<string, string>> = {
  doc: "an old Word document (.doc); save it as DOCX or PDF",
  xls: "an old Excel workbook (.xls); save its sheets as CSV",
  xlsx: "an Excel workbook; save its sheets as CSV",
  ppt: "an old PowerPoint presentation (.ppt); save it as PDF",
  pptx: "a PowerPoint presentation; save it as PDF",
  odt: "an ODT document; save it as DOCX or PDF",
  rtf: "an RTF document; save it as DOCX or PDF",
  epub: "an EPUB book; convert it to HTML or PDF",
};

/**
 * Finds out the format: first bytes, then media type, then the name's extension, then what the text looks like.
 * @throws DocumentError `unsupported`, `encrypted`
 */
export function detectFormat(input: DetectInput): Detected {
  const { mediaType, charset } = parseMediaType(input.mediaType);
  const found = (known: KnownFormat): Detected => ({
    ...known,
    mediaType: mediaType !== undefined && says(mediaType, known) ? mediaType : mediaTypeOf(known.format),
    ...(charset === undefined ? {} : { charset }),
  });
  const signature = signatureOf(input.bytes);
  if (signature?.type === "pdf" || signature?.type === "docx") return found({ format: signature.type });
  if (signature?.type === "encrypted") throw encrypted(input.label, signature.what);
  if (signature?.type === "unsupported") {
    throw unsupported(input.label, `${signature.what}; ${signature.remedy}`);
  }
  const declared = declaredFormat(input, mediaType);
  if (isOverruledByHtml(declared?.format) && looksLikeHtml(input.bytes)) return found({ format: "html" });
  if (declared !== undefined) return found(declared);
  const unreadable = unreadableNames[extensionOf(input.name ?? "") ?? ""];
  if (unreadable !== undefined) throw unsupported(input.label, unreadable);
  if (mediaType !== undefined && /^(?:image|audio|video|font)\//u.test(mediaType)) {
    throw unsupported(input.label, `of the type ${mediaType}; it holds no text`);
  }
  return found({ format: "text" });
}

/** That a document is of a kind nobody here reads. `what` continues "is …". */
export function unsupported(label: string, what: string): DocumentError {
  return new DocumentError("unsupported", `${label} is ${what}; ${readableFormats}`);
}

/** That a document is locked. */
export function encrypted(label: string, what: string): DocumentError {
  return new DocumentError(
    "encrypted",
    `${label} is ${what} locked with a password: save it without one and add it again`,
  );
}

function parseMediaType(value: string | undefined): { readonly mediaType?: string; readonly charset?: string } {
  if (value === undefined) return {};
  const [type = "", ...parameters] = value.split(";");
  const mediaType = type.trim().toLowerCase();
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([\w.:-]+)"?\s*$/iu.exec(each)?.[1]).find(Boolean);
  return { ...(mediaType === "" ? {} : { mediaType }), ...(charset === undefined ? {} : { charset }) };
}

function says(mediaType: string, known: KnownFormat): boolean {
  return (
    formatOfMediaType(mediaType)?.format === known.format || (mediaType === "text/plain" && known.format === "text")
  );
}

function declaredFormat(input: DetectInput, mediaType: string | undefined): KnownFormat | undefined {
  const byType = mediaType === undefined ? undefined : formatOfMediaType(mediaType);
  return byType ?? (input.name === undefined ? undefined : formatOfName(input.name));
}

/** A web page served under a document's name (a login page, say) is a web page; source code may well begin with `<html`. */
function isOverruledByHtml(format: DocumentFormat | undefined): boolean {
  return format === undefined || format === "text" || format === "pdf" || format === "docx";
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString("latin1");
  return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/iu.test(
    start,
  );
}
