import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Attachment, Clock, Log } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";
import type { Access, Purpose } from "./access.ts";
import { fieldsOf, idIn, integerIn, textIn } from "./payload.ts";

/** What bringing files to X needs. */
export type MediaParts = {
  readonly access: Access;
  readonly download: (url: string, limitBytes: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly log: Log;
  readonly purpose: Purpose;
};

/** What X takes, by media type: as what, and how large. @see https://docs.x.com/x-api/media/quickstart/best-practices */
const kinds: Readonly<Record<string, { readonly category: string; readonly limitBytes: number }>> = {
  "image/jpeg": { category: "tweet_image", limitBytes: 5 * 1_024 ** 2 },
  "image/png": { category: "tweet_image", limitBytes: 5 * 1_024 ** 2 },
  "image/webp": { category: "tweet_image", limitBytes: 5 * 1_024 ** 2 },
  "image/gif": { category: "tweet_gif", limitBytes: 15 * 1_024 ** 2 },
  "video/mp4": { category: "tweet_video", limitBytes: 512 * 1_024 ** 2 },
};

const byEnding: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
  mp4: "video/mp4",
};

const mostPictures = 4;
const segmentBytes = 4 * 1_024 ** 2;
const longestAltText = 1_000;
const mostLooks = 60;

/**
 * Brings files to X, with their descriptions as alternative text, and returns X's ids: four pictures, or one film. In a dry run
 * nothing is brought anywhere.
 * @throws ClientError `invalid` for a file X does not take; else what reading it or {@link Access} throws.
 */
export async function uploadAll(files: readonly Attachment[], parts: MediaParts): Promise<readonly string[]> {
  if (parts.access.isDry) return [];
  const ids: string[] = [];
  const isMoving = files.some((file) => kindOf(file)?.category !== "tweet_image");
  for (const file of files.slice(0, isMoving ? 1 : mostPictures)) ids.push(await upload(file, parts));
  if (files.length > ids.length) {
    parts.log.warn(
      { files: files.length, sent: ids.length },
      "a post carries four pictures or one film; the others stay",
    );
  }
  return ids;
}

function mediaTypeOf({ mediaType, url }: Attachment): string {
  const [, ending = ""] = /\.(\w{2,4})(?:[?#].*)?$/.exec(url) ?? [];
  const [, inline] = /^data:([\w/+.-]+)[;,]/.exec(url) ?? [];
  return mediaType ?? inline ?? byEnding[ending.toLowerCase()] ?? "";
}

function kindOf(file: Attachment) {
  const mediaType = mediaTypeOf(file);
  return Object.hasOwn(kinds, mediaType) ? kinds[mediaType] : undefined;
}

async function upload(file: Attachment, parts: MediaParts): Promise<string> {
  const { access, purpose } = parts;
  const kind = kindOf(file);
  const mediaType = mediaTypeOf(file);
  if (!kind) {
    throw new ClientError(
      "invalid",
      `X takes no ${mediaType || "files of unknown type"}; send a JPEG, PNG, WebP, GIF or MP4.`,
    );
  }
  const bytes = await readBytes(file, kind.limitBytes, parts);
  const body = { media_type: mediaType, total_bytes: bytes.length, media_category: kind.category };
  const begun = await access.call({ method: "POST", path: "media/upload/initialize", body }, purpose);
  const id = idIn(fieldsOf(fieldsOf(begun)?.["data"]), "id");
  if (id === undefined) throw new ClientError("unavailable", "X did not begin to take a file; try again later.");
  for (let at = 0, segment = 0; at < bytes.length; at += segmentBytes, segment += 1) {
    const media = Buffer.from(bytes.subarray(at, at + segmentBytes));
    const form = { segment_index: segment, media };
    const path = "media/upload/:id/append";
    await access.call({ method: "POST", path, parameters: { id }, body: form, isForm: true }, purpose);
  }
  const finalizing = { method: "POST", path: "media/upload/:id/finalize", parameters: { id } } as const;
  await untilReady(id, await access.call(finalizing, purpose), parts);
  await describe(id, file, parts);
  return id;
}

async function readBytes(file: Attachment, limitBytes: number, parts: MediaParts): Promise<Uint8Array> {
  const { url } = file;
  const bytes = await readAny(url, limitBytes, parts);
  if (bytes.length === 0) throw new ClientError("invalid", "A file that was to be posted is empty.");
  if (bytes.length <= limitBytes) return bytes;
  throw new ClientError("invalid", `A file that was to be posted is larger than the ${limitBytes} bytes X takes.`);
}

async function readAny(url: string, limitBytes: number, { download, purpose }: MediaParts): Promise<Uint8Array> {
  if (url.startsWith("data:")) return new Uint8Array(await (await fetch(url)).arrayBuffer());
  if (/^https?:/i.test(url)) {
    return download(url, limitBytes, purpose.signal).catch((error: unknown) => {
      purpose.signal.throwIfAborted();
      throw new ClientError("invalid", `A file that was to be posted cannot be had: ${errorMessage(error)}.`);
    });
  }
  return readFile(url.startsWith("file:") ? fileURLToPath(url) : url);
}

/** Films are worked on before they can be posted. */
async function untilReady(id: string, finalized: unknown, { access, clock, purpose }: MediaParts): Promise<void> {
  let answer = finalized;
  for (let look = 0; look < mostLooks; look += 1) {
    const info = fieldsOf(fieldsOf(fieldsOf(answer)?.["data"])?.["processing_info"]);
    const state = textIn(info, "state") ?? "succeeded";
    if (state === "succeeded") return;
    if (state === "failed") throw new ClientError("invalid", "X could not work on a film; convert it to MP4 (H.264).");
    await clock.sleep((integerIn(info, "check_after_secs") ?? 1) * 1_000, purpose.signal);
    const query = { command: "STATUS", media_id: id };
    answer = await access.call({ method: "GET", path: "media/upload", query }, purpose);
  }
  throw new ClientError("unavailable", "X took too long to work on a film; try again later.");
}

async function describe(id: string, { description }: Attachment, { access, purpose }: MediaParts): Promise<void> {
  const text = [...(description ?? "").trim()].slice(0, longestAltText).join("");
  if (text === "") return;
  await access.call(
    { method: "POST", path: "media/metadata", body: { id, metadata: { alt_text: { text } } } },
    purpose,
  );
}
