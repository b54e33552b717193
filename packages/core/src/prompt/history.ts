import type { Memory } from "../memory/memory.ts";
import type { PromptMessage } from "../model/model.ts";
import { escapeMessageText, escapeName } from "../state/escape.ts";

/** How much of the past a prompt may hold. */
export type HistoryBudget = {
  /** Messages at most. */
  readonly messages: number;
  /** Estimated tokens at most, all messages together; the newest are kept. */
  readonly tokens: number;
  /** Characters of a single message at most; the middle of a longer one is left out. */
  readonly messageCharacters: number;
};

/** Used where a character says nothing else. */
export const defaultHistoryBudget: HistoryBudget = { messages: 32, tokens: 6_000, messageCharacters: 12_000 };

/** About how many tokens a text has: four characters of an alphabet, or one of a script that writes words with one sign. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 0x2e80 ? 1 : 4;
  return Math.ceil(quarters / 4);
}

/** The conversation as prompt messages, oldest first; `messages` ends with those to be answered, which are always kept. */
export function historyMessages(messages: readonly Memory[], answered: number, budget: HistoryBudget): PromptMessage[] {
  const kept: PromptMessage[] = [];
  let tokens = 0;
  for (let at = messages.length - 1; at >= 0 && kept.length < budget.messages + answered; at--) {
    const memory = messages[at];
    if (!memory) continue;
    const message = toPromptMessage(memory, budget.messageCharacters);
    tokens += estimateTokens(message.content);
    const isAnswered = at >= messages.length - answered;
    if (tokens > budget.tokens && !isAnswered) break;
    kept.push(message);
  }
  return kept.reverse();
}

/** One message: our own as the assistant's, anybody else's as data with the writer's name. */
function toPromptMessage(memory: Memory, maxCharacters: number): PromptMessage {
  const text = shorten(memory.content.text, maxCharacters);
  if (memory.entityId === memory.agentId) return { role: "assistant", content: text };
  const name = typeof memory.metadata?.["entityName"] === "string" ? memory.metadata["entityName"] : "somebody";
  const attached = (memory.content.attachments ?? [])
    .map(
      (attachment) =>
        `\n[attached: ${escapeMessageText(attachment.description ?? attachment.title ?? attachment.mediaType ?? "a file")}]`,
    )
    .join("");
  return {
    role: "user",
    content: `<message from="${escapeName(name)}">${escapeMessageText(text)}${attached}</message>`,
  };
}

function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)} … [${left} characters left out] … ${text.slice(-half)}`.toWellFormed();
}

/** Joins neighbours of one role, as models want roles to alternate; the journal keeps them apart. */
export function mergeRoles(messages: readonly PromptMessage[]): PromptMessage[] {
  const merged: PromptMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role)
      merged[merged.length - 1] = { role: last.role, content: `${last.content}\n${message.content}` };
    else merged.push(message);
  }
  return merged;
}
