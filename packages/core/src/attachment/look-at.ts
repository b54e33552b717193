import { TroupeError } from "../errors.ts";
import type { Attachment } from "../memory/memory.ts";
import type { Models } from "../model/models.ts";
import type { ModelCost } from "../model/usage.ts";
import type { AttachmentAccess, FetchedFile } from "./attachment-access.ts";
import { type AttachmentKind, attachmentKind, describableImages, plainType, sniffMedia } from "./attachment-kind.ts";
import { attachmentName } from "./attachments-text.ts";
import { checkSize, type FetchParts, fetchAttachment } from "./fetch-attachment.ts";

/** What looking at a file needs. */
export type LookParts = Omit<FetchParts, "access"> & {
  readonly access: AttachmentAccess;
  readonly models: Models;
  readonly maxSizeBytes: number;
  /** A model was paid for. */
  readonly onCost: (cost: ModelCost) => void;
};

/** What a file shows or says; or why nobody looked: nothing here can (`unseen`). */
export type Look =
  | { readonly type: "described"; readonly description: string }
  | { readonly type: "unseen"; readonly reason: string };

/** As much of a document is kept; the beginning tells what it is about. */
const longestDescription = 12_000;
const describeTokens = 400;

/**
 * Looks at one file: an image is described, a recording written down, a document read. Without a model for its kind it is not
 * even fetched.
 * @throws TroupeError saying why it cannot be looked at, as an end of a sentence; the signal's reason.
 */
export async function lookAt(attachment: Attachment, parts: LookParts, signal: AbortSignal): Promise<Look> {
  const { url, mediaType, sizeBytes } = attachment;
  const name = attachmentName(attachment);
  const declared = attachmentKind(mediaType, name);
  const hopeless = unseen(declared, parts.models);
  if (hopeless) return hopeless;
  if (sizeBytes !== undefined) checkSize(sizeBytes, parts.maxSizeBytes);
  const file = await fetchAttachment(url, parts, { maxSizeBytes: parts.maxSizeBytes, signal });
  if (file.bytes.length === 0) throw new TroupeError("invalid", "it is empty");
  const type = sniffMedia(file.bytes) ?? plainType(mediaType) ?? plainType(file.mediaType);
  const kind = attachmentKind(type, name);
  return unseen(kind, parts.models) ?? (await describe({ ...file, ...(type !== undefined && { mediaType: type }) }));

  async function describe(typed: FetchedFile): Promise<Look> {
    if (kind === "image") return seeImage(typed, parts, signal);
    if (kind === "audio") return hear(typed, parts, signal);
    const read = await parts.access.readDocument({ ...typed, name, signal });
    return described(
      read.title !== undefined && !read.text.includes(read.title) ? `${read.title}\n${read.text}` : read.text,
    );
  }
}

function unseen(kind: AttachmentKind, { IMAGE_DESCRIPTION, TRANSCRIPTION }: Models): Look | null {
  if (kind === "image" && !IMAGE_DESCRIPTION) return { type: "unseen", reason: "no model here sees images" };
  if (kind === "audio" && !TRANSCRIPTION) return { type: "unseen", reason: "no model here hears recordings" };
  return kind === "video" ? { type: "unseen", reason: "videos are not watched" } : null;
}

async function seeImage(
  { bytes, mediaType = "" }: FetchedFile,
  { models, onCost }: LookParts,
  signal: AbortSignal,
): Promise<Look> {
  if (!describableImages.includes(mediaType)) {
    throw new TroupeError("invalid", `it is an image of a kind that is not looked at (${mediaType})`);
  }
  const answer = await models.IMAGE_DESCRIPTION?.describe({ bytes, mediaType, maxTokens: describeTokens, signal });
  if (answer) onCost(answer);
  return described(answer?.text ?? "");
}

async function hear(
  { bytes, mediaType = "audio/mpeg" }: FetchedFile,
  { models, onCost }: LookParts,
  signal: AbortSignal,
): Promise<Look> {
  const answer = await models.TRANSCRIPTION?.transcribe({ bytes, mediaType, signal });
  if (answer) onCost(answer);
  return described(answer?.text.trim() || "nothing is said in it");
}

function described(text: string): Look {
  const clean = text.toWellFormed().trim();
  if (clean === "") throw new TroupeError("invalid", "the model said nothing about it");
  return {
    type: "described",
    description: clean.length <= longestDescription ? clean : clean.slice(0, longestDescription).toWellFormed(),
  };
}
