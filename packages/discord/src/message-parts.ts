import type { Attachment } from "@troupe/core";
import { idOf, numberOf, type Raw, recordOf, recordsOf, textOf } from "./read.ts";
import { type Names, readableText } from "./text.ts";

/** What a message says in words, and the files that came with it. */
export type MessageParts = { readonly text: string; readonly attachments: readonly Attachment[] };

/** More would be a book, not a message. */
const longestEmbed = 4_000;

/** Text, stickers, embeds that somebody wrote, polls and forwards as words; files of the message and of what it forwards. */
export function contentParts(message: Raw, names: Names): MessageParts {
  const forwarded = recordsOf(message["message_snapshots"]).map((snapshot) =>
    contentParts(withoutSnapshots(recordOf(snapshot["message"])), names),
  );
  const lines = [
    readableText(textOf(message["content"]) ?? "", names),
    ...recordsOf(message["sticker_items"]).map(({ name }) => `[sticker: ${textOf(name) ?? "unnamed"}]`),
    ...recordsOf(message["embeds"]).flatMap((embed) => embedText(embed, names) ?? []),
    ...pollText(message),
    ...forwarded.map(({ text }) => `[forwarded message]${text === "" ? "" : ` ${text}`}`),
  ];
  return {
    text: lines.filter((line) => line !== "").join("\n"),
    attachments: [
      ...recordsOf(message["attachments"]).flatMap((file) => toAttachment(file) ?? []),
      ...forwarded.flatMap(({ attachments }) => attachments),
    ],
  };
}

/** Forwards do not nest; what says otherwise is not followed. */
function withoutSnapshots(message: Raw): Raw {
  return { ...message, message_snapshots: [] };
}

/** A file, still at its own address, which is good for about a day. */
function toAttachment(file: Raw): Attachment | null {
  const id = idOf(file["id"]);
  const url = textOf(file["url"]);
  if (id === null || url === null || !URL.canParse(url)) return null;
  const mediaType = textOf(file["content_type"]);
  const title = textOf(file["filename"]);
  const sizeBytes = numberOf(file["size"]);
  const description = textOf(file["description"]);
  return {
    id,
    url,
    ...(mediaType !== null && { mediaType }),
    ...(title !== null && { title }),
    ...(sizeBytes !== null && { sizeBytes }),
    ...(description !== null && { description }),
  };
}

/** What bots and webhooks write into an embed; previews that Discord makes of links are nobody's words. */
function embedText(embed: Raw, names: Names): string | null {
  if ((textOf(embed["type"]) ?? "rich") !== "rich") return null;
  const fields = recordsOf(embed["fields"]).map(({ name, value }) =>
    [textOf(name), textOf(value)].filter(Boolean).join(": "),
  );
  const lines = [
    textOf(recordOf(embed["author"])["name"]),
    textOf(embed["title"]),
    textOf(embed["description"]),
    ...fields,
    textOf(recordOf(embed["footer"])["text"]),
  ].filter((line): line is string => line !== null && line !== "");
  if (lines.length === 0) return null;
  const text = readableText(lines.join("\n"), names);
  return text.length <= longestEmbed ? text : `${text.slice(0, longestEmbed).toWellFormed()}…`;
}

function pollText(message: Raw): readonly string[] {
  const poll = recordOf(message["poll"]);
  const question = textOf(recordOf(poll["question"])["text"]);
  if (question === null) return [];
  const answers = recordsOf(poll["answers"]).flatMap(({ poll_media: media }) => textOf(recordOf(media)["text"]) ?? []);
  return [`[poll] ${question}${answers.length > 0 ? ` (${answers.join(" / ")})` : ""}`];
}
