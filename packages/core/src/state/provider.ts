import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory/memory.ts";
import type { Place } from "./surroundings.ts";

/** What a provider is asked for: the state of one step of one run. */
export type StateRequest = {
  readonly runId: string;
  readonly step: number;
  /** The newest of the messages to be answered. */
  readonly message: Memory;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Where the message was said, when the caller knows; else it is looked up. */
  readonly room?: Place;
  /** The newest of the conversation with the message itself, oldest first, when the caller has it; else it is read. */
  readonly conversation?: readonly Memory[];
  /** What was composed before, when something was: of the same run, or the caller's own. */
  readonly state?: State;
};

/** What a provider gives: words for the prompt, values for templates, data for actions. */
export type Provided = { readonly text?: string; readonly values?: JsonObject; readonly data?: JsonObject };

/** Which providers to compose: all but dynamic and private ones, and `include`; with `only`, nothing but `include`. */
export type StateChoice = { readonly include?: readonly string[]; readonly only?: boolean };

/** A source of context, bound to everything it needs. */
export type RegisteredProvider = {
  readonly name: string;
  /** Lower stands earlier; equal positions in the order of registration. */
  readonly position: number;
  /** Its text is the same at every turn: it stands first, where vendors cache prompts. */
  readonly isStable?: boolean;
  /** What it knows, for the model that may ask for it. */
  readonly description?: string;
  /** Composed only when it is asked for by name: by the model, which then gets one more step, or by a caller. */
  readonly isDynamic?: boolean;
  /** Composed only when a caller asks for it by name; the model is not told of it. */
  readonly isPrivate?: boolean;
  /** After this it is left out; 5,000 when absent. */
  readonly timeoutMs?: number;
  get(request: StateRequest): Promise<Provided> | Provided;
};

/** What the providers composed. `missing` names those that were late or failed, with why. */
export type State = {
  readonly values: JsonObject;
  readonly data: JsonObject;
  readonly texts: readonly { readonly name: string; readonly text: string; readonly isStable: boolean }[];
  readonly missing: readonly { readonly name: string; readonly failed: string }[];
};
