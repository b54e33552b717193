import type { Clock } from "../clock.ts";
import { errorMessage, TroupeError } from "../errors.ts";
import type { JobHandler } from "../job/job-handler.ts";
import { runBounded } from "../job/run-bounded.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { Task } from "../store/tasks.ts";
import { missedTurns, nextTurn } from "./schedule.ts";
import type { OwnTaskBook } from "./task-book.ts";
import { lateMs } from "./task-draft.ts";
import type { TaskTurn, TaskWorker, TaskWorkers } from "./task-worker.ts";

/** What turns are done with. */
export type TurnParts = {
  readonly book: OwnTaskBook;
  readonly workers: TaskWorkers;
  readonly clock: Clock;
  readonly log: Log;
};

/** So many failures in a row, and a task is paused. */
const failureLimit = 5;

const usualTimeoutMs = 600_000;
const longestTimeoutMs = 3_600_000;
const mostMissed = 1_000;
const longestErrorLength = 500;

/**
 * Does the turns of tasks, one job a turn. A turn: due → (nobody wants it any more → nothing) → (missed and to be skipped → the next
 * one is planned) → its worker runs → task and next turn are written together; or it failed → tried again after longer and longer
 * waits → the fifth time the task is paused. A process that dies anywhere leaves the job, and the turn begins anew.
 */
export function createTurnJob(parts: TurnParts): JobHandler {
  /** Turns that were called off and have not stopped, by task: no task overlaps itself. */
  const running = new Map<string, Promise<void>>();
  return {
    // The task itself says when it is enough; the runner must not give a turn up before.
    attempts: 1_000,
    timeoutMs: longestTimeoutMs + 600_000,
    backoff: { initialMs: 10_000, multiplier: 4, maxMs: 3_600_000 },
    run: (payload, signal, attempt) => runTurn(parts, running, { ...readPayload(payload), signal, attempt }),
  };
}

type TurnJob = { readonly taskId: string; readonly turn: number; readonly isExtra: boolean };
type Attempt = TurnJob & { readonly signal: AbortSignal; readonly attempt: number };

function readPayload(payload: JsonObject): TurnJob {
  const { taskId, turn, isExtra } = payload;
  if (typeof taskId !== "string" || typeof turn !== "number") {
    throw new TroupeError("corrupt", "a task's job does not say which turn of which task it is; remove it");
  }
  return { taskId, turn, isExtra: isExtra === true };
}

async function runTurn(parts: TurnParts, running: Map<string, Promise<void>>, attempt: Attempt): Promise<void> {
  const { book, workers, clock } = parts;
  const task = await book.get(attempt.taskId);
  if (!task || !isWanted(task, attempt)) return;
  const worker = workers.of(task.kind);
  const begun = attempt.attempt > 1 || task.failures > 0;
  const now = clock.now();
  const isMissed = !begun && !attempt.isExtra && now - attempt.turn > lateMs;
  if (isMissed && task.catchUp === "skip") return skip(parts, task, attempt);
  if (!worker)
    return giveUp(parts, attempt, `nothing here does tasks of kind ${task.kind}; install it, then resume the task`);
  if (attempt.attempt > failureLimit) {
    return giveUp(parts, attempt, `it was begun ${failureLimit} times and never came to an end`);
  }
  const standsFor = isMissed && task.catchUp === "once" ? await furtherMissed(task, attempt.turn, now) : [];
  try {
    await work({ clock, running, worker, task }, attempt, { isLate: isMissed, missed: standsFor.length });
  } catch (error) {
    attempt.signal.throwIfAborted();
    return fail(parts, attempt, error);
  }
  await finish(parts, attempt, standsFor.at(-1) ?? attempt.turn);
}

/** Paused, removed, or planned for another time since: then nothing happens. */
function isWanted({ state, nextAt }: Task, { turn, isExtra }: TurnJob): boolean {
  return isExtra || (state === "active" && nextAt === turn);
}

async function furtherMissed({ schedule }: Task, turn: number, now: number): Promise<readonly number[]> {
  return missedTurns(schedule, { after: turn, until: now, limit: mostMissed });
}

type Work = Pick<TurnParts, "clock"> & {
  readonly running: Map<string, Promise<void>>;
  readonly worker: TaskWorker;
  readonly task: Task;
};

async function work(
  { clock, running, worker, task }: Work,
  { signal, turn, isExtra }: Attempt,
  lateness: Pick<TaskTurn, "isLate" | "missed">,
): Promise<void> {
  if (running.has(task.id)) {
    throw new TroupeError(
      "conflict",
      "an earlier try was called off and has not stopped yet; let its worker heed its signal",
    );
  }
  const id = isExtra ? `task/${task.id}/${turn}/now` : `task/${task.id}/${turn}`;
  const timeoutMs = Math.min(worker.timeoutMs ?? usualTimeoutMs, longestTimeoutMs);
  const begin = (own: AbortSignal): Promise<void> => {
    const whole = begun(worker, task, { id, at: turn, ...lateness, signal: own });
    const settled = whole.then(
      () => undefined,
      () => undefined,
    );
    running.set(task.id, settled);
    void settled.then(() => running.delete(task.id));
    return whole;
  };
  await runBounded(begin, { clock, timeoutMs, signal });
}

/** What throws at once is rejected like what throws later. */
async function begun(worker: TaskWorker, task: Task, turn: TaskTurn): Promise<void> {
  await worker.run(task, turn);
}

async function skip({ book, clock, log }: TurnParts, { id, kind }: Task, attempt: TurnJob): Promise<void> {
  log.info({ kind, task: id }, "a turn of a task was missed and is skipped");
  await book.change(id, async (task) => {
    if (!isWanted(task, attempt)) return null;
    const next = await nextTurn(task.schedule, Math.max(attempt.turn, clock.now() - lateMs));
    const lastError = "its time passed while nothing ran, and what is missed is skipped";
    return { task: next === null ? { ...atRest(task, "done"), lastError } : { ...task, nextAt: next } };
  });
}

/** Writes that the turn is done and plans the next: after `latest`, the last of the turns it stood for. */
async function finish({ book, clock }: TurnParts, attempt: TurnJob, latest: number): Promise<void> {
  await book.change(attempt.taskId, async (task) => {
    const { lastError: _, ...rest } = task;
    const done: Task = { ...rest, lastAt: clock.now(), failures: 0 };
    if (attempt.isExtra || !isWanted(task, attempt)) return { task: done };
    const next = await nextTurn(task.schedule, latest);
    return { task: next === null ? atRest(done, "done") : { ...done, nextAt: next } };
  });
}

/** Counts the failure and throws on, so that the turn is tried again; or pauses the task. */
async function fail(parts: TurnParts, attempt: Attempt, error: unknown): Promise<void> {
  const { book, log } = parts;
  const message = errorMessage(error).slice(0, longestErrorLength);
  // A turn that was asked for beside the schedule says nothing about the turns of the schedule.
  const counted = attempt.isExtra ? 0 : 1;
  const failed = await book.change(attempt.taskId, (task) => ({
    task: { ...task, failures: task.failures + counted, lastError: message },
  }));
  if (!failed) return;
  const failures = attempt.isExtra ? attempt.attempt : failed.failures;
  if (failures >= failureLimit) return giveUp(parts, attempt, message);
  log.warn({ kind: failed.kind, task: failed.id, failures }, "a turn of a task failed");
  throw error;
}

async function giveUp({ book, log }: TurnParts, attempt: TurnJob, reason: string): Promise<void> {
  const paused = await book.change(attempt.taskId, (task) => {
    const told: Task = { ...task, lastError: reason.slice(0, longestErrorLength) };
    return { task: isWanted(task, attempt) && !attempt.isExtra ? atRest(told, "paused") : told };
  });
  if (!paused) return;
  const { id, kind, failures } = paused;
  log.error(
    { kind, task: id, failures },
    "a task failed again and again and is held back: see its last error, mend the cause and resume it",
  );
}

function atRest({ nextAt: _, ...task }: Task, state: "done" | "paused"): Task {
  return { ...task, state };
}
