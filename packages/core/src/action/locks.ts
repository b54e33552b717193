import { TroupeError } from "../errors.ts";

/** What work is told that runs under a lock. */
export type UnderLock = {
  /** All keys held on the way here, this one included: for what the work starts itself. */
  readonly held: ReadonlySet<string>;
  /** Says that something of the work goes on when it returns: the key stays taken until this has settled. */
  outlivedBy(rest: Promise<unknown>): void;
};

/** How to wait for a lock. */
type LockOptions = {
  readonly signal: AbortSignal;
  /** The keys that whoever asks holds already. */
  readonly held?: ReadonlySet<string>;
  /** So many may hold the key at once; 1 when absent. Of the first who asks counts. */
  readonly places?: number;
};

/** Locks by key, within this process. */
export interface Locks {
  /**
   * Does the work when nobody else holds the key, or one of its places is free; first come, first served.
   * @throws the signal's reason when it aborts while waiting; TroupeError `conflict` when the wait could never end, because
   * whoever asks holds the key already or holds one that its holder waits for; TroupeError `unavailable` when the holder was
   * called off and does not stop; else what the work throws.
   */
  withLock<T>(key: string, work: (lock: UnderLock) => Promise<T>, options: LockOptions): Promise<T>;
  /** How many keys are held. */
  size(): number;
}

type Waiter = {
  readonly held: ReadonlySet<string>;
  enter(): void;
  refuse(reason: TroupeError): void;
};

/**
 * A key is free (it has no gate), held, or overdue: its work was called off and goes on all the same. free → held by the first
 * who asks; held → held by the next who waits, else free; held → overdue, then everybody is refused; overdue → free when the
 * work has stopped.
 */
type Gate = { readonly waiters: Waiter[]; isOverdue: boolean; readonly places: number; taken: number };

const nothing: ReadonlySet<string> = new Set();

/** Makes a set of locks, all free. */
export function createLocks(): Locks {
  const gates = new Map<string, Gate>();
  return {
    size: () => gates.size,
    async withLock(key, work, { signal, held = nothing, places = 1 }) {
      signal.throwIfAborted();
      await enter(gates, key, { signal, held, places });
      const rest: Promise<unknown>[] = [];
      try {
        return await work({ held: new Set([...held, key]), outlivedBy: (promise) => rest.push(promise) });
      } finally {
        if (rest.length === 0) leave(gates, key);
        else void leaveAfter(gates, key, rest);
      }
    },
  };
}

async function enter(
  gates: Map<string, Gate>,
  key: string,
  { signal, held, places }: Required<LockOptions>,
): Promise<void> {
  if (held.has(key)) {
    throw new TroupeError(
      "conflict",
      `The lock ${key} is held by the very call that asks for it; it would never be free.`,
    );
  }
  const gate = gates.get(key);
  if (!gate) {
    gates.set(key, { waiters: [], isOverdue: false, places, taken: 1 });
    return;
  }
  if (!gate.isOverdue && gate.taken < gate.places) {
    gate.taken += 1;
    return;
  }
  if (gate.isOverdue) throw overdue(key);
  if (closesCircle(gates, key, held)) {
    throw new TroupeError(
      "conflict",
      `The lock ${key} is held by a call that itself waits for one held here; neither would ever go on.`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    const stopWaiting = (): void => {
      signal.removeEventListener("abort", onAbort);
    };
    const waiter: Waiter = {
      held,
      enter: () => {
        stopWaiting();
        resolve();
      },
      refuse: (reason) => {
        stopWaiting();
        reject(reason);
      },
    };
    const onAbort = (): void => {
      gate.waiters.splice(gate.waiters.indexOf(waiter), 1);
      reject(signal.reason);
    };
    gate.waiters.push(waiter);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function leave(gates: Map<string, Gate>, key: string): void {
  const gate = gates.get(key);
  const next = gate?.waiters.shift();
  if (next) next.enter();
  else if (gate && gate.taken > 1) gate.taken -= 1;
  else gates.delete(key);
}

/** Called-off work that heeds its signal stops at once; only what is still going on after that keeps others from waiting. */
async function leaveAfter(gates: Map<string, Gate>, key: string, rest: readonly Promise<unknown>[]): Promise<void> {
  const stopped = Promise.allSettled(rest);
  const soon = new Promise<"going on">((resolve) => setImmediate(() => resolve("going on")));
  const gate = gates.get(key);
  if ((await Promise.race([stopped, soon])) === "going on" && gate) {
    gate.isOverdue = true;
    for (const waiter of gate.waiters.splice(0)) waiter.refuse(overdue(key));
  }
  await stopped;
  leave(gates, key);
}

/** Whether the holder of `key`, or whom it waits for in turn, waits for one of the keys in `held`. */
function closesCircle(gates: ReadonlyMap<string, Gate>, key: string, held: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const open = [key];
  for (let looked = open.pop(); looked !== undefined; looked = open.pop()) {
    if (held.has(looked)) return true;
    if (seen.has(looked)) continue;
    seen.add(looked);
    for (const [wanted, { waiters }] of gates) {
      if (waiters.some((waiter) => waiter.held.has(looked ?? ""))) open.push(wanted);
    }
  }
  return false;
}

function overdue(key: string): TroupeError {
  return new TroupeError(
    "unavailable",
    `The lock ${key} is held by a call that was called off and has not stopped; only one may run at once. Let its handler heed its signal.`,
  );
}
