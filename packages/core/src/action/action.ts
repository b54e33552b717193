import type { JsonObject, JsonValue } from "../json.ts";
import type { Memory } from "../memory/memory.ts";

/** What an action's execution came to. `success: false` goes with `error`, a sentence the model is shown. */
export type ActionResult = {
  readonly success: boolean;
  /** For the model and, where the action says so, for the room. */
  readonly text?: string;
  readonly data?: JsonValue;
  readonly error?: string;
  /** False ends the chain: later actions of the same answer do not run. */
  readonly continueChain?: boolean;
};

/** What an action is called with. */
export type ActionCall = {
  readonly callId: string;
  readonly runId: string;
  readonly parameters: JsonObject;
  /** The newest of the messages being answered. */
  readonly message: Memory;
  /** Upper-case keywords of the answer. */
  readonly keywords: readonly string[];
  /** Results of the actions of this run so far, oldest first. */
  readonly previousResults: readonly { readonly action: string; readonly result: ActionResult }[];
  readonly signal: AbortSignal;
};

/**
 * What an action does to the run itself rather than to the world; such actions need no handler.
 * `reply`, `none`: the text is sent as it is. `ignore`: the text is not sent and nothing follows. `stop`: like `ignore`, and
 * the agent is silent in the room until it is addressed. `continue`: the model is asked once more after this answer.
 */
export type ActionControl = "reply" | "none" | "ignore" | "stop" | "continue";

/** An action as the engine runs it: bound to everything its handler needs. */
export type RegisteredAction = {
  /** Letters, digits, `_`, `-`, spaces; upper case. */
  readonly name: string;
  readonly description: string;
  readonly similes: readonly string[];
  /** JSON Schema of the parameters, as the model is shown it. */
  readonly parameters?: JsonObject;
  /** Safe to run again when a crash hid its result. */
  readonly isIdempotent?: boolean;
} & ({ readonly control: ActionControl } | { readonly run: (call: ActionCall) => Promise<ActionResult> });
