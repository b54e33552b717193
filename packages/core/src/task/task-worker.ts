import type { Task } from "../store/tasks.ts";

/** One turn of a task. */
export type TaskTurn = {
  /** The same whenever this turn is tried again, also after a crash: what a worker does is told apart by it. */
  readonly id: string;
  /** When it was to be done, epoch milliseconds. */
  readonly at: number;
  /** It comes more than a minute after its time. */
  readonly isLate: boolean;
  /** Further turns whose times passed too and for which it stands, 0 as a rule, at most 1,000. */
  readonly missed: number;
  /** Aborted when the agent stops or its time is over: nobody waits for it then. */
  readonly signal: AbortSignal;
};

/** Does the tasks of one kind. Throwing means: try again. A crash may let a turn run again, with the same id. */
export type TaskWorker = {
  readonly run: (task: Task, turn: TaskTurn) => Promise<void>;
  /** A turn is called off after this; 600,000 when absent, at most 3,600,000. */
  readonly timeoutMs?: number;
};

/** Workers by the kinds they do. */
export type TaskWorkers = {
  of(kind: string): TaskWorker | null;
  /** @throws TroupeError `conflict` when the kind has one already. Returns what takes it away again. */
  add(kind: string, worker: TaskWorker, owner: string): () => void;
};
