import type { Character } from "../character/character.ts";
import type { Memory } from "../memory/memory.ts";
import { escapeMessageText, escapeName } from "./escape.ts";
import type { RegisteredProvider, StateRequest } from "./provider.ts";
import type { Surroundings } from "./surroundings.ts";

const recentMessages = 20;
const longestMessage = 1_000;

type Parts = { readonly character: Character; readonly surroundings: Surroundings };

/**
 * RECENT_MESSAGES: the conversation as text, for templates and plugins that ask for it; the model is shown it as chat messages
 * anyway.
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
  ];
}

function lineOf({ agentId, entityId, content, metadata }: Memory, agentName: string): string {
  const text = [...content.text].slice(0, longestMessage).join("");
  if (entityId === agentId) return `${agentName}: ${text}`;
  const name = typeof metadata?.["entityName"] === "string" ? metadata["entityName"] : "somebody";
  return `<message from="${escapeName(name)}">${escapeMessageText(text)}</message>`;
}
