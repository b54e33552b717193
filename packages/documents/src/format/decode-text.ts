import { isUtf8 } from "node:buffer";
import { unsupported } from "../detect/detect-format.ts";

/** Text as it was meant: line ends are `\n`, control characters and the byte order mark are gone. */
export type DecodedText = {
  readonly text: string;
  /** Lower case: `utf-8`, `shift_jis`, `windows-1252` … */
  readonly encoding: string;
  readonly warnings: readonly string[];
};

const utf8 = "utf-8";

/**
 * Decodes text of any encoding: byte order mark, valid UTF-8, what the transport declared, then a guess.
 * Broken sequences become U+FFFD and are reported.
 * @throws DocumentError `unsupported` when the bytes are no text
 */
export async function decodeText(bytes: Uint8Array, charset: string | undefined, label: string): Promise<DecodedText> {
  const encoding = await findEncoding(bytes, charset, label);
  const raw = await decodeAs(bytes, encoding);
  const text = cleanText(raw);
  if (raw.length - text.length > 32 && isMostlyControl(raw)) throw unsupported(label, "binary data");
  const broken = countOf(raw, "\u{fffd}") - (encoding === utf8 && isUtf8(bytes) ? countOf(raw, "\u{fffd}") : 0);
  const warnings = broken === 0 ? [] : [`${broken} byte sequences that are not valid ${encoding} were replaced`];
  return { text, encoding, warnings };
}

async function findEncoding(bytes: Uint8Array, charset: string | undefined, label: string): Promise<string> {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return marked;
  const wide = wideWithoutMark(bytes, label);
  if (wide !== undefined) return wide;
  const escapes = /\x1b\$[@B]|\x1b\(J/u.test(Buffer.from(bytes.subarray(0, 65_536)).toString("latin1"));
  if (escapes) return "iso-2022-jp";
  if (isUtf8(bytes)) return utf8;
  const declared = charset === undefined ? undefined : await knownEncoding(charset);
  if (declared !== undefined) return declared;
  return isBrokenUtf8(bytes) ? utf8 : guessEncoding(bytes);
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return utf8;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length % 4 === 0 ? "utf-32le" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "utf-32be";
  return undefined;
}

/** Text with zero bytes is UTF-16 when they sit on one side of the pairs. */
function wideWithoutMark(bytes: Uint8Array, label: string): string | undefined {
  const sample = bytes.subarray(0, 4_096);
  const zeros = [0, 0] as [number, number];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = zeros;
  if (even + odd < 2 || even + odd < sample.length / 200) return undefined;
  if (odd > 20 * even) return "utf-16le";
  if (even > 20 * odd) return "utf-16be";
  throw unsupported(label, "binary data");
}

/** True when almost everything beyond ASCII is UTF-8: then it is, with some broken places. */
function isBrokenUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder(utf8).decode(bytes.subarray(0, 1_000_000));
  const broken = countOf(text, "\u{fffd}");
  let whole = 0;
  for (const character of text) if (character > "\u{7f}" && character !== "\u{fffd}") whole++;
  return whole > 2 * broken;
}

async function guessEncoding(bytes: Uint8Array): Promise<string> {
  const { analyse } = await import("chardet");
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - 1_000);
  for (const { name } of analyse(bytes.subarray(start, start + 65_536))) {
    const known = await knownEncoding(name);
    if (known !== undefined && !known.startsWith("utf")) return known;
  }
  return "windows-1252";
}

/** The encoding's usual name. As on the web, Latin-1 and ASCII are read as windows-1252, which contains them. */
async function knownEncoding(name: string): Promise<string | undefined> {
  const lower = name.toLowerCase();
  if (/^(?:iso-?8859-?1|latin-?1|us-ascii|ascii)$/u.test(lower)) return "windows-1252";
  if (/^utf-?8$/u.test(lower)) return utf8;
  if (/^(?:windows-31j|sjis|x-sjis|ms_kanji)$/u.test(lower)) return "shift_jis";
  if (/^iso-2022-jp$/u.test(lower)) return lower;
  const { default: iconv } = await import("iconv-lite");
  return iconv.encodingExists(lower) && !/^(?:base64|hex|binary|ucs2|utf-?7)/u.test(lower) ? lower : undefined;
}

async function decodeAs(bytes: Uint8Array, encoding: string): Promise<string> {
  if (encoding === utf8 || encoding === "utf-16le" || encoding === "iso-2022-jp") {
    return new TextDecoder(encoding).decode(bytes);
  }
  const { default: iconv } = await import("iconv-lite");
  return iconv.decode(bytes, encoding, { stripBOM: true });
}

function cleanText(text: string): string {
  return (
    text
      .replace(/\r\n?|\u{2028}|\u{85}/gu, "\n")
      .replace(/\u{2029}|\f/gu, "\n\n")
      // Everything below U+0020 but tab and newline, and a byte order mark in the middle.
      .replace(/[\p{Cc}\u{feff}]/gu, (character) => (character === "\t" || character === "\n" ? character : ""))
      .toWellFormed()
  );
}

function isMostlyControl(text: string): boolean {
  const sample = text.slice(0, 100_000);
  return sample.replace(/[^\p{Cc}]|[\t\n\r\f]/gu, "").length > sample.length / 10;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}
