import type { ActionCall, ActionResult, NamedResult, RegisteredAction } from "../action/action.ts";
import type { ExecutableCall, Executed, RunnableAction, Within } from "../action/executable-call.ts";
import { executeAction } from "../action/execute-action.ts";
import { orderRollbacks } from "../action/order-rollbacks.ts";
import { runWithTimeout } from "../action/run-with-timeout.ts";
import { errorMessage } from "../errors.ts";
import { type CallOutput, createCallOutput } from "./call-output.ts";
import { stateForAction, whereabouts } from "./compose-step.ts";
import type { CallTurn } from "./next-effect.ts";
import type { Refusal } from "./record-call.ts";
import { recordNotice } from "./record-text.ts";
import type { Run } from "./run.ts";
import type { CallState } from "./run-state.ts";
import { maxStepsOf, outputAction } from "./steps/step-frame.ts";

/** Runs one action, once. What was started by a process that died runs again only if that does no harm. */
export async function act(run: Run, call: CallState, turn: CallTurn, signal = run.signal): Promise<void> {
  const action = actionOf(run, call);
  if (turn === "chain-ended")
    return refuse(run, call, { refused: "chain-ended", error: "Not run: an earlier action ended the chain." });
  if (!action || "control" in action)
    return refuse(run, call, { refused: "unknown", error: `There is no action ${call.name} any more.` });
  const filtered = call.isOutput ? null : run.filter.refusal(action);
  if (filtered !== null) return refuse(run, call, { refused: "filtered", error: filteredError(action.name, filtered) });
  const mayRepeat = action.policy?.idempotent === true && call.parentCallId === undefined;
  if (turn === "interrupted" && !mayRepeat) {
    const error = "Interrupted: the process ended while it ran; whether it took effect is unknown.";
    return refuse(run, call, { refused: "interrupted", error });
  }
  await perform(run, { call, action, within: run.within, signal });
}

function actionOf(run: Run, { name, isOutput, parameters }: CallState): RegisteredAction | null {
  if (!isOutput) return run.resolveAction(name);
  const output = run.framed?.outputOf(name);
  return output ? outputAction(output, parameters) : null;
}

/** Gives a call that is not begun its result. */
export function refuse(run: Run, { callId, isCommand }: CallState, { refused, error }: Refusal): void {
  run.recorder.add({ type: "action_result", callId, success: false, refused, error });
  if (isCommand) tellWhoAsked(run, error);
}

function filteredError(name: string, reason: string): string {
  return `${name} was not run: it may not be used here, for ${reason}.`;
}

/** A call with its action, and the calls around it. */
type Doing = {
  readonly call: CallState;
  readonly action: RunnableAction;
  readonly within: Within;
  /** Calls it off. */
  readonly signal: AbortSignal;
};

async function perform(run: Run, doing: Doing): Promise<ActionResult> {
  const { call, action, within, signal } = doing;
  const { parts, recorder } = run;
  const output = createCallOutput(run, call.callId);
  const about = { runId: recorder.runId, roomId: run.room.room.id, callId: call.callId, action: action.name };
  let isOver = false;
  const handle = handing(run, call, () => isOver);
  const executed = await executeAction(
    action,
    { ...(await context(run, call, output)), ...nested(run, call), handle, signal },
    {
      clock: parts.clock,
      random: parts.random,
      locks: parts.locks,
      rateLimits: parts.rateLimits,
      within,
      onStarted: async () => {
        recorder.add({ type: "action_started", callId: call.callId });
        await recorder.flush();
        parts.events.emit({ type: "ACTION_STARTED", ...about });
      },
    },
  );
  isOver = true;
  const { result } = executed;
  if (result.cleanup) run.cleanups.push({ action: action.name, cleanup: result.cleanup });
  await output.finish(isTold(run, call, executed) ? result.text : executed.told);
  if (call.isCommand && !hasSaid(run, call)) tellWhoAsked(run, outcomeInWords(action, executed));
  record(run, call, executed);
  await recorder.flush();
  if (executed.refused === undefined)
    parts.events.emit({ type: "ACTION_COMPLETED", ...about, success: result.success });
  if (!result.success && executed.refused === undefined) await rollBack(run, action);
  return result;
}

/** A result is told to the room when the model will not be shown it, and nobody within an action asked for it. */
function isTold(run: Run, call: CallState, { result }: Executed): boolean {
  if (call.isOutput) return false;
  // The call's own step, rather than a look at the whole state after each of many calls.
  const hasStepsLeft = Number.parseInt(call.callId, 10) < maxStepsOf(run);
  return result.success && (!hasStepsLeft || call.isCommand === true) && call.parentCallId === undefined;
}

/** Who asks by a command hears what came of it, whatever it is. */
function tellWhoAsked(run: Run, text: string): void {
  recordNotice(run, run.recorder.state().steps.length, text);
}

function hasSaid(run: Run, { callId }: CallState): boolean {
  const beginning = `${run.recorder.runId}/${callId}/`;
  return run.recorder.state().steps.some(({ outputs }) => outputs.some(({ key }) => key.startsWith(beginning)));
}

/** What was thrown is for the log: it may name what is nobody's business in the room. */
function outcomeInWords({ name }: RunnableAction, { result, hasThrown }: Executed): string {
  if (result.success) return "Done.";
  return hasThrown ? `${name} did not succeed.` : (result.error ?? `${name} did not succeed.`);
}

function record(run: Run, { callId, name }: CallState, { result, refused, attempts, notes }: Executed): void {
  const { success, text, values, data, error, continueChain } = result;
  if (!success) run.log.warn({ action: name, callId, refused }, "an action did not succeed");
  if (notes)
    run.log.debug({ action: name, callId, notes: notes.length }, "an action was called with more than it knows");
  run.recorder.add({
    type: "action_result",
    callId,
    success,
    ...(text !== undefined && { text }),
    ...(values !== undefined && { values }),
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
    ...(continueChain === false && { endsChain: true as const }),
    ...(refused !== undefined && { refused }),
    ...(attempts > 1 && { attempts }),
  });
}

async function context(
  run: Run,
  call: CallState,
  output: CallOutput,
): Promise<Omit<ActionCall, "act" | "handle" | "signal">> {
  return {
    callId: call.callId,
    runId: run.recorder.runId,
    parameters: call.parameters ?? {},
    message: run.message,
    ...whereabouts(run),
    state: await stateForAction(run),
    responses: [...run.said],
    keywords: call.keywords,
    ...(call.isCommand && { isCommand: true }),
    previousResults: previousResults(run),
    say: (content, room) => output.say(content, room),
    deliver: (kind, target) => output.deliver(kind, target),
    stream: (chunk) => output.stream(chunk),
  };
}

/** Hands a message over in a run within the run; once the call is over, like anybody outside. */
function handing(run: Run, { callId }: CallState, isOver: () => boolean): ExecutableCall["handle"] {
  const { recorder, message, parts, stopSignal } = run;
  const { runId } = recorder;
  return async (handed, { within, signal }) => {
    const { roomId, entityId } = message;
    if (isOver()) return parts.messages().handle({ roomId, entityId, ...handed });
    const onAccepted = (child: {
      readonly runId: string;
      readonly contextId: string;
      readonly memoryId: string;
    }): void =>
      recorder.add({
        type: "child_run",
        callId,
        childRunId: child.runId,
        contextId: child.contextId,
        memoryId: child.memoryId,
      });
    return parts.messages().handOver(handed, { runId, callId, message, within, signal, stopSignal, onAccepted });
  };
}

/** Runs what a handler asks for, each a call of its own within the handler's. */
function nested(
  run: Run,
  parent: CallState,
): { act(calls: Parameters<ActionCall["act"]>[0], within: Within): ReturnType<ActionCall["act"]> } {
  let count = 0;
  return {
    async act(calls, within) {
      const results: ActionResult[] = [];
      for (const { name, parameters } of calls) {
        const callId = `${parent.callId}.${count}`;
        count += 1;
        results.push(await actWithin(run, { callId, parent, name, within, ...(parameters && { parameters }) }));
      }
      return results;
    },
  };
}

type NestedCall = Pick<CallState, "callId" | "name" | "parameters"> & {
  readonly parent: CallState;
  readonly within: Within;
};

async function actWithin(run: Run, { callId, parent, name, parameters, within }: NestedCall): Promise<ActionResult> {
  const action = run.resolveAction(name);
  run.recorder.add({
    type: "action_call",
    callId,
    parentCallId: parent.callId,
    name: action?.name ?? name,
    origin: "named",
    ...(parameters && { parameters }),
    ...(parent.keywords.length > 0 && { keywords: parent.keywords }),
  });
  const call: CallState = {
    callId,
    parentCallId: parent.callId,
    name: action?.name ?? name,
    keywords: parent.keywords,
    isStarted: false,
    result: null,
    ...(parameters && { parameters }),
  };
  const filtered = action && run.filter.refusal(action);
  if (filtered) {
    const refusal = filteredError(action.name, filtered);
    refuse(run, call, { refused: "filtered", error: refusal });
    return { success: false, error: refusal };
  }
  if (action && "run" in action) return perform(run, { call, action, within, signal: run.signal });
  const error = action
    ? `${action.name} steers the conversation and cannot be run by an action.`
    : `There is no action ${name}.`;
  refuse(run, call, { refused: "unknown", error });
  return { success: false, error };
}

function previousResults(run: Run): readonly NamedResult[] {
  const state = run.recorder.state();
  if (state.mode === "steps") return state.results;
  const calls = state.steps.flatMap((step) => step.calls);
  return calls.flatMap(({ name, result, isUndone }) => {
    if (!result || isUndone) return [];
    const { success, text, values, data, error } = result;
    return [
      {
        action: name,
        result: {
          success,
          ...(text !== undefined && { text }),
          ...(values !== undefined && { values }),
          ...(data !== undefined && { data }),
          ...(error !== undefined && { error }),
        },
      },
    ];
  });
}

const rollbackTimeoutMs = 60_000;

/** Undoes, newest first, what the failed action depends on. A rollback that fails is journalled; the others go on. */
async function rollBack(run: Run, failed: RunnableAction): Promise<void> {
  const calls = run.recorder.state().steps.flatMap((step) => step.calls);
  const finished = calls.map((call) => ({
    call,
    action: run.resolveAction(call.name),
    success: call.result?.success === true && !call.isUndone,
  }));
  for (const { call, action } of orderRollbacks(finished, failed)) {
    if (!action || !("run" in action) || !action.rollback || !call.result) continue;
    const { rollback, policy } = action;
    const { data } = call.result;
    const limit = {
      timeoutMs: policy?.timeoutMs ?? rollbackTimeoutMs,
      clock: run.parts.clock,
      signal: run.signal,
      name: `The rollback of ${action.name}`,
    };
    try {
      const about = { message: run.message, parameters: call.parameters ?? {} };
      const result = { success: true, ...(data !== undefined && { data }) };
      await runWithTimeout((signal) => rollback({ ...about, signal }, result), limit);
      run.recorder.add({ type: "action_rolled_back", callId: call.callId, success: true });
    } catch (error) {
      run.signal.throwIfAborted();
      run.log.error({ action: action.name, error: errorMessage(error) }, "an action could not be undone");
      run.recorder.add({ type: "action_rolled_back", callId: call.callId, success: false, error: errorMessage(error) });
    }
  }
}
