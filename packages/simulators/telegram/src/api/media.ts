import type { WireFile } from "@troupe/simulator-wire";
import { ApiError, badRequest } from "../api-error.ts";
import type { MessageContent } from "../payload.ts";
import type { StoredFile } from "../world/file-store.ts";
import { type MediaKind, mediaContent, mediaFolders } from "../world/media.ts";
import { randomInteger } from "../world/random-text.ts";
import { renderMessage } from "../world/render.ts";
import type { Call, Method } from "./call.ts";
import { imageSize } from "./image-size.ts";
import { asRecord, type Parameters, parametersOf } from "./parameters.ts";
import { sendContent, sendContents } from "./send.ts";
import { type Kind, namedChat } from "./target.ts";
import { readCaption } from "./text-content.ts";

const limitBytes = {
  photo: 10 * 1024 * 1024,
  other: 50 * 1024 * 1024,
  photoByUrl: 5 * 1024 * 1024,
  otherByUrl: 20 * 1024 * 1024,
};

const kinds: Readonly<Record<MediaKind, Kind>> = {
  photo: { permission: "can_send_photos", noun: "photos" },
  document: { permission: "can_send_documents", noun: "documents" },
  voice: { permission: "can_send_voice_notes", noun: "voice notes" },
  audio: { permission: "can_send_audios", noun: "audios" },
  video: { permission: "can_send_videos", noun: "videos" },
  animation: { permission: "can_send_other_messages", noun: "animations" },
  sticker: { permission: "can_send_other_messages", noun: "stickers" },
};

const mediaTypes: Readonly<Record<MediaKind, string>> = {
  photo: "image/jpeg",
  document: "application/octet-stream",
  voice: "audio/ogg",
  audio: "audio/mpeg",
  video: "video/mp4",
  animation: "video/mp4",
  sticker: "image/webp",
};

/** @see https://core.telegram.org/bots/api#sendphoto and the methods like it. */
export function sendMedia(kind: MediaKind): Method {
  return async (call) => {
    const caption = kind === "sticker" ? {} : readCaption(call.world, call.parameters);
    const media = await readMedia(call, {
      kind,
      value: call.parameters.text(kind),
      field: kind,
      details: call.parameters,
    });
    return sendContent(call, kinds[kind], { ...media, ...caption });
  };
}

/** @see https://core.telegram.org/bots/api#sendmediagroup */
export const sendMediaGroup: Method = async (call) => {
  const stated = call.parameters.json("media");
  if (!Array.isArray(stated)) throw badRequest("can't parse media JSON object");
  if (stated.length === 0) throw badRequest("there are no messages to send");
  if (stated.length > 10) throw badRequest("too many messages to send as an album");
  const items = stated.map((item: unknown) => parametersOf(new Map(Object.entries(asRecord(item, "InputMedia")))));
  const types = new Set(items.map((item) => item.text("type") ?? ""));
  for (const lonely of ["document", "audio"]) {
    if (types.has(lonely) && types.size > 1) throw badRequest(`${lonely} can't be mixed with other media types`);
  }
  const chat = namedChat(call);
  const contents: MessageContent[] = [];
  for (const item of items) contents.push(await readInputMedia(call, item));
  const mediaGroupId = String(randomInteger(call.world.random, 1e15, 9e15));
  const kind = kinds[asKind(items[0]?.text("type") ?? "")];
  const messages = sendContents(call, { ...kind, chat, contents, mediaGroupId });
  return messages.map((message) => renderMessage(message, call.bot.user.id));
};

/** One file of an album, or what a message's file becomes. @throws ApiError */
export async function readInputMedia(call: Call, item: Parameters): Promise<MessageContent> {
  const kind = asKind(item.text("type") ?? "");
  const caption = readCaption(call.world, item);
  return { ...(await readMedia(call, { kind, value: item.text("media"), field: "media", details: item })), ...caption };
}

function asKind(type: string): MediaKind {
  if (type === "photo" || type === "document" || type === "audio" || type === "video" || type === "animation")
    return type;
  throw badRequest(`can't parse InputMedia: type "${type}" is unsupported`);
}

type MediaSource = {
  readonly kind: MediaKind;
  readonly value: string | null;
  /** The form's field that holds the file itself. */
  readonly field: string;
  readonly details: Parameters;
};

async function readMedia(call: Call, { kind, value, field, details }: MediaSource): Promise<MessageContent> {
  const file = await readFile(call, { kind, value, field });
  const size = kind === "photo" || kind === "sticker" ? imageSize(file.bytes) : null;
  if (kind === "photo") checkPhoto(size);
  return mediaContent(kind, file, {
    width: size?.width ?? details.integer("width") ?? undefined,
    height: size?.height ?? details.integer("height") ?? undefined,
    durationSeconds: details.integer("duration") ?? undefined,
    title: details.text("title") ?? undefined,
    performer: details.text("performer") ?? undefined,
    emoji: details.text("emoji") ?? undefined,
  });
}

function checkPhoto(size: { readonly width: number; readonly height: number } | null): void {
  if (!size || size.width === 0 || size.height === 0) throw badRequest("IMAGE_PROCESS_FAILED");
  const ratio = Math.max(size.width, size.height) / Math.min(size.width, size.height);
  if (size.width + size.height > 10_000 || ratio > 20) throw badRequest("PHOTO_INVALID_DIMENSIONS");
}

async function readFile(call: Call, { kind, value, field }: Omit<MediaSource, "details">): Promise<StoredFile> {
  const { folder } = mediaFolders[kind];
  const [, attached] = /^attach:\/\/(.+)$/s.exec(value ?? "") ?? [];
  const upload = call.files.get(attached ?? field);
  if (upload && (attached !== undefined || value === null)) return storeUpload(call, kind, upload);
  if (value === null || value === "" || attached !== undefined)
    throw badRequest(`there is no ${kind.replace("_", " ")} in the request`);
  if (/^https?:\/\//i.test(value)) return await fetchFile(call, kind, value);
  const file = call.world.files.byId(value);
  if (!file) throw badRequest("wrong remote file identifier specified: Wrong string length");
  if (file.folder !== folder) {
    const name = Object.values(mediaFolders).find((other) => other.folder === file.folder)?.name;
    throw badRequest(`can't use file of type ${name ?? "Document"} as ${mediaFolders[kind].name}`);
  }
  return file;
}

function storeUpload(call: Call, kind: MediaKind, { bytes, name, mediaType }: WireFile): StoredFile {
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  if (bytes.length > limitBytes.other) throw new ApiError(413, "Request Entity Too Large");
  if (kind === "photo" && bytes.length > limitBytes.photo) throw badRequest("file is too big");
  const isNamed = mediaType !== "" && mediaType !== "application/octet-stream";
  return call.world.files.add({
    bytes,
    name: name === "" ? "file" : name,
    mediaType: isNamed ? mediaType : mediaTypes[kind],
    folder: mediaFolders[kind].folder,
  });
}

/** A file that Telegram gets itself, from the address the bot gave. */
async function fetchFile(call: Call, kind: MediaKind, address: string): Promise<StoredFile> {
  const response = await download(call, address);
  const bytes = new Uint8Array(response.bytes);
  if (bytes.length > (kind === "photo" ? limitBytes.photoByUrl : limitBytes.otherByUrl))
    throw badRequest("failed to get HTTP URL content");
  if (kind === "photo" && imageSize(bytes) === null) throw badRequest("wrong type of the web page content");
  const name = new URL(address).pathname.split("/").at(-1) || "file";
  return call.world.files.add({
    bytes,
    name,
    mediaType: response.mediaType || mediaTypes[kind],
    folder: mediaFolders[kind].folder,
  });
}

async function download(
  call: Call,
  address: string,
): Promise<{ readonly bytes: ArrayBuffer; readonly mediaType: string }> {
  try {
    const response = await call.fetch(address, { signal: call.gone });
    if (!response.ok) throw badRequest("failed to get HTTP URL content");
    const [mediaType = ""] = (response.headers.get("content-type") ?? "").split(";");
    return { bytes: await response.arrayBuffer(), mediaType };
  } catch {
    throw badRequest("failed to get HTTP URL content");
  }
}
