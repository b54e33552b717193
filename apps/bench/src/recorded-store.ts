import type { Append, Inbound, Store } from "@troupe/core";

/** One call the engine made of its store. */
export type StoreCall = {
  readonly inbound?: Inbound;
  readonly append?: Append;
  /** The room whose last messages were read. */
  readonly recentOf?: string;
  /** Makes the same call of another store. */
  repeat(store: Store): Promise<unknown>;
};

/** What happened around one message: calls that were under way together stand in one batch. */
export type Recording = {
  /** Up to the send: what somebody waits for. */
  readonly waitedFor: readonly (readonly StoreCall[])[];
  /** After it. */
  readonly after: readonly (readonly StoreCall[])[];
};

/** A store that remembers what it was asked. */
export type RecordedStore = {
  readonly store: Store;
  /** Says that from now on nobody waits. */
  markSent(): void;
  /** What was recorded since the last time; only while nothing is under way. */
  take(): Recording;
};

/** Puts a recorder before the calls a run makes. */
export function recordStore(store: Store): RecordedStore {
  let before: StoreCall[][] = [];
  let after: StoreCall[][] = [];
  let isSent = false;
  let isOpen = false;
  const record = async <Result>(call: StoreCall, result: Promise<Result>): Promise<Result> => {
    const batches = isSent ? after : before;
    const last = batches.at(-1);
    if (isOpen && last) last.push(call);
    else batches.push([call]);
    isOpen = true;
    try {
      return await result;
    } finally {
      isOpen = false;
    }
  };
  const { inbox, journal, memories, rooms } = store;
  return {
    store: {
      ...store,
      inbox: {
        ...inbox,
        accept: (...args) =>
          record({ inbound: args[1], repeat: (other) => other.inbox.accept(...args) }, inbox.accept(...args)),
      },
      journal: {
        ...journal,
        append: (...args) =>
          record({ append: args[1], repeat: (other) => other.journal.append(...args) }, journal.append(...args)),
      },
      memories: {
        ...memories,
        get: (...args) => record({ repeat: (other) => other.memories.get(...args) }, memories.get(...args)),
        recent: (...args) =>
          record(
            { recentOf: args[1].roomId, repeat: (other) => other.memories.recent(...args) },
            memories.recent(...args),
          ),
      },
      rooms: {
        ...rooms,
        room: (...args) => record({ repeat: (other) => other.rooms.room(...args) }, rooms.room(...args)),
      },
    },
    markSent() {
      isSent = true;
      isOpen = false;
    },
    take() {
      const recording = { waitedFor: before, after };
      before = [];
      after = [];
      isSent = false;
      isOpen = false;
      return recording;
    },
  };
}

/** Makes the calls of some batches again, one batch after the other. */
export async function repeatCalls(batches: readonly (readonly StoreCall[])[], store: Store): Promise<void> {
  for (const batch of batches) {
    const [only] = batch;
    if (only && batch.length === 1) await only.repeat(store);
    else await Promise.all(batch.map((call) => call.repeat(store)));
  }
}
