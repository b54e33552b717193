import type { WireFile, WireRequest } from "@troupe/simulator-wire";
import { readComponents } from "./components.ts";
import { readEmbeds } from "./embeds.ts";
import { createFormErrors, refusal } from "./errors.ts";
import { type Form, isRecord, readForm } from "./form.ts";
import { type AllowedMentions, readAllowedMentions } from "./mentions.ts";

/** What a bot wants to say, checked for form but not for permission. null: the field was not there. */
export type MessageBody = {
  readonly content: string | null;
  readonly embeds: readonly unknown[] | null;
  readonly components: readonly unknown[] | null;
  readonly files: readonly NewFile[];
  /** The attachments an edit keeps; null: all. */
  readonly keptAttachmentIds: readonly string[] | null;
  readonly allowedMentions: AllowedMentions | null;
  readonly reference: NewReference | null;
  readonly stickerIds: readonly string[];
  readonly nonce: string | number | null;
  readonly isNonceEnforced: boolean;
  readonly isSpokenAloud: boolean;
  readonly flags: number;
};

/** A file to come with a message. */
export type NewFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly description: string | null;
  readonly bytes: Uint8Array;
};

/** What a message is to answer or to forward. */
export type NewReference = {
  readonly type: 0 | 1;
  readonly messageId: string;
  readonly channelId: string | null;
  readonly failsWithout: boolean;
};

/** The JSON of a request, also when it came beside files. @throws DiscordError 50109 */
export function readJson(request: WireRequest): unknown {
  const { body } = request;
  if (!isRecord(body) || typeof body["payload_json"] !== "string") return body ?? {};
  try {
    return JSON.parse(body["payload_json"]) as unknown;
  } catch {
    throw refusal("invalidJson");
  }
}

/** Reads what is to be said. @throws DiscordError 50035, 40005 */
export function readMessageBody(json: unknown, files: readonly WireFile[], limitFileBytes: number): MessageBody {
  const errors = createFormErrors();
  const form = readForm(json, errors);
  const body = readFields(form, files);
  errors.check();
  if (files.some((file) => file.bytes.length > limitFileBytes)) throw refusal("tooLarge");
  return body;
}

function readFields(form: Form, files: readonly WireFile[]): MessageBody {
  const attachments = form.forms("attachments", { max: 10 });
  if (files.length > 10) form.fail("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
  const { nonce, isEnforced } = readNonce(form);
  return {
    content: form.fields["content"] === null ? "" : form.text("content", { max: 2000 }),
    embeds: form.fields["embeds"] === null ? [] : readEmbeds(form),
    components: form.fields["components"] === null ? [] : readComponents(form),
    files: readFiles(form, attachments ?? [], files),
    keptAttachmentIds: attachments ? keptIds(attachments, files) : null,
    allowedMentions: readAllowedMentions(form),
    reference: readReference(form),
    stickerIds: form.snowflakes("sticker_ids", { max: 3 }) ?? [],
    nonce,
    isNonceEnforced: isEnforced,
    isSpokenAloud: form.flag("tts") ?? false,
    flags: form.integer("flags", { min: 0 }) ?? 0,
  };
}

function readNonce(form: Form): { readonly nonce: string | number | null; readonly isEnforced: boolean } {
  const isEnforced = form.flag("enforce_nonce") ?? false;
  const value = form.fields["nonce"];
  if (typeof value === "number" && Number.isSafeInteger(value)) return { nonce: value, isEnforced };
  return { nonce: form.text("nonce", { max: 25 }), isEnforced };
}

/** The place of a file in its form: 2 for `files[2]`. */
function placeOfFile(file: WireFile): string {
  return /\[(\d+)\]$/.exec(file.field)?.[1] ?? file.field;
}

function readFiles(form: Form, attachments: readonly Form[], files: readonly WireFile[]): NewFile[] {
  const described = new Map(attachments.map((attachment) => [String(attachment.fields["id"]), attachment]));
  return files.map((file) => {
    const about = described.get(placeOfFile(file));
    const name = about?.text("filename", { max: 1024 }) ?? file.name;
    if (name === "") form.errors.add(["attachments"], "BASE_TYPE_REQUIRED", "This field is required");
    return {
      name: name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_"),
      mediaType: file.mediaType,
      description: about?.text("description", { max: 1024 }) ?? null,
      bytes: file.bytes,
    };
  });
}

function keptIds(attachments: readonly Form[], files: readonly WireFile[]): string[] {
  const places = new Set(files.map(placeOfFile));
  return attachments.map((attachment) => String(attachment.fields["id"])).filter((id) => !places.has(id));
}

function readReference(form: Form): NewReference | null {
  const reference = form.form("message_reference");
  if (!reference) return null;
  const type = reference.integer("type", { min: 0, max: 1 }) === 1 ? 1 : 0;
  reference.require("message_id");
  if (type === 1) reference.require("channel_id");
  const messageId = reference.snowflake("message_id");
  if (messageId === null) return null;
  return {
    type,
    messageId,
    channelId: reference.snowflake("channel_id"),
    failsWithout: reference.flag("fail_if_not_exists") ?? true,
  };
}
