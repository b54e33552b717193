import { AsyncLocalStorage } from "node:async_hooks";
import type { ActionCall } from "../action/action.ts";

/** What a plugin's code is working on right now: a call of an action, a provider's turn, an evaluator's look. */
export type CurrentWork = {
  readonly agentId: string;
  /** Names the piece of work within its run; the same when it is done again. */
  readonly workId: string;
  readonly runId?: string;
  readonly roomId?: string;
  readonly signal?: AbortSignal;
  /** The room waits for it: nothing that needs the room's turn may be waited for. */
  readonly isAwaited?: true;
  /** Inside an action's handler only. */
  readonly call?: ActionCall;
};

type Held = {
  readonly work: CurrentWork;
  readonly occurrences: Map<string, number>;
};

const storage = new AsyncLocalStorage<Held>();

/** Does something as part of a piece of work; whatever it starts, however late, belongs to that work. */
export function during<Value>(work: CurrentWork, act: () => Value): Value {
  return storage.run({ work, occurrences: new Map() }, act);
}

/** The work under way, if it is this agent's. */
export function currentWork(agentId: string): CurrentWork | undefined {
  return heldBy(agentId)?.work;
}

/** Counts how often the work under way has come to the same thing, from 0. */
export function nextOccurrence(agentId: string, thing: string): number {
  const occurrences = heldBy(agentId)?.occurrences;
  const count = occurrences?.get(thing) ?? 0;
  occurrences?.set(thing, count + 1);
  return count;
}

function heldBy(agentId: string): Held | undefined {
  const held = storage.getStore();
  return held?.work.agentId === agentId ? held : undefined;
}
