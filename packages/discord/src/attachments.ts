import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Attachment } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";
import type { DiscordApi, Upload } from "./api.ts";

/** Discord's limit for bots where nobody pays for more. */
const limitBytes = 10 * 1024 * 1024;
const mostFiles = 10;

/** Files to be uploaded, and the addresses of those that are shown as links instead. */
export type Enclosures = { readonly uploads: readonly Upload[]; readonly links: readonly string[] };

/**
 * Gets what goes out with a message: from `http(s):`, `file:` or `data:`. What cannot be fetched or is too large stays a link.
 * @throws ClientError `invalid` naming the file when one that is no web address cannot be read or is too large.
 */
export async function gather(
  attachments: readonly Attachment[],
  api: Pick<DiscordApi, "download">,
  signal: AbortSignal,
): Promise<Enclosures> {
  const uploads: Upload[] = [];
  const links: string[] = [];
  for (const attachment of attachments) {
    const isWeb = /^https?:/i.test(attachment.url);
    if (uploads.length >= mostFiles && isWeb) {
      links.push(attachment.url);
      continue;
    }
    try {
      if (uploads.length >= mostFiles) throw new Error(`a message takes ${mostFiles} files`);
      uploads.push(await fetchOne(attachment, api, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (isWeb) links.push(attachment.url);
      else throw new ClientError("invalid", `The file ${nameOf(attachment)} cannot be sent: ${errorMessage(error)}.`);
    }
  }
  return { uploads, links };
}

async function fetchOne(
  attachment: Attachment,
  api: Pick<DiscordApi, "download">,
  signal: AbortSignal,
): Promise<Upload> {
  const { url } = attachment;
  const name = nameOf(attachment);
  if (/^file:/i.test(url)) {
    const path = fileURLToPath(url);
    const { size } = await stat(path);
    if (size > limitBytes) throw new Error(`it has ${size} bytes, and Discord takes ${limitBytes}`);
    return withType(name, await readFile(path, { signal }), attachment.mediaType);
  }
  if (!/^(https?|data):/i.test(url)) throw new Error("its address must begin with https:, file: or data:");
  const { bytes, mediaType } = await api.download(url, limitBytes, signal);
  return withType(name, bytes, attachment.mediaType ?? mediaType ?? undefined);
}

function withType(name: string, bytes: Uint8Array, mediaType: string | undefined): Upload {
  return { name, bytes, ...(mediaType !== undefined && { mediaType }) };
}

/** What the file is called on Discord. */
function nameOf({ title, url, id }: Attachment): string {
  const last = /^(https?|file):/i.test(url) && URL.canParse(url) ? basename(new URL(url).pathname) : "";
  const name = [title, last, id].find((one) => one !== undefined && one.trim() !== "") ?? "file";
  return name.replaceAll(/[\\/\p{Cc}]/gu, "_").slice(-200);
}
