import type { Clock } from "../clock.ts";
import { errorMessage, StoreError, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Inbox, Lease } from "../store/store.ts";

/** What a queue works with. */
export type ContextQueueParts = {
  readonly agentId: string;
  /** Names this process among those that may hold a context. */
  readonly owner: string;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly log: Log;
  /** Contexts worked on at once; the others wait, first come first served. */
  readonly concurrency: number;
  /**
   * Works off the oldest input of a lease and returns the lease on the next, or null when the context was given back.
   * A StoreError leaves the work for later; `unavailable` until the queue is woken, for what is missing is there perhaps; any
   * other error, also an abort, leaves it for the next start.
   */
  readonly work: (lease: Lease, signal: AbortSignal) => Promise<Lease | null>;
};

/** Rooms and contexts, each strictly serial, independent of each other. Idle ones cost nothing. */
export type ContextQueue = {
  /** Takes up a lease that came with an accepted input. */
  take(lease: Lease): void;
  /** Frees what a dead process held and takes up everything that waits. */
  start(): Promise<void>;
  /** Something that was missing is there now: takes up again what was given back for want of it. */
  wake(): void;
  /** Resolves when nothing is being worked on and nothing waits to be. */
  idle(): Promise<void>;
  /** Starts nothing new, gives what is under way `graceMs` to finish, then calls it off and gives the contexts back. */
  stop(graceMs: number): Promise<void>;
};

const claimLimit = 200;
const firstRetryMs = 500;
const longestRetryMs = 30_000;

/** Makes a queue; nothing is claimed before `start`. */
export function createContextQueue(parts: ContextQueueParts): ContextQueue {
  return new Queue(parts);
}

/** States of the queue: open → stopping (nothing new) → stopped. A context: queued → working → queued again or given back. */
class Queue implements ContextQueue {
  readonly #parts: ContextQueueParts;
  readonly #abort = new AbortController();
  readonly #queued: Lease[] = [];
  readonly #working = new Set<Promise<void>>();
  #idleWaiters: (() => void)[] = [];
  #isStopping = false;
  #failures = 0;
  /** Something was given back because a part was missing. */
  #hasParked = false;
  /** Waits after a failure of the store, then claims what was given back. */
  #sweep: Promise<void> | undefined;

  constructor(parts: ContextQueueParts) {
    this.#parts = parts;
  }

  take(lease: Lease): void {
    this.#queued.push(lease);
    this.#startNext();
  }

  async start(): Promise<void> {
    const { agentId, inbox, log } = this.#parts;
    const { freed } = await inbox.recover(agentId);
    if (freed > 0) log.info({ contexts: freed }, "going on with what was under way when the process ended");
    await this.#claimAll();
    this.#startNext();
  }

  wake(): void {
    if (!this.#hasParked || this.#isStopping) return;
    this.#hasParked = false;
    this.#sweep ??= this.#claimAfter(0);
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#tellIdle();
    });
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (graceMs > 0) await this.#finished(graceMs);
    this.#abort.abort(new TroupeError("aborted", "the agent stops; what is under way is parked"));
    await Promise.all([...this.#working, ...this.#queued.splice(0).map((lease) => this.#release(lease))]);
    await this.#sweep;
    this.#tellIdle();
  }

  /** Until what is under way has finished, or its time is over. */
  async #finished(graceMs: number): Promise<void> {
    const done = new AbortController();
    const grace = this.#parts.clock.sleep(graceMs, done.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#working), grace]);
    done.abort();
  }

  #startNext(): void {
    while (!this.#isStopping && this.#working.size < this.#parts.concurrency) {
      const lease = this.#queued.shift();
      if (!lease) break;
      const job = this.#workOff(lease).finally(() => {
        this.#working.delete(job);
        this.#startNext();
      });
      this.#working.add(job);
    }
    this.#tellIdle();
  }

  #tellIdle(): void {
    const isBusy =
      this.#working.size > 0 || this.#sweep !== undefined || (this.#queued.length > 0 && !this.#isStopping);
    if (isBusy) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const tell of waiters) tell();
  }

  /** One run, then the context goes to the end of the queue, so that a busy room does not keep others waiting. */
  async #workOff(lease: Lease): Promise<void> {
    try {
      const next = await this.#parts.work(lease, this.#abort.signal);
      this.#failures = 0;
      if (next) this.#queued.push(next);
    } catch (error) {
      await this.#putBack(lease, error);
    }
  }

  async #putBack(lease: Lease, error: unknown): Promise<void> {
    const { log } = this.#parts;
    const { contextId } = lease.fence;
    if (this.#abort.signal.aborted) return this.#release(lease);
    if (error instanceof TroupeError && !(error instanceof StoreError) && error.code === "unavailable") {
      log.warn({ contextId, reason: error.message }, "this context waits for what is missing");
      await this.#release(lease);
      this.#hasParked = true;
      return;
    }
    if (!(error instanceof StoreError)) {
      const remedy = error instanceof TroupeError ? error.message : `a defect: ${errorMessage(error)}`;
      log.error({ contextId, error: remedy }, "this context waits until the next start");
      return;
    }
    if (error.code === "conflict") {
      log.warn({ contextId }, "another process went on with this context");
      return;
    }
    log.error(
      { contextId, code: error.code, error: error.message },
      "the store failed; the work is kept and tried again",
    );
    await this.#release(lease);
    this.#retryLater();
  }

  async #release(lease: Lease): Promise<void> {
    try {
      await this.#parts.inbox.release(lease.fence);
    } catch (error) {
      const { contextId } = lease.fence;
      this.#parts.log.warn(
        { contextId, error: errorMessage(error) },
        "a context could not be given back; the next start frees it",
      );
    }
  }

  #retryLater(): void {
    if (this.#sweep || this.#isStopping) return;
    this.#sweep = this.#claimAfter(this.#nextWaitMs());
  }

  #nextWaitMs(): number {
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    return waitMs;
  }

  async #claimAfter(firstWaitMs: number): Promise<void> {
    const { clock, log } = this.#parts;
    for (let waitMs = firstWaitMs; !this.#abort.signal.aborted; waitMs = this.#nextWaitMs()) {
      try {
        if (waitMs > 0) await clock.sleep(waitMs, this.#abort.signal);
        await this.#claimAll();
        break;
      } catch (error) {
        if (this.#abort.signal.aborted) break;
        log.error({ error: errorMessage(error) }, "the store still fails; trying again");
      }
    }
    this.#sweep = undefined;
    this.#startNext();
  }

  async #claimAll(): Promise<void> {
    const { agentId, inbox, owner } = this.#parts;
    for (;;) {
      const leases = await inbox.claim(agentId, owner, claimLimit);
      this.#queued.push(...leases);
      if (leases.length < claimLimit) return;
    }
  }
}
