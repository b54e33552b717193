import type { Attachment, Content, Memory } from "../memory/memory.ts";
import type { PromptMessage } from "../model/model.ts";
import { escapeMessageText, escapeName } from "../state/escape.ts";

/** How much of the past a prompt may hold. */
export type HistoryBudget = {
  /** About so many messages before those to be answered: half as many at least, one and a half times as many at most. */
  readonly messages: number;
  /** Estimated tokens at most, all messages together; the newest are kept. */
  readonly tokens: number;
  /** Characters of a single message at most; the middle of a longer one is left out. */
  readonly messageCharacters: number;
};

/** Used where a character says nothing else. */
export const defaultHistoryBudget: HistoryBudget = { messages: 32, tokens: 6_000, messageCharacters: 12_000 };

/** The budget of a character that may say how many messages and tokens it wants to see. */
export function historyBudget(wanted: {
  readonly historyMessages?: number;
  readonly historyTokens?: number;
}): HistoryBudget {
  const { historyMessages: messages, historyTokens: tokens } = wanted;
  return {
    ...defaultHistoryBudget,
    ...(messages !== undefined && { messages }),
    ...(tokens !== undefined && { tokens }),
  };
}

/** About how many tokens a text has: four characters of an alphabet, or one of a script that writes words with one sign. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 0x2e80 ? 1 : 4;
  return Math.ceil(quarters / 4);
}

/** How many messages before those to be answered {@link historyMessages} wants to see; it shows fewer. */
export function historyReach({ messages }: HistoryBudget): number {
  return 2 * messages;
}

/** Of these it shows so many at most. */
function historyMost({ messages }: HistoryBudget): number {
  return Math.floor(1.5 * messages);
}

/**
 * The conversation as prompt messages, oldest first; `messages` ends with those to be answered, which are always kept.
 *
 * When more was said than fits, the beginning does not move with every message, which would make each prompt new from its start
 * and waste what vendors cache: counted from the message with the smallest id in reach, it stands at a multiple of a span. Ids
 * are hashes, so that message stays the smallest for a while, and until then the beginning rests and jumps by spans. Nothing is
 * kept for it: the same messages give the same beginning, also after a crash. A span is at most two thirds of what fits: a third
 * of it, the newest, is always there.
 * @see https://doi.org/10.4230/LIPIcs.WABI.2024.11 (minimizers that sample by a modulus)
 */
export function historyMessages(
  messages: readonly Memory[],
  answered: number,
  budget: HistoryBudget,
  show: ShowMemory = showMemory,
): PromptMessage[] {
  const earlier = Math.max(0, messages.length - answered);
  const shown = messages.slice(earlier).map((memory) => show(memory, budget.messageCharacters));
  let tokens = shown.flat().reduce((sum, { content }) => sum + estimateTokens(content), 0);
  let from = earlier;
  const most = historyMost(budget);
  while (from > 0 && earlier - from < most) {
    const memory = messages[from - 1];
    if (!memory) break;
    const message = show(memory, budget.messageCharacters);
    tokens += message.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    if (tokens > budget.tokens) break;
    shown.unshift(message);
    from -= 1;
  }
  if (from === 0 && earlier < most) return shown.flat();
  const reach = messages.slice(Math.max(0, earlier - historyReach(budget)), earlier);
  const fitting = earlier - from;
  return shown.slice(restAt(reach, fitting, fitting === most ? budget.messages : spanOf(fitting))).flat();
}

/** Where the tokens are the bound, how much fits changes from message to message; the span should not. */
function spanOf(fitting: number): number {
  return 2 ** Math.max(0, Math.floor(Math.log2((fitting * 2) / 3)));
}

/** How many of the newest `fitting` messages to leave out, so that the beginning rests. */
function restAt(reach: readonly Memory[], fitting: number, span: number): number {
  if (span <= 1) return 0;
  const smallest = reach.reduce((found, { id }, at) => (id < (reach[found]?.id ?? "") ? at : found), 0);
  const first = reach.length - fitting;
  return (((smallest - first) % span) + span) % span;
}

/** Of what an attachment shows a message says so much; the rest of it the newest ones are told in full. */
const attachedCharacters = 300;

/** A question that was asked by command is shown as the question it is. */
function spokenText({ text, command }: Content): string {
  if (command?.name !== "ask") return text;
  const asked = command.parameters["question"] ?? command.parameters["text"];
  return typeof asked === "string" && asked.trim() !== "" ? asked : text;
}

/** How a message of the past is shown, of at most so many characters. */
export type ShowMemory = (memory: Memory, maxCharacters: number) => readonly PromptMessage[];

const showMemory: ShowMemory = (memory, maxCharacters) => [toPromptMessage(memory, maxCharacters)];

/** One message: our own as the assistant's, anybody else's as data with the writer's name. `escape` makes their words safe. */
export function toPromptMessage(
  memory: Memory,
  maxCharacters: number,
  escape: (text: string) => string = escapeMessageText,
): PromptMessage {
  const text = shorten(spokenText(memory.content), maxCharacters);
  if (memory.entityId === memory.agentId) return { role: "assistant", content: text };
  const name = typeof memory.metadata?.["entityName"] === "string" ? memory.metadata["entityName"] : "somebody";
  const attached = (memory.content.attachments ?? [])
    .map((attachment) => `\n[attached: ${escape(inShort(attachment))}]`)
    .join("");
  return {
    role: "user",
    content: `<message from="${escapeName(name)}">${escape(text)}${attached}</message>`,
  };
}

function inShort({ title, mediaType, description }: Attachment): string {
  return shorten(description ?? title ?? mediaType ?? "a file", attachedCharacters);
}

/** A text of at most about so many characters: the middle of a longer one is left out. */
export function shorten(text: string, maxCharacters: number): string {
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
