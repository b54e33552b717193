import type { AttachmentSource } from "../client/client.ts";
import { TroupeError } from "../errors.ts";
import type { AttachmentAccess, FetchBounds, FetchedFile } from "./attachment-access.ts";

/** Where files come from: the web, or the client that heard of them. */
export type FetchParts = {
  readonly access: Pick<AttachmentAccess, "fetch">;
  /** The client of the room, when it resolves addresses of its platform's own. */
  readonly source: AttachmentSource | undefined;
};

/**
 * Gets a file by its address: within the address itself (`data:`), on the web, or an address only the platform's client knows.
 * @throws TroupeError saying why it cannot be had; the signal's reason.
 */
export async function fetchAttachment(
  url: string,
  { access, source }: FetchParts,
  { maxSizeBytes, signal }: FetchBounds,
): Promise<FetchedFile> {
  const file = await fetchAny();
  signal.throwIfAborted();
  checkSize(file.bytes.length, maxSizeBytes);
  return file;

  async function fetchAny(): Promise<FetchedFile> {
    if (/^data:/iu.test(url)) return readDataUrl(url, maxSizeBytes);
    if (/^https?:/iu.test(url)) return access.fetch(url, { maxSizeBytes, signal });
    if (source) return source.fetch(url, signal);
    throw new TroupeError("invalid", "its address is none on the web, and the platform cannot resolve it");
  }
}

/** @throws TroupeError `exhausted` when a file is longer than the character looks at. */
export function checkSize(sizeBytes: number, maxSizeBytes: number): void {
  if (sizeBytes <= maxSizeBytes) return;
  throw new TroupeError(
    "exhausted",
    `it is ${formatSize(sizeBytes)} long and the limit is ${formatSize(maxSizeBytes)} (settings.attachments.maxSizeBytes)`,
  );
}

/** A size for people: `20 MB`, `512 bytes`. */
export function formatSize(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${Number((bytes / 1e6).toFixed(1))} MB` : `${Number((bytes / 1e9).toFixed(1))} GB`;
}

/** @see RFC 2397 */
function readDataUrl(url: string, maxSizeBytes: number): FetchedFile {
  const comma = url.indexOf(",");
  if (comma < 0) throw new TroupeError("invalid", "its data: address is damaged");
  const head = url.slice("data:".length, comma);
  const isBase64 = /;\s*base64\s*$/iu.test(head);
  const mediaType = head.replace(/;\s*base64\s*$/iu, "").trim() || "text/plain";
  const length = url.length - comma - 1;
  checkSize(isBase64 ? Math.floor((length * 3) / 4) - 2 : Math.floor(length / 3), maxSizeBytes);
  const body = url.slice(comma + 1);
  return { bytes: isBase64 ? fromBase64(body) : fromPercents(body), mediaType };
}

function fromBase64(text: string): Uint8Array {
  const plain = text.replace(/%([0-9a-f]{2})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return new Uint8Array(Buffer.from(plain, "base64"));
}

function fromPercents(text: string): Uint8Array {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    const bytes = text.replace(/%([0-9a-f]{2})/giu, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    return new Uint8Array(Buffer.from(bytes, "latin1"));
  }
}
