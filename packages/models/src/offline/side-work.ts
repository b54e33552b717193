import type { PromptMessage } from "@troupe/core";
import { noteFacts } from "./note-facts.ts";
import { checkSummary, sumUp } from "./sum-up.ts";

/** What the engine asks beside the conversation, by the heading its instructions begin with. */
const works: readonly (readonly [heading: string, answer: (asked: string, system: string) => string])[] = [
  ["# Note facts", noteFacts],
  ["# Sum up", sumUp],
  ["# Check a summary", checkSummary],
];

/** The answer to a question beside the conversation: facts to note, a summary, or a look at one; undefined when it is none. */
export function answerSideWork(messages: readonly PromptMessage[]): string | undefined {
  const system = messages.find(({ role }) => role === "system")?.content ?? "";
  const work = works.find(([heading]) => system.startsWith(heading));
  const asked = messages.find(({ role }) => role === "user")?.content ?? "";
  return work?.[1](asked, system);
}
