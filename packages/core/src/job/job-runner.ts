import type { Clock } from "../clock.ts";
import { errorMessage, StoreError, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { JobLease, JobOutcome, Jobs } from "../store/jobs.ts";
import { handlerDefaults, type JobHandler, retryDelayMs } from "./job-handler.ts";
import { runBounded } from "./run-bounded.ts";

/** What a runner works with. */
export type JobRunnerParts = {
  readonly agentId: string;
  /** Names this process among those that may hold a job. */
  readonly owner: string;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly log: Log;
  /** Jobs done at once, at least 1. */
  readonly concurrency: number;
  /** By kind. Jobs of other kinds wait for a start that knows them. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
};

/** Does an agent's jobs when they are due. Waiting costs nothing: it sleeps until the next one's time. */
export type JobRunner = {
  /** Frees what a dead process ran and begins. @throws StoreError when the store cannot be read. */
  start(): Promise<void>;
  /** Begins nothing new, gives what is under way `graceMs` to finish, then calls it off and gives it back. */
  stop(graceMs: number): Promise<void>;
  /** Something was put, or revived, and may be due: call it after the commit. */
  wake(): void;
  /** Resolves when no job is being done and none is due, or when it has stopped; one to be tried again later is not due. */
  idle(): Promise<void>;
};

const firstRetryMs = 500;
const longestRetryMs = 30_000;
/** However soon the next job is due, it looks no more often than this unless it is woken. */
const shortestNapMs = 20;
/** Timers of weeks are not to be trusted; looking once an hour costs nothing. */
const longestNapMs = 3_600_000;
const longestErrorLength = 2_000;

/** Makes a runner; nothing is claimed before `start`. */
export function createJobRunner(parts: JobRunnerParts): JobRunner {
  return new Runner(parts);
}

/**
 * States of the runner: made → started → stopping (nothing new) → stopped. Started, it looks (claims what is due) and naps, until
 * the next job's time, or until it is woken by a put or by the end of a job. A job: claimed → done, tried again, dead or given back.
 */
class Runner implements JobRunner {
  readonly #parts: JobRunnerParts;
  readonly #kinds: readonly string[];
  readonly #working = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  /** Aborted first: calls off what goes on at the next start as if nothing had happened. */
  readonly #stopping = new AbortController();
  readonly #kindsNobodyDoes = new Set<string>();
  #idleWaiters: (() => void)[] = [];
  #serving: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #isStopping = false;
  #nap: AbortController | undefined;
  /** Somebody called `wake` since the last look began. */
  #isWoken = false;
  /** The last look left nothing that is due. */
  #isResting = false;

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    this.#kinds = [...parts.handlers.keys()];
  }

  async start(): Promise<void> {
    const { agentId, jobs, log } = this.#parts;
    if (this.#serving || this.#isStopping) return;
    const { freed } = await jobs.recover(agentId);
    if (this.#serving || this.#isStopping) return;
    if (freed > 0) log.info({ jobs: freed }, "trying again what was being done when the process ended");
    this.#serving = this.#serve();
  }

  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  wake(): void {
    this.#isWoken = true;
    this.#nap?.abort();
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#tellIdle();
    });
  }

  async #stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#nap?.abort();
    this.#stopping.abort(calledOff());
    await this.#serving;
    if (graceMs > 0 && this.#working.size > 0) await this.#finished(graceMs);
    this.#abort.abort(calledOff());
    await Promise.all(this.#working);
    this.#tellIdle();
  }

  /** Until what is under way has finished, or its time is over. */
  async #finished(graceMs: number): Promise<void> {
    const done = new AbortController();
    const grace = this.#parts.clock.sleep(graceMs, done.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#working), grace]);
    done.abort();
  }

  async #serve(): Promise<void> {
    let failures = 0;
    while (!this.#isStopping) {
      this.#isWoken = false;
      this.#isResting = false;
      let napMs: number | null;
      try {
        napMs = await this.#look();
        failures = 0;
        this.#isResting = true;
      } catch (error) {
        napMs = Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
        failures += 1;
        this.#parts.log.error({ error: errorMessage(error) }, "jobs could not be read; trying again");
      }
      this.#tellIdle();
      await this.#sleep(napMs);
    }
  }

  /** Begins what is due, as far as there is room; how long nothing more will be due, or null when only a wake can tell. */
  async #look(): Promise<number | null> {
    const { agentId, owner, jobs, clock, concurrency } = this.#parts;
    const room = concurrency - this.#working.size;
    if (room <= 0) return null;
    const now = clock.now();
    const leases = await jobs.claim(agentId, owner, { now, limit: room, kinds: this.#kinds });
    for (const lease of leases) this.#begin(lease);
    if (leases.length === room) return null;
    const next = await jobs.nextAt(agentId);
    this.#tellUnknown(next);
    const times = this.#kinds.flatMap((kind) => next.get(kind) ?? []);
    return times.length === 0 ? null : Math.min(...times) - now;
  }

  #tellUnknown(next: ReadonlyMap<string, number>): void {
    for (const kind of next.keys()) {
      if (this.#parts.handlers.has(kind) || this.#kindsNobodyDoes.has(kind)) continue;
      this.#kindsNobodyDoes.add(kind);
      this.#parts.log.warn(
        { kind },
        "nobody here does jobs of this kind; they wait for a start with the part that does",
      );
    }
  }

  /** Until `ms` are over, or a wake or stop comes, or came since the last look began. */
  async #sleep(ms: number | null): Promise<void> {
    if (this.#isWoken || this.#isStopping) return;
    const nap = new AbortController();
    this.#nap = nap;
    if (ms === null) {
      await new Promise((resolve) => nap.signal.addEventListener("abort", resolve, { once: true }));
    } else {
      const boundedMs = Math.min(longestNapMs, Math.max(shortestNapMs, ms));
      await this.#parts.clock.sleep(boundedMs, nap.signal).catch((error: unknown) => {
        if (!nap.signal.aborted) throw error;
      });
    }
    this.#nap = undefined;
  }

  #begin(lease: JobLease): void {
    const work = this.#workOff(lease).finally(() => {
      this.#working.delete(work);
      this.wake();
    });
    this.#working.add(work);
  }

  async #workOff(lease: JobLease): Promise<void> {
    const handler = this.#parts.handlers.get(lease.job.kind);
    const isCalledOff = this.#isStopping || handler === undefined;
    const outcome = isCalledOff ? ({ type: "released" } as const) : await this.#attempt(lease, handler);
    await this.#finish(lease, outcome);
  }

  async #attempt(lease: JobLease, handler: JobHandler): Promise<JobOutcome> {
    const { clock } = this.#parts;
    const { attempts = handlerDefaults.attempts, timeoutMs = handlerDefaults.timeoutMs } = handler;
    // Only processes that died while they were at it can have begun it so often.
    if (lease.attempts > attempts) return this.#dead(lease, `it was begun ${attempts} times and never came to an end`);
    const { signal } = handler.isResumable ? this.#stopping : this.#abort;
    try {
      await runBounded((own) => handler.run(lease.job.payload, own, lease.attempts), { clock, timeoutMs, signal });
      return { type: "done" };
    } catch (error) {
      if (signal.aborted) return { type: "released" };
      const message = errorMessage(error).slice(0, longestErrorLength);
      if (lease.attempts >= attempts) return this.#dead(lease, message);
      const inMs = retryDelayMs(handler.backoff ?? handlerDefaults.backoff, lease.attempts, error);
      this.#parts.log.warn({ ...nameOf(lease), attempts: lease.attempts, inMs }, "a job failed and is tried again");
      return { type: "retry", at: clock.now() + inMs, error: message };
    }
  }

  #dead(lease: JobLease, error: string): JobOutcome {
    this.#parts.log.error(
      nameOf(lease),
      "a job failed for good and is kept: mend its cause and revive it, or remove it",
    );
    return { type: "dead", error };
  }

  /** Tells the store, however often it takes, as long as it only is busy or full. */
  async #finish(lease: JobLease, outcome: JobOutcome): Promise<void> {
    const { clock, jobs, log } = this.#parts;
    for (let failures = 0; ; failures += 1) {
      try {
        await jobs.finish(lease.fence, outcome);
        if (outcome.type === "done") log.info(nameOf(lease), "job done");
        return;
      } catch (error) {
        const code = error instanceof StoreError ? error.code : "internal";
        if (code === "conflict") return log.warn(nameOf(lease), "another process went on with this job");
        const fields = { ...nameOf(lease), code, error: errorMessage(error) };
        const mayPass = code === "unavailable" || code === "exhausted";
        if (!mayPass || this.#abort.signal.aborted) {
          return log.error(fields, "what became of a job could not be kept; it is done again at the next start");
        }
        if (failures === 0) log.error(fields, "what became of a job could not be kept; trying again");
        const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
        // A stop ends the waiting; then it is tried once more.
        await clock.sleep(waitMs, this.#abort.signal).catch(() => undefined);
      }
    }
  }

  #tellIdle(): void {
    const isLooking = this.#serving !== undefined && !this.#isStopping && (this.#isWoken || !this.#isResting);
    if (isLooking || this.#working.size > 0) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const tell of waiters) tell();
  }
}

function calledOff(): TroupeError {
  return new TroupeError("aborted", "the agent stops; the job is given back");
}

function nameOf({ job: { kind, id } }: JobLease): { readonly kind: string; readonly id: string } {
  return { kind, id };
}
