import { invalidBody, invalidParameter, invalidRequest } from "../problem.ts";
import type { Media } from "../world/world.ts";
import { id, type JsonObject, objectBody, optionalObject, optionalText, text } from "./json-body.ts";
import { asUser, type Call, idParameter, type Reply, type Route, userOf } from "./route.ts";

const scopes = ["media.write"];
const megabyte = 1024 * 1024;
const expiresAfterSeconds = 86_400;

const kinds: Readonly<
  Record<string, { readonly type: Media["type"]; readonly limitBytes: number; readonly prefix: string }>
> = {
  "image/jpeg": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/png": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/webp": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/bmp": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/pjpeg": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/tiff": { type: "photo", limitBytes: 5 * megabyte, prefix: "3" },
  "image/gif": { type: "animated_gif", limitBytes: 15 * megabyte, prefix: "16" },
  "video/mp4": { type: "video", limitBytes: 512 * megabyte, prefix: "7" },
  "video/quicktime": { type: "video", limitBytes: 512 * megabyte, prefix: "7" },
  "video/webm": { type: "video", limitBytes: 512 * megabyte, prefix: "7" },
  "video/mp2t": { type: "video", limitBytes: 512 * megabyte, prefix: "7" },
};

/** Uploading media and describing it. */
export const mediaRoutes: readonly Route[] = [
  { endpoint: "POST /2/media/upload/initialize", auth: asUser, scopes, needs: "write", handle: initialize },
  { endpoint: "POST /2/media/upload/:id/append", auth: asUser, scopes, needs: "write", handle: append },
  {
    endpoint: "POST /2/media/upload/:id/finalize",
    auth: asUser,
    scopes,
    needs: "write",
    handle: (call) => {
      const media = ownMedia(call, idParameter(call, "id"));
      finalize(call, media);
      return { body: { data: { ...described(media), size: media.totalBytes, ...processing(call, media) } } };
    },
  },
  { endpoint: "POST /2/media/upload", auth: asUser, scopes, needs: "write", handle: upload },
  {
    endpoint: "GET /2/media/upload",
    auth: asUser,
    scopes,
    query: ["command", "media_id"],
    handle: (call) => {
      const command = call.query.get("command") ?? "STATUS";
      if (command !== "STATUS") throw invalidParameter("command", command, "is not one of [STATUS]");
      const media = ownMedia(call, call.query.get("media_id") ?? "");
      return { body: { data: { ...described(media), size: media.totalBytes, ...processing(call, media) } } };
    },
  },
  { endpoint: "POST /2/media/metadata", auth: asUser, scopes, needs: "write", handle: describe },
];

function initialize(call: Call): Reply {
  const body = objectBody(call.body, ["media_type", "total_bytes", "media_category", "additional_owners", "shared"]);
  const totalBytes = body["total_bytes"];
  if (typeof totalBytes !== "number" || !Number.isInteger(totalBytes) || totalBytes < 1) {
    throw invalidBody("$.total_bytes", "must be an integer of at least 1");
  }
  const media = open(call, {
    mediaType: text(body, "media_type"),
    totalBytes,
    category: optionalText(body, "media_category"),
  });
  return { body: { data: described(media) } };
}

type Opening = { readonly mediaType: string; readonly totalBytes: number; readonly category: string | undefined };

function open(call: Call, { mediaType, totalBytes, category }: Opening): Media {
  const kind = Object.hasOwn(kinds, mediaType) ? kinds[mediaType] : undefined;
  if (kind === undefined)
    throw invalidBody("$.media_type", `does not have a value in the enumeration [${Object.keys(kinds).join(", ")}]`);
  if (totalBytes > kind.limitBytes) {
    throw invalidBody("$.total_bytes", `File size exceeds ${kind.limitBytes} bytes.`);
  }
  const mediaId = call.world.newId();
  const media: Media = {
    id: mediaId,
    key: `${kind.prefix}_${mediaId}`,
    ownerId: userOf(call).id,
    type: kind.type,
    mediaType,
    category: category ?? "tweet_image",
    totalBytes,
    createdAtMs: call.world.clock.now(),
    segments: new Map(),
    readyAtMs: null,
    altText: null,
  };
  call.world.media.set(mediaId, media);
  return media;
}

function append(call: Call): Reply {
  const media = ownMedia(call, idParameter(call, "id"));
  if (media.readyAtMs !== null) throw invalidBody("$.media", "the upload is finalized already");
  const fields = fieldsOf(call.body);
  const index = String(fields["segment_index"] ?? "");
  if (!/^\d{1,3}$/.test(index)) throw invalidBody("$.segment_index", "must be an integer between 0 and 999");
  media.segments.set(Number(index), bytesOf(call));
  return { body: { data: { expires_at: Math.floor(media.createdAtMs / 1000) + expiresAfterSeconds } } };
}

function finalize(call: Call, media: Media): void {
  const size = [...media.segments.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  const isWhole = [...media.segments.keys()].sort((a, b) => a - b).every((index, place) => index === place);
  if (size !== media.totalBytes || !isWhole) {
    throw invalidRequest({
      parameters: { id: [media.id] },
      message: `Segments do not add up to provided total file size: ${size} of ${media.totalBytes} bytes.`,
    });
  }
  const worksMs = media.type === "photo" ? 0 : call.rules.videoProcessingMs;
  media.readyAtMs ??= call.world.clock.now() + worksMs;
  call.world.changed();
}

function upload(call: Call): Reply {
  const fields = fieldsOf(call.body);
  const bytes = bytesOf(call);
  const mediaType = String(fields["media_type"] ?? call.files.find(({ field }) => field === "media")?.mediaType ?? "");
  const category = String(fields["media_category"] ?? "tweet_image");
  const media = open(call, { mediaType, totalBytes: bytes.length, category });
  media.segments.set(0, bytes);
  finalize(call, media);
  return { body: { data: { ...described(media), size: media.totalBytes, ...processing(call, media) } } };
}

function describe(call: Call): Reply {
  const body = objectBody(call.body, ["id", "metadata"]);
  const media = ownMedia(call, id(body, "id"));
  const metadata = optionalObject(body, "metadata", ["alt_text"]) ?? {};
  const alt = optionalObject(metadata, "alt_text", ["text"]) ?? {};
  const altText = text(alt, "text");
  if ([...altText].length > 1000) throw invalidBody("$.metadata.alt_text.text", "must be at most 1000 characters long");
  media.altText = altText;
  call.world.changed();
  return {
    body: { data: { id: media.id, associated_metadata: { alt_text: { text: altText } } } },
    price: "media-metadata",
  };
}

function ownMedia(call: Call, mediaId: string): Media {
  const media = call.world.media.get(mediaId);
  if (media === undefined || media.ownerId !== userOf(call).id) {
    throw invalidRequest({ parameters: { id: [mediaId] }, message: "Your media IDs are invalid." });
  }
  return media;
}

function fieldsOf(body: unknown): JsonObject {
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body))
    : {};
}

// A file of a form, or base64 in JSON.
function bytesOf({ files, body }: Call): Uint8Array {
  const file = files.find(({ field }) => field === "media");
  const encoded = fieldsOf(body)["media"];
  const bytes = file?.bytes ?? (typeof encoded === "string" ? Buffer.from(encoded, "base64") : Buffer.alloc(0));
  if (bytes.length === 0) throw invalidBody("$.media", "is missing but it is required");
  return bytes;
}

function described(media: Media): JsonObject {
  return { id: media.id, media_key: media.key, expires_after_secs: expiresAfterSeconds };
}

function processing({ world }: Call, media: Media): JsonObject {
  if (media.type === "photo" || media.readyAtMs === null) return {};
  const restMs = media.readyAtMs - world.clock.now();
  if (restMs <= 0) return { processing_info: { state: "succeeded", progress_percent: 100 } };
  return { processing_info: { state: "in_progress", check_after_secs: Math.ceil(restMs / 1000), progress_percent: 0 } };
}
