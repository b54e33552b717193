/** How a file is looked at. A `video` is not; of an `unknown` one its first bytes tell. */
export type AttachmentKind = "image" | "audio" | "video" | "document" | "unknown";

const extensions: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  m4a: "audio/mp4",
  flac: "audio/flac",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

/** The kinds of images a model is shown. */
export const describableImages: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** What a file is by its media type, else by its name. */
export function attachmentKind(mediaType: string | undefined, name: string): AttachmentKind {
  const type = plainType(mediaType) ?? extensions[/\.([a-z0-9]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? ""];
  if (type === undefined || type === "application/octet-stream") {
    return /\.[a-z0-9]{1,8}$/iu.test(name) ? "document" : "unknown";
  }
  if (type === "image/svg+xml") return "document";
  const [family] = type.split("/");
  if (family === "image" || family === "audio" || family === "video") return family;
  return type === "application/ogg" ? "audio" : "document";
}

/** The media type an image or a recording gives itself away by; undefined for anything else. */
export function sniffMedia(bytes: Uint8Array): string | undefined {
  const at = (from: number, length: number): string => String.fromCharCode(...bytes.subarray(from, from + length));
  if (at(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (at(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (at(0, 4) === "GIF8") return "image/gif";
  if (at(0, 4) === "RIFF") return { WEBP: "image/webp", WAVE: "audio/wav" }[at(8, 4)];
  if (at(0, 4) === "OggS") return "audio/ogg";
  if (at(0, 4) === "fLaC") return "audio/flac";
  if (at(0, 3) === "ID3" || at(0, 2) === "\xff\xfb") return "audio/mpeg";
  if (at(4, 4) === "ftyp") return at(8, 3) === "M4A" ? "audio/mp4" : "video/mp4";
  return undefined;
}

/** Lower case and without parameters. */
export function plainType(mediaType: string | undefined): string | undefined {
  return mediaType?.split(";")[0]?.trim().toLowerCase() || undefined;
}
