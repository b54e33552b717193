import type { ChoiceWorker } from "../choice/choice-worker.ts";
import type { Choices } from "../choice/choices.ts";
import type { TaskBook } from "./task-book.ts";
import type { TaskWorker } from "./task-worker.ts";

/** What an agent plans with, and who does what was planned. */
export type Planning = {
  readonly tasks: TaskBook;
  readonly choices: Choices;
  /** @throws TroupeError `conflict` when somebody does the kind already. Returns what takes the worker away again. */
  addTaskWorker(kind: string, worker: TaskWorker, owner: string): () => void;
  /** @throws TroupeError `conflict` when somebody is told of the kind already. Returns what takes the worker away again. */
  addChoiceWorker(kind: string, worker: ChoiceWorker, owner: string): () => void;
};
