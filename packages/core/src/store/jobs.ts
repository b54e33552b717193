import type { JsonObject } from "../json.ts";

/**
 * Work to be done later, at least once: an evaluator, an embedding, a summary, a schedule's next turn. Put by a `job.put`
 * among a transaction's writes, so that it is there exactly when what it belongs to is.
 */
export type JobToDo = {
  /** Derived from what the job is about. The first put of an id wins: see {@link doneJobsKeptMs}. */
  readonly id: string;
  /** Says who does it; not empty. */
  readonly kind: string;
  readonly payload: JsonObject;
  /** Not before this, epoch milliseconds. */
  readonly runAt: number;
  /**
   * The jobs of one queue are done one after the other, in the order of `runAt`, then of writing. One that is to be tried again
   * holds up those behind it; a dead one does not. Without a queue a job waits for nobody.
   */
  readonly queue?: string;
};

/**
 * waiting → running → done, waiting again (tried again, or given back) or dead. dead → waiting when it is revived. A done job is
 * not listed, and neither is a removed one.
 */
export type JobState = "waiting" | "running" | "dead";

/** A job and where it stands. */
export type JobRow = JobToDo & {
  readonly state: JobState;
  /** When it is due; later than `runAt` when it is to be tried again. */
  readonly dueAt: number;
  /** How often it was begun. */
  readonly attempts: number;
  /** Who does it, while it is running. */
  readonly owner?: string;
  /** Why the last attempt failed. */
  readonly error?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** The right to tell what became of a job: whoever holds the newest epoch. */
export type JobFence = { readonly agentId: string; readonly id: string; readonly epoch: number };

/** A claimed job. `attempts` counts this attempt too: 1 for the first. */
export type JobLease = { readonly fence: JobFence; readonly job: JobToDo; readonly attempts: number };

/** What became of an attempt. */
export type JobOutcome =
  | { readonly type: "done" }
  /** It failed and is due again at `at`, epoch milliseconds. */
  | { readonly type: "retry"; readonly at: number; readonly error: string }
  /** It failed for good; it is kept and listed until somebody removes or revives it. */
  | { readonly type: "dead"; readonly error: string }
  /** It was called off before it could end; it is due as before, and the attempt is not counted. */
  | { readonly type: "released" };

/**
 * The id of a job that was done or removed is remembered for this long, by the store's clock; a put of it changes nothing.
 * After that it is a new job. Seven days: longer than anybody waits before offering the same work again after an outage.
 */
export const doneJobsKeptMs = 7 * 24 * 60 * 60 * 1000;

/** Durable jobs. They are put by `job.put`, a {@link Write}. */
export interface Jobs {
  /**
   * Takes up to `limit` jobs that are due at `now` (epoch milliseconds), longest due first; with `kinds`, only those. A job is
   * handed out once, and of each queue only the first, and only while no other of it is running.
   */
  claim(
    agentId: string,
    owner: string,
    query: { readonly now: number; readonly limit: number; readonly kinds?: readonly string[] },
  ): Promise<readonly JobLease[]>;
  /** @throws StoreError `conflict` when the fence is outdated: the job was freed, and somebody else may be at it. */
  finish(fence: JobFence, outcome: JobOutcome): Promise<void>;
  /**
   * Frees every job that is still running, because the process that ran it died; the attempt stays counted. Called once at
   * start, by the process that owns the home.
   */
  recover(agentId: string): Promise<{ readonly freed: number }>;
  /** For each kind of which a job can be claimed, now or later: when the first of them is due, epoch milliseconds. */
  nextAt(agentId: string): Promise<ReadonlyMap<string, number>>;
  /** In the order of their writing; all states unless told. */
  list(
    agentId: string,
    query: { readonly states?: readonly JobState[]; readonly limit: number },
  ): Promise<readonly JobRow[]>;
  /**
   * Takes a waiting or dead job away and says whether there was one. Its id is remembered like that of a done one.
   * @throws StoreError `conflict` while it is running.
   */
  remove(agentId: string, id: string): Promise<boolean>;
  /** Makes a dead job due at once, with its attempts counted anew, and says whether there was one. */
  revive(agentId: string, id: string): Promise<boolean>;
}
