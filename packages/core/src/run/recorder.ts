import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Journal, Lease } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import type { Entry, EntryBody, PartHash, RunOutcome } from "./entry.ts";
import { foldMore, foldRun, type RunState } from "./run-state.ts";

/** Remembers which parts an agent's journal already has, so that a turn writes only what is new. Bounded. */
export type PartIndex = {
  /** The part's hash, and whether it must still be written. */
  look(text: string): { readonly hash: PartHash; readonly isNew: boolean };
  /** Called when the part was committed. */
  keep(text: string, hash: PartHash): void;
  /** Something was forgotten: whatever is written next is written anew, and no text is kept here any longer. */
  clear(): void;
};

/** A part index of at most `maxCharacters` of texts; the oldest are dropped and simply written again. */
export function createPartIndex(maxCharacters = 4_000_000): PartIndex {
  const known = new Map<string, PartHash>();
  let characters = 0;
  return {
    look(text) {
      const kept = known.get(text);
      return kept === undefined ? { hash: partHash(text), isNew: true } : { hash: kept, isNew: false };
    },
    keep(text, hashed) {
      if (known.has(text)) return;
      known.set(text, hashed);
      characters += text.length;
      for (const [oldest] of known) {
        if (characters <= maxCharacters) break;
        known.delete(oldest);
        characters -= oldest.length;
      }
    },
    clear() {
      known.clear();
      characters = 0;
    },
  };
}

/** The address of a text in the journal. */
function partHash(text: string): PartHash {
  return hash("sha256", text, "hex").slice(0, 32);
}

/** A run's pen: entries and writes gather until `flush` commits them together, under the lease's fence. */
export type Recorder = {
  readonly runId: string;
  /** The run as all entries tell it, committed or not. */
  state(): RunState;
  add(...bodies: readonly EntryBody[]): void;
  write(...writes: readonly Write[]): void;
  /** Keeps a text as a part and returns its hash. */
  part(text: string): PartHash;
  /** Whether something waits to be committed. */
  isDirty(): boolean;
  /** Commits what gathered. Flushes never overlap; after a failed one all later ones fail the same way. */
  flush(): Promise<void>;
  /** Commits what gathered and ends the run; returns what is waiting next. */
  close(end: {
    readonly seqs: readonly number[];
    readonly outcome: RunOutcome;
    readonly reason?: string;
  }): Promise<Lease | null>;
};

/** What a recorder writes with. */
export type RecorderParts = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly parts: PartIndex;
  /** Told of entries once they are committed, in their order. */
  readonly onCommitted?: (entries: readonly Entry[]) => void;
};

/** Goes on from `earlier`, the entries of the same run that are committed already. */
export function createRecorder(
  lease: Lease,
  runId: string,
  earlier: readonly Entry[],
  { journal, clock, parts, onCommitted }: RecorderParts,
): Recorder {
  let state = foldRun(earlier);
  /** Added since the state was last looked at. */
  let fresh: Entry[] = [];
  let seq = lease.lastEntry;
  let entries: Entry[] = [];
  let writes: Write[] = [];
  let newParts: { text: string; hash: PartHash }[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** Waits for the one before it; what is added until then goes with it. */
  let waiting: Promise<unknown> | null = null;

  const commit = async (before: Promise<unknown>, done?: Parameters<Recorder["close"]>[0]): Promise<Lease | null> => {
    await before;
    waiting = null;
    const batch = { entries, writes, ...(done && { done: { runId, ...done } }) };
    const batchParts = newParts;
    entries = [];
    writes = [];
    newParts = [];
    const next = await journal.append(lease.fence, batch);
    for (const { text, hash: hashed } of batchParts) parts.keep(text, hashed);
    onCommitted?.(batch.entries);
    return next;
  };
  const chain = (done?: Parameters<Recorder["close"]>[0]): Promise<Lease | null> => {
    const next = commit(last, done);
    last = next;
    // Whoever asked for the flush is told; the chain itself must not count as unhandled.
    next.catch(() => undefined);
    return next;
  };

  return {
    runId,
    state() {
      if (fresh.length > 0) {
        state = foldMore(state, fresh);
        fresh = [];
      }
      return state;
    },
    add(...bodies) {
      for (const body of bodies) {
        seq += 1;
        const entry = { seq, runId, at: clock.now(), body };
        entries.push(entry);
        fresh.push(entry);
      }
    },
    write: (...more) => void writes.push(...more),
    part(text) {
      const { hash: hashed, isNew } = parts.look(text);
      if (isNew && !newParts.some((part) => part.hash === hashed)) {
        newParts.push({ text, hash: hashed });
        writes.push({ type: "part.put", part: { hash: hashed, text } });
      }
      return hashed;
    },
    isDirty: () => entries.length > 0 || writes.length > 0,
    async flush() {
      if (waiting !== null) await waiting;
      else if (entries.length > 0 || writes.length > 0) {
        waiting = chain();
        await waiting;
      } else await last;
    },
    close: (end) => chain(end),
  };
}
