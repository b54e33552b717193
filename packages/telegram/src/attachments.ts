import type { Attachment } from "@troupe/core";
import { type Fields, fieldsOf, integerIn, listIn, numberIn, textIn } from "./payload.ts";

/** Files have no address of their own: this stands for one, and the client gets it. */
export const fileScheme = "troupe-telegram:";

const mediaTypes: Readonly<Record<string, string>> = {
  photo: "image/jpeg",
  voice: "audio/ogg",
  audio: "audio/mpeg",
  video: "video/mp4",
  video_note: "video/mp4",
  animation: "video/mp4",
  sticker: "image/webp",
  document: "application/octet-stream",
};

/** The files that came with a message. Of a photo's sizes the largest; moving stickers are none. */
export function attachmentsOf(fields: Fields): readonly Attachment[] {
  const photo = listIn(fields, "photo").toSorted((one, other) => areaOf(other) - areaOf(one))[0];
  if (photo) return toAttachment("photo", photo);
  // An animation comes as a document too, for older programs.
  const kind = ["animation", "document", "voice", "audio", "video", "video_note"].find((one) => fieldsOf(fields[one]));
  if (kind) return toAttachment(kind, fieldsOf(fields[kind]));
  const sticker = fieldsOf(fields["sticker"]);
  const isStill = sticker?.["is_animated"] !== true && sticker?.["is_video"] !== true;
  return isStill ? toAttachment("sticker", sticker) : [];
}

const areaOf = (photo: Fields): number => (integerIn(photo, "width") ?? 0) * (integerIn(photo, "height") ?? 0);

function toAttachment(kind: string, file: Fields | null): readonly Attachment[] {
  const fileId = textIn(file, "file_id");
  if (fileId === undefined || fileId === "") return [];
  const mediaType = textIn(file, "mime_type") ?? mediaTypes[kind];
  const title = textIn(file, "file_name") ?? textIn(file, "title");
  const sizeBytes = integerIn(file, "file_size");
  return [
    {
      id: textIn(file, "file_unique_id") ?? fileId,
      url: `${fileScheme}${fileId}`,
      ...(mediaType !== undefined && { mediaType }),
      ...(title !== undefined && { title }),
      ...(sizeBytes !== undefined && sizeBytes >= 0 && { sizeBytes }),
    },
  ];
}

/** In words what is neither text nor file: a sticker, a place, a person, a poll, a die. Undefined when there is none. */
export function describedContent(fields: Fields): string | undefined {
  const sticker = fieldsOf(fields["sticker"]);
  if (sticker) return inBrackets("sticker", textIn(sticker, "emoji"));
  const venue = fieldsOf(fields["venue"]);
  const place = fieldsOf(venue?.["location"]) ?? fieldsOf(fields["location"]);
  if (place) return inBrackets("location", textIn(venue, "title"), textIn(venue, "address"), coordinates(place));
  const contact = fieldsOf(fields["contact"]);
  if (contact) {
    const name = [textIn(contact, "first_name"), textIn(contact, "last_name")].filter(Boolean).join(" ");
    return inBrackets("contact", name, textIn(contact, "phone_number"));
  }
  const poll = fieldsOf(fields["poll"]);
  if (poll) {
    const options = listIn(poll, "options").flatMap((option) => textIn(option, "text") ?? []);
    return inBrackets("poll", textIn(poll, "question"), options.join(" / "));
  }
  const dice = fieldsOf(fields["dice"]);
  if (dice) return inBrackets("dice", textIn(dice, "emoji"), integerIn(dice, "value")?.toString());
  const game = fieldsOf(fields["game"]);
  if (game) return inBrackets("game", textIn(game, "title"));
  return fieldsOf(fields["story"]) ? "[story]" : undefined;
}

function coordinates(place: Fields): string | undefined {
  const latitude = numberIn(place, "latitude");
  const longitude = numberIn(place, "longitude");
  return latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
}

function inBrackets(what: string, ...details: readonly (string | undefined)[]): string {
  const told = details.filter((detail) => detail !== undefined && detail.trim() !== "");
  return told.length === 0 ? `[${what}]` : `[${what}: ${told.join(", ")}]`;
}

/** What a file is sent as: the method, and the name its field has. */
export type SentAs = { readonly method: string; readonly field: string };

/** How a file of a media type is shown best; `document` is always possible. */
export function sentAs(mediaType: string | undefined): SentAs {
  switch (mediaType?.toLowerCase().split(";")[0]) {
    case "image/jpeg":
    case "image/png":
    case "image/webp":
      return { method: "sendPhoto", field: "photo" };
    case "image/gif":
      return { method: "sendAnimation", field: "animation" };
    case "audio/ogg":
    case "audio/opus":
      return { method: "sendVoice", field: "voice" };
    case "audio/mpeg":
    case "audio/mp4":
    case "audio/x-m4a":
      return { method: "sendAudio", field: "audio" };
    case "video/mp4":
      return { method: "sendVideo", field: "video" };
    default:
      return asDocument;
  }
}

/** As a file to be downloaded. */
export const asDocument: SentAs = { method: "sendDocument", field: "document" };

/** A file to be uploaded, as telegraf takes it. */
export type Upload = { readonly source: Buffer | string; readonly filename: string };

/**
 * What Telegram is given of an attachment: the name of a file it has, an address it gets it from, or bytes; null when it is
 * none of these. Files of this machine are named by `file:` addresses, small ones may stand in a `data:` address.
 */
export function toInputFile({ url, title, mediaType }: Attachment): string | Upload | null {
  if (url.startsWith(fileScheme)) return url.slice(fileScheme.length);
  const address = URL.parse(url);
  switch (address?.protocol) {
    case "http:":
    case "https:":
      return url;
    case "file:": {
      const path = decodeURIComponent(address.pathname);
      return { source: path, filename: title ?? path.split("/").at(-1) ?? "file" };
    }
    case "data:": {
      const [, encoding, body = ""] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(url) ?? [];
      const source = encoding === undefined ? Buffer.from(safelyDecoded(body)) : Buffer.from(body, "base64");
      return source.length === 0 ? null : { source, filename: title ?? fileName(mediaType) };
    }
    default:
      return null;
  }
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fileName(mediaType: string | undefined): string {
  const [, ending = "bin"] = /\/([a-z0-9]+)/i.exec(mediaType ?? "") ?? [];
  return `file.${ending === "jpeg" ? "jpg" : ending === "plain" ? "txt" : ending}`;
}
