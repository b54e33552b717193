import { TroupeError } from "../errors.ts";
import type { ActionCall } from "./action.ts";
import {
  type ExecutableCall,
  type Executed,
  type ExecuteParts,
  outermost,
  type RunnableAction,
  type Within,
} from "./executable-call.ts";
import type { UnderLock } from "./locks.ts";
import { failure, normalizeResult, thrownMessage } from "./normalize-result.ts";
import { refuseCall } from "./refuse-call.ts";
import { retrying, type Tried } from "./retrying.ts";
import { runWithTimeout } from "./run-with-timeout.ts";
import { scopeId } from "./scope-id.ts";

const defaultTimeoutMs = 60_000;

/**
 * Runs one call as its action's policy says: nesting → dependencies → parameters → `validate` → rate limit → lock → handler
 * with its time limit, tried again. Whatever the action does, the call has a result.
 * @throws the reason of the run's signal when it aborts, and what `onStarted` throws; nothing else.
 */
export async function executeAction(
  action: RunnableAction,
  call: ExecutableCall,
  parts: ExecuteParts,
): Promise<Executed> {
  call.signal.throwIfAborted();
  const check = await refuseCall(action, call, parts);
  call.signal.throwIfAborted();
  if (!check.ok) return check.executed;
  const executed = await inQueue(action, { ...call, parameters: check.parameters }, parts);
  const notes = [...check.ignored.map((path) => `${path}: is no parameter`), ...(executed.notes ?? [])];
  return notes.length > 0 ? { ...executed, notes } : executed;
}

/** Waits for its turn where the policy has a queue; a call within one of the same queue has its turn already. */
async function inQueue(action: RunnableAction, call: ExecutableCall, parts: ExecuteParts): Promise<Executed> {
  const { queueKey, concurrency } = action.policy ?? {};
  if (queueKey === undefined && concurrency === undefined) return underLock(action, call, parts);
  const within = parts.within ?? outermost;
  const key = `queue ${queueKey ?? action.name}`;
  if (within.held.has(key)) return underLock(action, call, parts);
  let hasEntered = false;
  try {
    return await parts.locks.withLock(
      key,
      ({ held }) => {
        hasEntered = true;
        return underLock(action, call, { ...parts, within: { ...within, held } });
      },
      { signal: call.signal, held: within.held, places: concurrency ?? 1 },
    );
  } catch (error) {
    if (hasEntered || call.signal.aborted) throw error;
    return { result: failure(`${action.name} was not run. ${thrownMessage(error)}`), attempts: 0, refused: "lock" };
  }
}

async function underLock(action: RunnableAction, call: ExecutableCall, parts: ExecuteParts): Promise<Executed> {
  const scope = action.policy?.exclusive;
  const { actions, held } = parts.within ?? outermost;
  const around = [...actions, action.name];
  if (!scope) return attempts(action, call, { parts, within: { actions: around, held }, lock: null });
  const key = `${action.name} ${scopeId(scope, call.message)}`;
  let hasEntered = false;
  try {
    return await parts.locks.withLock(
      key,
      (lock) => {
        hasEntered = true;
        return attempts(action, call, { parts, within: { actions: around, held: lock.held }, lock });
      },
      { signal: call.signal, held },
    );
  } catch (error) {
    if (hasEntered || call.signal.aborted) throw error;
    return { result: failure(`${action.name} was not run. ${thrownMessage(error)}`), attempts: 0, refused: "lock" };
  }
}

type Begun = { readonly parts: ExecuteParts; readonly within: Within; readonly lock: UnderLock | null };

async function attempts(action: RunnableAction, call: ExecutableCall, begun: Begun): Promise<Executed> {
  const { clock, random, onStarted } = begun.parts;
  call.signal.throwIfAborted();
  await onStarted();
  const { retry, idempotent, exclusive } = action.policy ?? {};
  const mayRunBeside = idempotent === true && exclusive === undefined;
  let goesOn = false;
  const outlivedBy = (work: Promise<unknown>): void => {
    goesOn = true;
    begun.lock?.outlivedBy(work);
  };
  const tried = await retrying(
    () => attempt(action, call, { ...begun, outlivedBy }),
    retry ?? { attempts: 1, initialMs: 0, multiplier: 1, maxMs: 0 },
    { clock, random, signal: call.signal, mayRetry: () => mayRunBeside || !goesOn },
  );
  return toExecuted(action, tried);
}

/** One attempt. Its handler is off the room's way once it is called off: it can neither say, stream nor act any more. */
async function attempt(
  action: RunnableAction,
  call: ExecutableCall,
  { parts, within, outlivedBy }: Omit<Begun, "lock"> & Pick<UnderLock, "outlivedBy">,
): Promise<unknown> {
  const limit = {
    timeoutMs: action.policy?.timeoutMs ?? defaultTimeoutMs,
    clock: parts.clock,
    signal: call.signal,
    name: `Action ${action.name}`,
  };
  let isSettled = false;
  let work: Promise<unknown> = Promise.resolve();
  try {
    return await runWithTimeout((signal) => {
      work = start(action, withSignal(call, within, signal)).finally(() => {
        isSettled = true;
      });
      return work;
    }, limit);
  } finally {
    if (!isSettled) outlivedBy(work);
  }
}

async function start(action: RunnableAction, call: ActionCall): Promise<unknown> {
  return action.run(call);
}

function withSignal(call: ExecutableCall, within: Within, signal: AbortSignal): ActionCall {
  return {
    ...call,
    signal,
    say: async (...given) => {
      refuseWhenOver(signal);
      return call.say(...given);
    },
    deliver: async (...given) => {
      refuseWhenOver(signal);
      return call.deliver(...given);
    },
    stream: (chunk) => {
      if (!signal.aborted) call.stream(chunk);
    },
    handle: async (message) => {
      refuseWhenOver(signal);
      return call.handle(message, { within, signal });
    },
    act: async (calls) => {
      refuseWhenOver(signal);
      return call.act(calls, within);
    },
  };
}

function refuseWhenOver(signal: AbortSignal): void {
  if (signal.aborted) throw new TroupeError("aborted", "The call is over; nothing more can be said or done in it.");
}

function toExecuted(action: RunnableAction, tried: Tried<unknown>): Executed {
  if (!tried.ok) {
    const told = action.describeFailure?.(tried.error);
    const result = failure(thrownMessage(tried.error));
    return { result, attempts: tried.attempts, hasThrown: true, ...(told !== undefined && { told }) };
  }
  const { result, lost } = normalizeResult(tried.result);
  return { result, attempts: tried.attempts, ...(lost.length > 0 && { notes: lost }) };
}
