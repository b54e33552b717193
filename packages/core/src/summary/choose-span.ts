import type { Memory } from "../memory/memory.ts";
import { estimateTokens, type HistoryBudget } from "../prompt/history.ts";

/** Messages of one span at least and at most, whatever the window. */
const leastSpan = 4;
const mostSpan = 50;
const mostSpanTokens = 6_000;
/** However small the budget, so many of the newest are left alone. */
const leastKept = 2;

/**
 * The messages to be summed up next, oldest first; none while everything is shown anyway. `messages` are the newest of a room,
 * oldest first, and `covered` those that a summary stands for. The newest half of what the window shows is never touched, and a
 * span is never so small that every message makes a new one: half a window's messages, or half its tokens. Messages that waited
 * for their answer stand between covered ones; they go into the next span.
 */
export function chooseSpan(
  messages: readonly Memory[],
  covered: ReadonlySet<string>,
  budget: HistoryBudget,
): readonly Memory[] {
  const older = messages.slice(0, messages.length - keptCount(messages, budget));
  const open = older.filter(({ id }) => !covered.has(id));
  const least = Math.min(mostSpan, Math.max(leastSpan, Math.floor(budget.messages / 2)));
  if (open.length < least && tokensOf(open) < budget.tokens / 2) return [];
  const span: Memory[] = [];
  let tokens = 0;
  for (const memory of open) {
    tokens += estimateTokens(memory.content.text);
    if (span.length >= mostSpan || (span.length > 0 && tokens > mostSpanTokens)) break;
    span.push(memory);
  }
  return span;
}

/** How many of the newest are shown whatever happens: half the messages, as far as they have half the tokens. */
function keptCount(messages: readonly Memory[], budget: HistoryBudget): number {
  const most = Math.max(leastKept, Math.ceil(budget.messages / 2));
  let tokens = 0;
  let count = 0;
  for (const { content } of messages.toReversed()) {
    tokens += estimateTokens(content.text);
    if (count >= leastKept && (count >= most || tokens > budget.tokens / 2)) break;
    count += 1;
  }
  return count;
}

function tokensOf(messages: readonly Memory[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content.text), 0);
}
