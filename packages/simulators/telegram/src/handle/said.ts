import { imageSize } from "../api/image-size.ts";
import { captionContent, limits, textContent } from "../api/text-content.ts";
import type { MessageContent, TelegramMessage } from "../payload.ts";
import { formatText } from "../text/format-text.ts";
import { type MediaKind, mediaContent, mediaFolders } from "../world/media.ts";
import type { World } from "../world/world.ts";

/** A file somebody sends. Everything may be absent: then it is a small one. */
export type SaidFile = {
  readonly bytes?: Uint8Array;
  readonly name?: string;
  readonly mediaType?: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  readonly title?: string;
  readonly performer?: string;
  /** Of a sticker. */
  readonly emoji?: string;
};

/** What somebody says: a text, or one file, place or contact, with whatever belongs to it. */
export type Said =
  | string
  | {
      readonly text?: string;
      readonly caption?: string;
      /** "HTML" or "MarkdownV2" where the text is marked up; `tg://user?id=…` links become text mentions. */
      readonly parseMode?: "HTML" | "MarkdownV2";
      readonly photo?: SaidFile;
      readonly document?: SaidFile;
      readonly voice?: SaidFile;
      readonly audio?: SaidFile;
      readonly video?: SaidFile;
      readonly animation?: SaidFile;
      readonly sticker?: SaidFile;
      readonly location?: { readonly latitude: number; readonly longitude: number };
      readonly contact?: { readonly phoneNumber: string; readonly firstName: string; readonly lastName?: string };
      readonly replyTo?: TelegramMessage;
      /** A part of the answered message. */
      readonly quote?: string;
      /** A topic of the forum, by its id. */
      readonly topic?: number;
      /** Shared by the messages of one album. */
      readonly album?: string;
    };

const kinds: readonly MediaKind[] = ["photo", "document", "voice", "audio", "video", "animation", "sticker"];

const names: Readonly<Record<MediaKind, readonly [name: string, mediaType: string]>> = {
  photo: ["photo.png", "image/png"],
  document: ["document.txt", "text/plain"],
  voice: ["voice.oga", "audio/ogg"],
  audio: ["audio.mp3", "audio/mpeg"],
  video: ["video.mp4", "video/mp4"],
  animation: ["animation.mp4", "video/mp4"],
  sticker: ["sticker.webp", "image/webp"],
};

/** A picture of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The content of a message. @throws Error when it is empty or too long for Telegram's own apps. */
export function saidContent(world: World, said: Said): MessageContent {
  if (typeof said === "string") return saidText(world, said, undefined);
  const { location, contact, parseMode } = said;
  const kind = kinds.find((one) => said[one] !== undefined);
  const file = kind ? said[kind] : undefined;
  if (kind && file) return { ...saidFile(world, kind, file), ...saidCaption(world, said.caption ?? "", parseMode) };
  if (location) return { location };
  if (contact) {
    const { phoneNumber, firstName, lastName } = contact;
    return {
      contact: { phone_number: phoneNumber, first_name: firstName, ...(lastName ? { last_name: lastName } : {}) },
    };
  }
  return saidText(world, said.text ?? "", parseMode);
}

/** What a message becomes: a text said of a file is its new caption. */
export function editedContent(world: World, old: MessageContent, said: Said): MessageContent {
  const isFile = kinds.some((kind) => kind in old);
  if (typeof said !== "string" || !isFile) return saidContent(world, said);
  const { caption: _, caption_entities: __, ...rest } = old;
  return { ...rest, ...saidCaption(world, said, undefined) };
}

function saidText(world: World, source: string, parseMode: string | undefined): MessageContent {
  const formatted = formatText({ text: source, parseMode });
  if (formatted.text === "") throw new Error("An empty text cannot be said; say something, or send a file");
  if (formatted.text.length > limits.text)
    throw new Error(`A text of ${formatted.text.length} is too long; Telegram takes ${limits.text}`);
  return textContent(world, formatted);
}

function saidCaption(world: World, source: string, parseMode: string | undefined): MessageContent {
  const formatted = formatText({ text: source, parseMode });
  if (formatted.text.length > limits.caption)
    throw new Error(`A caption of ${formatted.text.length} is too long; Telegram takes ${limits.caption}`);
  return captionContent(world, formatted);
}

function saidFile(world: World, kind: MediaKind, said: SaidFile): MessageContent {
  const [name, mediaType] = names[kind];
  const bytes = said.bytes ?? (kind === "photo" || kind === "sticker" ? pixel : Buffer.from(`A small ${kind}.`));
  const file = world.files.add({
    bytes,
    name: said.name ?? name,
    mediaType: said.mediaType ?? mediaType,
    folder: mediaFolders[kind].folder,
  });
  const size = kind === "photo" ? imageSize(bytes) : null;
  return mediaContent(kind, file, { ...said, width: said.width ?? size?.width, height: said.height ?? size?.height });
}
