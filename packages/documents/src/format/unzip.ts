import { DocumentError, formatBytes } from "../errors.ts";
import type { ReadLimits } from "../limits.ts";

type Entry = import("yauzl").Entry;
type ZipFile = import("yauzl").ZipFile;

/** An archive's files by name, unpacked. */
export type UnzippedFiles = ReadonlyMap<string, Uint8Array>;

/** What is unpacked, and what may be. */
export type UnzipOptions = {
  readonly limits: ReadLimits;
  readonly label: string;
  readonly wants: (name: string) => boolean;
};

/** A smaller archive is harmless however well it is packed. */
const harmlessBytes = 1_000_000;

/**
 * Unpacks the wanted files. What the directory claims is checked before anything is unpacked, and held to while unpacking.
 * @throws DocumentError `bomb`, `encrypted`, `damaged`
 */
export async function unzip(bytes: Uint8Array, options: UnzipOptions): Promise<UnzippedFiles> {
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > options.limits.archiveEntries) throw tooManyEntries(zip.entryCount, options);
    const entries = await readEntries(zip);
    checkEntries(entries, bytes.length, options);
    const files = new Map<string, Uint8Array>();
    for (const entry of entries)
      if (options.wants(entry.fileName)) files.set(entry.fileName, await inflate(zip, entry));
    return files;
  } catch (cause) {
    if (cause instanceof DocumentError) throw cause;
    throw new DocumentError(
      "damaged",
      `${options.label} is a damaged archive: open it with its program and save it again`,
      { cause },
    );
  }
}

async function openZip(bytes: Uint8Array): Promise<ZipFile> {
  const { default: yauzl } = await import("yauzl");
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(buffer, { lazyEntries: true }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function readEntries(zip: ZipFile): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on("entry", (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.on("end", () => resolve(entries));
    zip.on("error", reject);
    zip.readEntry();
  });
}

function checkEntries(entries: readonly Entry[], sizeBytes: number, { limits, label }: UnzipOptions): void {
  if (entries.some((entry) => entry.isEncrypted())) {
    throw new DocumentError(
      "encrypted",
      `${label} is an archive locked with a password: save it without one and add it again`,
    );
  }
  const unpacked = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpacked > limits.archiveBytes) {
    throw new DocumentError(
      "bomb",
      `${label} would unpack to ${formatBytes(unpacked)} and the limit is ${formatBytes(limits.archiveBytes)} (archiveBytes): do not open it if you do not trust its sender, else split it or raise the limit`,
    );
  }
  const ratio = unpacked / Math.max(1, sizeBytes);
  if (unpacked > harmlessBytes && ratio > limits.archiveRatio) {
    throw new DocumentError(
      "bomb",
      `${label} would unpack to ${Math.round(ratio)} times its size and the limit is ${limits.archiveRatio} times (archiveRatio): do not open it if you do not trust its sender, else save it again or raise the limit`,
    );
  }
}

function tooManyEntries(count: number, { limits, label }: UnzipOptions): DocumentError {
  return new DocumentError(
    "bomb",
    `${label} is an archive of ${count} files and the limit is ${limits.archiveEntries} (archiveEntries): save it again, or raise the limit`,
  );
}

/** Unpacks one file; its stream fails as soon as there is more than the directory claims. */
async function inflate(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const stream = await new Promise<import("node:stream").Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const bytes = new Uint8Array(entry.uncompressedSize);
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}
