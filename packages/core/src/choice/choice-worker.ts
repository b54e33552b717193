import { TroupeError } from "../errors.ts";
import type { OwnTaskBook } from "../task/task-book.ts";
import type { TaskTurn, TaskWorker } from "../task/task-worker.ts";
import { toldInbound } from "../task/told.ts";
import { choiceFamily, type OfferedChoice, toChoice } from "./choice.ts";
import type { ChoicesParts } from "./choices.ts";

/**
 * Told what became of a choice of its kind: its state is `answered`, with the answer, or `expired`. A crash may tell it again, with
 * the same turn id. What it returns is told to the room. Throwing means: try again.
 */
export type ChoiceWorker = (choice: OfferedChoice, turn: TaskTurn) => Promise<string | undefined>;

/** Workers by the kind of choice. */
export type ChoiceWorkers = {
  of(kind: string): ChoiceWorker | null;
  /** @throws TroupeError `conflict` when the kind has one already. Returns what takes it away again. */
  add(kind: string, worker: ChoiceWorker, owner: string): () => void;
};

/** What ends choices. */
export type ChoiceWorkerParts = ChoicesParts & { readonly workers: Pick<ChoiceWorkers, "of"> };

/** The worker of all choices' tasks: tells the worker of the kind what was chosen, or the room that nobody chose in time. */
export function createChoiceTaskWorker(parts: ChoiceWorkerParts): TaskWorker {
  return {
    async run(task, turn) {
      const choice = await settle(parts.book, task.id, turn);
      if (!choice) return;
      const worker = parts.workers.of(choice.kind);
      if (!worker) {
        throw new TroupeError(
          "not_found",
          `nothing here is told of choices of kind ${choiceFamily}/${choice.kind}; install it, then resume the task`,
        );
      }
      const text = (await worker(choice, turn)) ?? (choice.state === "expired" ? expiredText(choice) : undefined);
      if (text !== undefined && text.trim() !== "") await tell(parts, choice, { text, turn });
    },
  };
}

/** The choice of this turn, expired from now on if it has no answer; null when it was answered or withdrawn a moment ago. */
async function settle(book: OwnTaskBook, id: string, turn: TaskTurn): Promise<OfferedChoice | null> {
  let settled: OfferedChoice | null = null;
  await book.change(id, (task) => {
    if (task.nextAt !== turn.at || task.state !== "active") return null;
    const choice = toChoice(task);
    if (choice?.state !== "open") {
      settled = choice;
      return null;
    }
    const expired = { ...task, payload: { ...task.payload, isExpired: true } };
    settled = toChoice(expired);
    return { task: expired };
  });
  return settled;
}

function expiredText({ text }: OfferedChoice): string {
  const line = [...text.replace(/\s+/gu, " ").trim()];
  const short = line.length > 100 ? `${line.slice(0, 99).join("")}…` : line.join("");
  return `⌛ Nobody chose in time: ${short}`;
}

async function tell(
  { agentId, store, clock, receive }: ChoicesParts,
  { roomId, entityId }: OfferedChoice,
  { text, turn }: { readonly text: string; readonly turn: TaskTurn },
): Promise<void> {
  const placing = { agentId, roomId, entityId, eventId: `${turn.id}/told`, at: clock.now() };
  await receive(await toldInbound({ text }, placing, store));
}
