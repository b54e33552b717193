import { StoreError } from "../errors.ts";
import {
  doneJobsKeptMs,
  type JobFence,
  type JobLease,
  type JobOutcome,
  type JobRow,
  type Jobs,
  type JobToDo,
} from "../store/jobs.ts";

/** A job as a store in memory keeps it; `doneAt` when only its id is remembered. */
type StoredJob = {
  readonly no: number;
  readonly epoch: number;
  readonly row: JobRow;
  readonly doneAt?: number;
};

/** The jobs of one agent by id. */
export type JobTable = Map<string, StoredJob>;

/** How the jobs of an agent are reached: `change` is all or nothing. */
export type MemoryJobsParts = {
  look<Result>(agentId: string, work: (jobs: JobTable) => Result): Promise<Result>;
  change<Result>(agentId: string, work: (jobs: JobTable) => Result): Promise<Result>;
  now(): number;
};

/** Jobs of a store in memory. */
export function createMemoryJobs({ look, change, now }: MemoryJobsParts): Jobs {
  return {
    claim: (agentId, owner, { now: dueBy, limit, kinds }) =>
      change(agentId, (jobs) =>
        claimable(jobs)
          .filter(({ row }) => row.dueAt <= dueBy && (kinds === undefined || kinds.includes(row.kind)))
          .toSorted((left, right) => left.row.dueAt - right.row.dueAt || left.no - right.no)
          .slice(0, limit)
          .map((stored) => claimJob(jobs, stored, { agentId, owner, now: now() })),
      ),
    finish: (fence, outcome) => change(fence.agentId, (jobs) => finishJob(jobs, fence, { outcome, now: now() })),
    recover: (agentId) =>
      change(agentId, (jobs) => {
        const running = live(jobs).filter(({ row }) => row.state === "running");
        for (const stored of running) putBack(jobs, stored, { updatedAt: now() });
        return { freed: running.length };
      }),
    nextAt: (agentId) =>
      look(agentId, (jobs) => {
        const next = new Map<string, number>();
        for (const { row } of claimable(jobs)) {
          next.set(row.kind, Math.min(row.dueAt, next.get(row.kind) ?? Number.POSITIVE_INFINITY));
        }
        return next;
      }),
    list: (agentId, { states, limit }) =>
      look(agentId, (jobs) =>
        live(jobs)
          .map(({ row }) => row)
          .filter((row) => states === undefined || states.includes(row.state))
          .slice(0, limit),
      ),
    remove: (agentId, id) =>
      change(agentId, (jobs) => {
        const stored = live(jobs).find(({ row }) => row.id === id);
        if (stored?.row.state === "running") throw new StoreError("conflict", `job ${id} is running; stop it first`);
        if (stored) jobs.set(id, { ...stored, doneAt: now() });
        return stored !== undefined;
      }),
    revive: (agentId, id) =>
      change(agentId, (jobs) => {
        const stored = live(jobs).find(({ row }) => row.id === id && row.state === "dead");
        if (stored) putBack(jobs, stored, { attempts: 0, dueAt: now(), updatedAt: now() });
        return stored !== undefined;
      }),
  };
}

/** Puts a job unless its id is there or remembered. @throws StoreError `invalid` without a kind or for a time that is none. */
export function putJob(jobs: JobTable, job: JobToDo, { no, now }: { readonly no: number; readonly now: number }): void {
  if (job.kind === "") throw new StoreError("invalid", `job ${job.id} has no kind; say who is to do it`);
  checkTime(job.runAt, `job ${job.id}`);
  const known = jobs.get(job.id);
  if (known && (known.doneAt === undefined || known.doneAt + doneJobsKeptMs > now)) return;
  const { id, kind, payload, runAt, queue } = job;
  const row: JobRow = {
    id,
    kind,
    payload: throughJson(payload),
    runAt,
    ...(queue !== undefined && { queue }),
    state: "waiting",
    dueAt: runAt,
    attempts: 0,
    createdAt: now,
    updatedAt: now,
  };
  jobs.set(id, { no, epoch: 0, row });
}

function claimJob(
  jobs: JobTable,
  stored: StoredJob,
  { agentId, owner, now }: { readonly agentId: string; readonly owner: string; readonly now: number },
): JobLease {
  const { id, kind, payload, runAt, queue } = stored.row;
  const attempts = stored.row.attempts + 1;
  const epoch = stored.epoch + 1;
  const row: JobRow = { ...stored.row, state: "running", attempts, owner, updatedAt: now };
  jobs.set(id, { ...stored, epoch, row });
  const job = { id, kind, payload, runAt, ...(queue !== undefined && { queue }) };
  return { fence: { agentId, id, epoch }, job, attempts };
}

function finishJob(
  jobs: JobTable,
  { id, epoch }: JobFence,
  { outcome, now }: { readonly outcome: JobOutcome; readonly now: number },
): void {
  const stored = live(jobs).find(({ row }) => row.id === id);
  if (stored?.row.state !== "running" || stored.epoch !== epoch) {
    throw new StoreError("conflict", `the lease on job ${id} (epoch ${epoch}) is over; claim it again`);
  }
  switch (outcome.type) {
    case "done":
      jobs.set(id, { ...stored, doneAt: now });
      return;
    case "retry":
      checkTime(outcome.at, `job ${id}`);
      putBack(jobs, stored, { dueAt: outcome.at, error: outcome.error.toWellFormed(), updatedAt: now });
      return;
    case "dead":
      putBack(jobs, stored, { state: "dead", error: outcome.error.toWellFormed(), updatedAt: now });
      return;
    case "released":
      putBack(jobs, stored, { attempts: stored.row.attempts - 1, updatedAt: now });
      return;
  }
}

function putBack(jobs: JobTable, stored: StoredJob, change: Partial<JobRow>): void {
  const { owner: _, ...kept } = stored.row;
  jobs.set(kept.id, { ...stored, row: { ...kept, state: "waiting", ...change } });
}

function live(jobs: JobTable): StoredJob[] {
  return [...jobs.values()].filter(({ doneAt }) => doneAt === undefined).toSorted((left, right) => left.no - right.no);
}

/** Waiting jobs that nobody of their queue stands before. */
function claimable(jobs: JobTable): StoredJob[] {
  const open = live(jobs).filter(({ row }) => row.state !== "dead");
  return open.filter(({ row, no }) => {
    if (row.state !== "waiting") return false;
    if (row.queue === undefined) return true;
    return !open.some(
      (other) =>
        other.row.queue === row.queue &&
        (other.row.state === "running" ||
          other.row.runAt < row.runAt ||
          (other.row.runAt === row.runAt && other.no < no)),
    );
  });
}

function checkTime(at: number, what: string): void {
  if (Number.isSafeInteger(at)) return;
  throw new StoreError("invalid", `${what} is to run at ${at}, which is no time; give whole epoch milliseconds`);
}

/** What JSON makes of it, without halves of characters. */
function throughJson(payload: JobToDo["payload"]): JobToDo["payload"] {
  return JSON.parse(
    JSON.stringify(payload, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member)),
  );
}
