import type { PlannedCall } from "../action/plan-calls.ts";
import type { ActionRefusal } from "./entry.ts";
import type { Said } from "./model-call.ts";
import type { Run } from "./run.ts";

/** Why a call is not begun, in a word for programs and a sentence for the model. */
export type Refusal = { readonly refused: ActionRefusal; readonly error: string };

/** The answer was held back: nothing it asks for happens. */
export const vetoed: Refusal = { refused: "validate", error: "Not run: the answer was held back." };

/** A call to be written down. */
export type CallToRecord = { readonly call: PlannedCall; readonly said: Said; readonly refusal: Refusal | null };

/** Writes down a call; what steers the conversation, or cannot run, has its result at once. */
export function recordCall(run: Run, callId: string, { call, said, refusal }: CallToRecord): void {
  const { recorder } = run;
  recorder.add({
    type: "action_call",
    callId,
    name: call.name,
    origin: call.origin,
    ...(call.parameters && { parameters: call.parameters }),
    ...(said.decoded.keywords.length > 0 && { keywords: said.decoded.keywords }),
  });
  if (refusal) recorder.add({ type: "action_result", callId, success: false, ...refusal });
  else if (call.action && "control" in call.action) recorder.add({ type: "action_result", callId, success: true });
}

/** What is said to a call of an action that does not exist. */
export function unknownAction({ parts, framed, log }: Run, asked: string): Refusal {
  log.warn({ action: asked.slice(0, 80) }, "the model asked for an action that does not exist");
  const names = (framed?.actions ?? parts.registry.actions()).map(({ name }) => name).join(", ");
  return { refused: "unknown", error: `There is no action ${asked}. There are: ${names}.` };
}

/** What can be said about the `n`th call of an answer before it has its turn: null when it may run. */
export function refusalOf(
  run: Run,
  call: PlannedCall,
  { said, n }: { readonly said: Said; readonly n: number },
): Refusal | null {
  const { parts } = run;
  if (!call.action) return unknownAction(run, call.name);
  const control = "control" in call.action ? call.action.control : null;
  if (n > 0 && control === null && !parts.settings.actionPlanning) {
    return {
      refused: "chain-ended",
      error: "Not run: only the first action of an answer runs (settings.actionPlanning).",
    };
  }
  if (said.decoded.complete || control === "ignore" || control === "stop") return null;
  return { refused: "cut-off", error: "Not run: the answer was cut off before it was complete." };
}
