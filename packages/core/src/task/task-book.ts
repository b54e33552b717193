import { createLocks } from "../action/locks.ts";
import type { Clock } from "../clock.ts";
import { TroupeError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { JobToDo } from "../store/jobs.ts";
import type { Store, StoreAdmin } from "../store/store.ts";
import type { Task, Tasks } from "../store/tasks.ts";
import type { Write } from "../store/writes.ts";
import { nextTurn } from "./schedule.ts";
import { type TaskDraft, toTask } from "./task-draft.ts";

/** Which tasks to list. */
export type TaskQuery = Parameters<Tasks["list"]>[1];

/** An agent's tasks, and everything that may be done about them. Whatever is changed is durable when it resolves. */
export interface TaskBook {
  get(id: string): Promise<Task | null>;
  list(query: TaskQuery): Promise<readonly Task[]>;
  /** Plans it, or plans it anew; the same draft again changes nothing. @throws TroupeError `invalid` naming what is wrong. */
  put(draft: TaskDraft): Promise<Task>;
  /** Holds it back until it is resumed. @throws TroupeError `not_found`, or `conflict` when it is done. */
  pause(id: string): Promise<Task>;
  /** Lets it go on with the next turn to come. @throws TroupeError `not_found`, or `conflict` when it is done or its time has passed. */
  resume(id: string): Promise<Task>;
  /** Does it once more at once, whatever its state; its schedule stays. @throws TroupeError `not_found`. */
  runNow(id: string): Promise<Task>;
  /** Takes it away and says whether there was one. */
  remove(id: string): Promise<boolean>;
}

/** What a task is changed to, and what is written with it. */
type TaskChange = { readonly task: Task; readonly writes?: readonly Write[] };

/** A book in which the parts that do tasks may write beside what people ask for. */
export type OwnTaskBook = Omit<TaskBook, "put"> & {
  /** With what else is to be written if anything is. */
  put(draft: TaskDraft, writes?: readonly Write[]): Promise<Task>;
  /**
   * Changes a task as it is now, while nobody else does, with other writes in one transaction; null from `change` leaves it. A task
   * with another `nextAt` gets a job for that turn.
   */
  change(id: string, change: (task: Task) => Promise<TaskChange | null> | TaskChange | null): Promise<Task | null>;
};

/** What a book is kept with. */
export type TaskBookParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "tasks"> & { readonly admin: Pick<StoreAdmin, "write"> };
  readonly clock: Pick<Clock, "now">;
  /** A job was put and committed, and may be due. */
  readonly wakeJobs: () => void;
};

/** The kind of the jobs in which tasks are done. */
export const taskJobKind = "task";

/** The job of one turn. `task/<id>` is its queue: turns of one task are done one after the other. */
function turnJob(id: string, turn: number, isExtra = false): JobToDo {
  const payload: JsonObject = { taskId: id, turn, ...(isExtra && { isExtra }) };
  const jobId = isExtra ? `task/${id}/${turn}/now` : `task/${id}/${turn}`;
  return { id: jobId, kind: taskJobKind, payload, runAt: turn, queue: `task/${id}` };
}

/** The tasks of an agent, one change of a task at a time within this process. */
export function createTaskBook({ agentId, store, clock, wakeJobs }: TaskBookParts): OwnTaskBook {
  const locks = createLocks();
  const { signal } = new AbortController();
  const alone = <Result>(id: string, work: () => Promise<Result>): Promise<Result> =>
    locks.withLock(id, work, { signal });
  const write = async (writes: readonly Write[]): Promise<void> => {
    await store.admin.write(agentId, writes);
    if (writes.some(({ type }) => type === "job.put")) wakeJobs();
  };
  const known = async (id: string): Promise<Task> => {
    const task = await store.tasks.get(agentId, id);
    if (task) return task;
    throw new TroupeError("not_found", `There is no task ${id.slice(0, 200)}; list them to find its id.`);
  };
  const change: OwnTaskBook["change"] = (id, decide) =>
    alone(id, async () => {
      const task = await store.tasks.get(agentId, id);
      const changed = task && (await decide(task));
      if (!changed) return null;
      await write([...planWrites(changed.task, task), ...(changed.writes ?? [])]);
      return changed.task;
    });
  return {
    get: (id) => store.tasks.get(agentId, id),
    list: (query) => store.tasks.list(agentId, query),
    change,
    put: (draft, writes = []) =>
      alone(draft.id, async () => {
        const earlier = await store.tasks.get(agentId, draft.id);
        const { task, isNew } = await toTask(draft, { now: clock.now(), earlier });
        if (isNew) await write([...planWrites(task, null), ...writes]);
        return task;
      }),
    pause: (id) =>
      alone(id, async () => {
        const task = await known(id);
        if (task.state === "done") throw new TroupeError("conflict", `The task ${id} is done already.`);
        const { nextAt: _, ...rest } = task;
        const paused: Task = { ...rest, state: "paused" };
        if (task.state !== "paused") await write([{ type: "task.put", task: paused }]);
        return paused;
      }),
    resume: (id) =>
      alone(id, async () => {
        const task = await known(id);
        if (task.state === "active") return task;
        const resumed = await toResumed(task, clock.now());
        await write(planWrites(resumed, task));
        return resumed;
      }),
    runNow: (id) =>
      alone(id, async () => {
        const task = await known(id);
        await write([{ type: "job.put", job: turnJob(id, clock.now(), true) }]);
        return task;
      }),
    remove: (id) =>
      alone(id, async () => {
        const task = await store.tasks.get(agentId, id);
        if (task) await write([{ type: "task.remove", id }]);
        return task !== null;
      }),
  };
}

/** A task with the job of its next turn, unless that one is planned already. */
function planWrites(task: Task, earlier: Task | null): readonly Write[] {
  const isPlanned = task.state !== "active" || task.nextAt === undefined || task.nextAt === earlier?.nextAt;
  const put: Write = { type: "task.put", task };
  return isPlanned ? [put] : [put, { type: "job.put", job: turnJob(task.id, task.nextAt) }];
}

async function toResumed(task: Task, now: number): Promise<Task> {
  const { id, schedule, catchUp, lastError: _, ...rest } = task;
  if (task.state === "done") throw new TroupeError("conflict", `The task ${id} is done; plan it anew, or run it now.`);
  const turn = await nextTurn(schedule, now);
  if (turn === null && catchUp === "skip") {
    throw new TroupeError("conflict", `The time of the task ${id} has passed; plan it anew, or run it now.`);
  }
  return { id, schedule, catchUp, ...rest, state: "active", failures: 0, nextAt: turn ?? now };
}
