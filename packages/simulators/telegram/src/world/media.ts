import type { MessageContent, TelegramFile } from "../payload.ts";
import { present } from "../present.ts";
import type { StoredFile } from "./file-store.ts";

/** Kinds of files a message can hold. */
export type MediaKind = "photo" | "document" | "voice" | "audio" | "video" | "animation" | "sticker";

/** The folder of a kind and what Telegram calls it in error texts. */
export const mediaFolders: Readonly<Record<MediaKind, { readonly folder: string; readonly name: string }>> = {
  photo: { folder: "photos", name: "Photo" },
  document: { folder: "documents", name: "Document" },
  voice: { folder: "voice", name: "VoiceNote" },
  audio: { folder: "music", name: "Audio" },
  video: { folder: "videos", name: "Video" },
  animation: { folder: "animations", name: "Animation" },
  sticker: { folder: "stickers", name: "Sticker" },
};

/** What is said of a file besides the file. */
export type MediaDetails = {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly durationSeconds?: number | undefined;
  readonly title?: string | undefined;
  readonly performer?: string | undefined;
  readonly emoji?: string | undefined;
};

/** A file as the content of a message. */
export function mediaContent(kind: MediaKind, file: StoredFile, details: MediaDetails): MessageContent {
  const common = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.length };
  const named = { ...common, file_name: file.name, mime_type: file.mediaType };
  const duration = details.durationSeconds ?? 0;
  const { width = 512, height = 512 } = details;
  switch (kind) {
    case "photo":
      return { photo: photoSizes(common, width, height) };
    case "document":
      return { document: named };
    case "voice":
      return { voice: { ...common, mime_type: file.mediaType, duration } };
    case "audio":
      return { audio: { ...named, duration, ...present({ title: details.title, performer: details.performer }) } };
    case "video":
      return { video: { ...named, duration, width, height } };
    case "animation":
      return { animation: { ...named, duration, width, height }, document: named };
    case "sticker":
      return {
        sticker: {
          ...common,
          type: "regular",
          width,
          height,
          is_animated: false,
          is_video: false,
          ...present({ emoji: details.emoji }),
        },
      };
  }
}

/** The sizes a photo comes in, smallest first; the bytes are the same in all of them. */
function photoSizes(
  common: Pick<TelegramFile, "file_id" | "file_unique_id" | "file_size">,
  width: number,
  height: number,
): readonly TelegramFile[] {
  const longest = Math.max(width, height);
  const boxes = [90, 320, 800].filter((box) => box < longest);
  return [...boxes, longest].map((box) => ({
    ...common,
    // Sizes of one photo have ids of their own; all of them lead to the same file.
    file_id: box === longest ? common.file_id : `${common.file_id}@${box}`,
    file_unique_id: box === longest ? common.file_unique_id : `${common.file_unique_id}${box}`,
    width: Math.max(1, Math.round((width * box) / longest)),
    height: Math.max(1, Math.round((height * box) / longest)),
  }));
}
