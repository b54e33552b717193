import type { ActionCall, ActionResult } from "../action/action.ts";
import { errorMessage } from "../errors.ts";
import type { Run } from "./run.ts";
import type { CallState } from "./run-state.ts";

/** Runs one action, once. What was started by a process that died runs again only if that does no harm. */
export async function act(run: Run, call: CallState, isInterrupted: boolean): Promise<void> {
  const { parts, recorder } = run;
  const action = parts.resolveAction(call.name);
  const finish = (result: ActionResult): void => {
    const { success, text, data, error } = result;
    recorder.add({
      type: "action_result",
      callId: call.callId,
      success,
      ...(text !== undefined && { text }),
      ...(data !== undefined && { data }),
      ...(error !== undefined && { error }),
    });
  };
  if (!action || "control" in action)
    return finish({ success: false, error: `There is no action ${call.name} any more.` });
  if (isInterrupted && action.policy?.idempotent !== true) {
    return finish({
      success: false,
      error: "Interrupted: the process ended while it ran; whether it took effect is unknown.",
    });
  }
  recorder.add({ type: "action_started", callId: call.callId });
  await recorder.flush();
  const about = { runId: recorder.runId, roomId: run.room.room.id, callId: call.callId, action: action.name };
  parts.events.emit({ type: "ACTION_STARTED", ...about });
  const result = await runAction(run, call, action.run);
  finish(result);
  await recorder.flush();
  parts.events.emit({ type: "ACTION_COMPLETED", ...about, success: result.success });
}

async function runAction(
  run: Run,
  call: CallState,
  execute: (call: ActionCall) => Promise<ActionResult>,
): Promise<ActionResult> {
  try {
    return await execute({
      callId: call.callId,
      runId: run.recorder.runId,
      parameters: call.parameters ?? {},
      message: run.message,
      keywords: call.keywords,
      previousResults: previousResults(run),
      signal: run.signal,
    });
  } catch (error) {
    run.signal.throwIfAborted();
    run.log.warn({ action: call.name, error: errorMessage(error) }, "an action failed");
    return { success: false, error: errorMessage(error) };
  }
}

function previousResults(run: Run): ActionCall["previousResults"] {
  const calls = run.recorder.state().steps.flatMap((step) => step.calls);
  return calls.flatMap(({ name, result }) => (result ? [{ action: name, result }] : []));
}
