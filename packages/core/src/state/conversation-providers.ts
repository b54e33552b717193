import type { Character } from "../character/character.ts";
import type { JsonObject } from "../json.ts";
import type { Attachment, Memory } from "../memory/memory.ts";
import { escapeMessageText, escapeName } from "./escape.ts";
import type { Provided, RegisteredProvider, StateRequest } from "./provider.ts";
import type { Surroundings } from "./surroundings.ts";

const recentMessages = 20;
const longestMessage = 1_000;
/** Attachments further back stand in the conversation by their names. */
const messagesWithAttachments = 6;
const mostAttachments = 8;
const longestDescription = 1_500;

type Parts = { readonly character: Character; readonly surroundings: Surroundings };

/**
 * RECENT_MESSAGES: the conversation as text, for templates and plugins that ask for it; the model is shown it as chat messages
 * anyway. ATTACHMENTS: what came with the newest messages.
 */
export function conversationProviders({ character, surroundings }: Parts): readonly RegisteredProvider[] {
  const conversationOf = async ({ conversation, message }: StateRequest): Promise<readonly Memory[]> =>
    conversation ?? (await surroundings.recent(message.roomId, recentMessages));
  return [
    {
      name: "RECENT_MESSAGES",
      position: 100,
      isPrivate: true,
      async get(request) {
        const said = (await conversationOf(request)).slice(-recentMessages);
        const text = said.map((memory) => lineOf(memory, character.name)).join("\n");
        return { text, values: { recentMessages: text }, data: { messageIds: said.map(({ id }) => id) } };
      },
    },
    {
      name: "ATTACHMENTS",
      position: 400,
      get: (request) => {
        const { conversation, message } = request;
        return attachments((conversation ?? [message]).slice(-messagesWithAttachments));
      },
    },
  ];
}

function lineOf({ agentId, entityId, content, metadata }: Memory, agentName: string): string {
  const text = [...content.text].slice(0, longestMessage).join("");
  if (entityId === agentId) return `${agentName}: ${text}`;
  const name = typeof metadata?.["entityName"] === "string" ? metadata["entityName"] : "somebody";
  return `<message from="${escapeName(name)}">${escapeMessageText(text)}</message>`;
}

function attachments(messages: readonly Memory[]): Provided {
  const newest = messages.flatMap(({ content }) => content.attachments ?? []).slice(-mostAttachments);
  if (newest.length === 0) return {};
  return {
    text: `<attachments>\n${newest.map(describe).join("\n")}\n</attachments>`,
    data: { attachments: newest.map((attachment): JsonObject => ({ ...attachment })) },
  };
}

/** `photo.png (image/png): a cat on a roof`; one of which nobody could say what it shows is named all the same. */
function describe({ title, mediaType, description, url }: Attachment): string {
  const name = escapeName(title ?? fileName(url) ?? "a file");
  const kind = mediaType === undefined ? "" : ` (${escapeName(mediaType)})`;
  if (description === undefined || description.trim() === "")
    return `- ${name}${kind}: what it holds could not be read`;
  const all = [...escapeMessageText(description.trim())];
  const told = all.slice(0, longestDescription).join("");
  const left = all.length - longestDescription;
  return `- ${name}${kind}: ${told}${left > 0 ? ` … [${left} characters left out]` : ""}`;
}

function fileName(url: string): string | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return path.split("/").at(-1) || undefined;
}
