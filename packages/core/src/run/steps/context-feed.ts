import { errorMessage } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Entry } from "../entry.ts";

/**
 * What grows while the model speaks. `id` is the same for all deltas of one thought, output or call, also when the entry that
 * holds it is told. The deltas so far, joined, are a prefix of the whole.
 */
export type PartialEntry = {
  readonly runId: string;
  readonly step: number;
  readonly id: string;
  readonly kind: "thought" | "output" | "call";
  /** Of a call, its action; of an output, its name. */
  readonly name?: string;
  readonly delta: string;
  /** Nothing is added any more. */
  readonly isDone: boolean;
};

/** Who follows a context. What it throws harms nobody; nobody waits for it. */
export type ContextListener = {
  /** Every entry of the context's journal once it is committed, in the journal's order. */
  readonly onEntry?: (entry: Entry) => void;
  readonly onPartial?: (partial: PartialEntry) => void;
  /** The model's thoughts alone, as they come. */
  readonly onThinking?: (delta: string, about: { readonly runId: string; readonly step: number }) => void;
  /** Inputs (their memories) that a completely answered step has seen, once what the step asked for is done. */
  readonly onCovered?: (runId: string, memoryIds: readonly string[]) => void;
};

/** Tells what happens in contexts to whoever follows them. */
export type ContextFeed = {
  /** Returns the function that ends the following. */
  subscribe(contextId: string, listener: ContextListener): () => void;
  isFollowed(contextId: string): boolean;
  entries(contextId: string, entries: readonly Entry[]): void;
  partial(contextId: string, partial: PartialEntry): void;
  covered(contextId: string, runId: string, memoryIds: readonly string[]): void;
};

/** A feed nobody follows yet; contexts that nobody follows cost nothing. */
export function createContextFeed(log: Log): ContextFeed {
  const followed = new Map<string, Set<ContextListener>>();
  const tell = (contextId: string, say: (listener: ContextListener) => void): void => {
    for (const listener of followed.get(contextId) ?? []) {
      try {
        say(listener);
      } catch (error) {
        log.error({ contextId, error: errorMessage(error) }, "a context's listener threw; the others go on");
      }
    }
  };
  return {
    subscribe(contextId, listener) {
      const listeners = followed.get(contextId) ?? new Set();
      followed.set(contextId, listeners);
      const own = { ...listener };
      listeners.add(own);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && followed.get(contextId) === listeners) followed.delete(contextId);
      };
    },
    isFollowed: (contextId) => followed.has(contextId),
    entries(contextId, entries) {
      for (const entry of entries) tell(contextId, (listener) => listener.onEntry?.(entry));
    },
    partial(contextId, partial) {
      tell(contextId, (listener) => {
        listener.onPartial?.(partial);
        const { kind, delta, runId, step } = partial;
        if (kind === "thought" && delta !== "") listener.onThinking?.(delta, { runId, step });
      });
    },
    covered: (contextId, runId, memoryIds) => tell(contextId, (listener) => listener.onCovered?.(runId, memoryIds)),
  };
}
