/** What the first bytes of a document give away. `unsupported` says what it is, for people, and how it could be read. */
export type Signature =
  | { readonly type: "pdf" | "docx" }
  | { readonly type: "unsupported"; readonly what: string; readonly remedy: string }
  | { readonly type: "encrypted"; readonly what: string };

const images = "describe it with an image model instead";
const sound = "transcribe it instead";
const archive = "unpack it and add the documents inside";

type Magic = { readonly at?: number; readonly bytes: string; readonly what: string; readonly remedy: string };

// Bytes as Latin-1, from the formats' own specifications.
const magics: readonly Magic[] = [
  { bytes: "\x89PNG\r\n\x1a\n", what: "a PNG image", remedy: images },
  { bytes: "\xff\xd8\xff", what: "a JPEG image", remedy: images },
  { bytes: "GIF87a", what: "a GIF image", remedy: images },
  { bytes: "GIF89a", what: "a GIF image", remedy: images },
  { at: 8, bytes: "WEBP", what: "a WebP image", remedy: images },
  { bytes: "II*\0", what: "a TIFF image", remedy: images },
  { bytes: "MM\0*", what: "a TIFF image", remedy: images },
  { at: 4, bytes: "ftypheic", what: "a HEIC image", remedy: images },
  { at: 4, bytes: "ftypavif", what: "an AVIF image", remedy: images },
  { at: 4, bytes: "ftypM4A", what: "an M4A recording", remedy: sound },
  { at: 4, bytes: "ftyp", what: "an MP4 video", remedy: sound },
  { at: 8, bytes: "WAVE", what: "a WAV recording", remedy: sound },
  { at: 8, bytes: "AVI ", what: "an AVI video", remedy: sound },
  { bytes: "ID3", what: "an MP3 recording", remedy: sound },
  { bytes: "\xff\xfb", what: "an MP3 recording", remedy: sound },
  { bytes: "OggS", what: "an Ogg recording", remedy: sound },
  { bytes: "fLaC", what: "a FLAC recording", remedy: sound },
  { bytes: "\x1a\x45\xdf\xa3", what: "a Matroska or WebM video", remedy: sound },
  { bytes: "\x1f\x8b", what: "a gzip archive", remedy: archive },
  { bytes: "7z\xbc\xaf\x27\x1c", what: "a 7z archive", remedy: archive },
  { bytes: "Rar!\x1a\x07", what: "a RAR archive", remedy: archive },
  { bytes: "BZh", what: "a bzip2 archive", remedy: archive },
  { bytes: "\xfd7zXZ\0", what: "an xz archive", remedy: archive },
  { bytes: "\x28\xb5\x2f\xfd", what: "a Zstandard archive", remedy: archive },
  { at: 257, bytes: "ustar", what: "a tar archive", remedy: archive },
  { bytes: "{\\rtf", what: "an RTF document", remedy: "save it as DOCX or PDF" },
  { bytes: "%!PS", what: "a PostScript document", remedy: "convert it to PDF" },
  { bytes: "\x7fELF", what: "a program", remedy: "add its documentation instead" },
  { bytes: "MZ\x90", what: "a program", remedy: "add its documentation instead" },
  { bytes: "\0asm", what: "a WebAssembly module", remedy: "add its source instead" },
  { bytes: "SQLite format 3\0", what: "an SQLite database", remedy: "export its tables as CSV" },
];

/** Looks at the first bytes, and for containers at the names inside. Undefined: text of some kind, or nothing known. */
export function signatureOf(bytes: Uint8Array): Signature | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = buffer.subarray(0, 1_024).toString("latin1");
  // Readers accept a PDF whose header comes a little late.
  if (/^%PDF-/u.test(start) || /[\r\n\0]%PDF-\d/u.test(start)) return { type: "pdf" };
  if (/^PK(?:\x03\x04|\x05\x06|\x07\x08)/u.test(start)) return signatureOfZip(buffer);
  if (start.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return signatureOfCompound(buffer);
  const magic = magics.find(({ at = 0, bytes: expected }) => start.startsWith(expected, at));
  return magic && { type: "unsupported", what: magic.what, remedy: magic.remedy };
}

function signatureOfZip(buffer: Buffer): Signature {
  const has = (name: string) => buffer.includes(name, 0, "latin1");
  const unsupported = (what: string, remedy: string): Signature => ({ type: "unsupported", what, remedy });
  if (has("mimetypeapplication/vnd.oasis.opendocument.text"))
    return unsupported("an ODT document", "save it as DOCX or PDF");
  if (has("mimetypeapplication/vnd.oasis.opendocument"))
    return unsupported("an OpenDocument file", "save it as PDF or CSV");
  if (has("mimetypeapplication/epub+zip")) return unsupported("an EPUB book", "convert it to HTML or PDF");
  if (has("[Content_Types].xml")) {
    if (has("word/")) return { type: "docx" };
    if (has("xl/")) return unsupported("an Excel workbook", "save its sheets as CSV");
    if (has("ppt/")) return unsupported("a PowerPoint presentation", "save it as PDF");
  }
  if (has("META-INF/MANIFEST.MF")) return unsupported("a Java archive", "add its source instead");
  return unsupported("a zip archive", archive);
}

/** Old Office files and, in the same container, encrypted new ones; names inside are UTF-16. */
function signatureOfCompound(buffer: Buffer): Signature {
  const has = (name: string) => buffer.includes(Buffer.from(name, "utf16le"));
  if (has("EncryptedPackage")) return { type: "encrypted", what: "an Office document" };
  const unsupported = (what: string, remedy: string): Signature => ({ type: "unsupported", what, remedy });
  if (has("WordDocument")) return unsupported("an old Word document (.doc)", "save it as DOCX or PDF");
  if (has("Workbook")) return unsupported("an old Excel workbook (.xls)", "save its sheets as CSV");
  if (has("PowerPoint Document")) return unsupported("an old PowerPoint presentation (.ppt)", "save it as PDF");
  return unsupported("an old Office file", "save it as DOCX or PDF");
}
