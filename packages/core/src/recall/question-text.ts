import type { Memory } from "../memory/memory.ts";
import type { StateRequest } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import { type SpokenWords, wordsIn } from "./spoken-words.ts";

/** What a message is about, as it is looked for. */
export type QuestionParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories">;
  /** Absent: only what stands with the message already counts as its words. */
  readonly spoken?: SpokenWords;
};

/** Fewer words than this lean on what was said before: "and in Germany?" */
const fewestWords = 5;
/** In scripts that put no spaces between words, fewer characters than this. */
const fewestCharacters = 9;
/** Of each message before so much counts. */
const beforeCharacters = 300;
const longestRecording = 1_000;

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

/**
 * The words to look for: the message's own with those of its recordings, and, where they are few, before them what was said just
 * before and what the person had said before that. Empty when the message says nothing.
 */
export async function questionText(
  { message, conversation }: Pick<StateRequest, "message" | "conversation">,
  parts: QuestionParts,
): Promise<string> {
  const own = await wordsOf(message, parts);
  if (own === "" || !isShort(own)) return own;
  const before = earlierOf(message, conversation) ?? (await readEarlier(message, parts));
  const last = before.at(-1);
  if (!last) return own;
  const theirs =
    last.entityId === message.agentId ? before.findLast(({ entityId }) => entityId === message.entityId) : null;
  const leaning = [theirs, last].flatMap((memory) => (memory ? start(plainWords(memory)) : []));
  return [...leaning, own].filter((words) => words !== "").join("\n");
}

async function wordsOf(message: Memory, { spoken }: QuestionParts): Promise<string> {
  const { text, attachments = [] } = message.content;
  const heard = spoken ? await spoken.of(message) : wordsIn(attachments);
  return [text.trim(), cut(heard.trim(), longestRecording)].filter((words) => words !== "").join("\n");
}

/** Whether it says too little to be looked for by itself. */
export function isShort(text: string): boolean {
  const characters = text.match(unspaced)?.length ?? 0;
  if (characters > 0) return characters < fewestCharacters;
  return (text.match(/[\p{L}\p{N}\p{M}]+/gu)?.length ?? 0) < fewestWords;
}

function plainWords({ content: { text, attachments = [] } }: Memory): string {
  return [text.trim(), wordsIn(attachments)].filter((words) => words !== "").join("\n");
}

function start(text: string): string {
  return cut(text, beforeCharacters);
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).toWellFormed();
}

function earlierOf(message: Memory, conversation: StateRequest["conversation"]): readonly Memory[] | null {
  const at = conversation?.findIndex(({ id }) => id === message.id) ?? -1;
  return conversation && at >= 0 ? conversation.slice(Math.max(0, at - 4), at) : null;
}

/** A handed or forgotten message stands nowhere in the room. */
async function readEarlier({ id, roomId }: Memory, { agentId, store }: QuestionParts): Promise<readonly Memory[]> {
  const recent = await store.memories.recent(agentId, { roomId, limit: 6 });
  const at = recent.findIndex((memory) => memory.id === id);
  return at < 0 ? recent.slice(-4) : recent.slice(Math.max(0, at - 4), at);
}
