import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory/memory.ts";

/** What a provider is asked for: the state of one step of one run. */
export type StateRequest = {
  readonly runId: string;
  readonly step: number;
  /** The newest of the messages to be answered. */
  readonly message: Memory;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
};

/** What a provider gives: words for the prompt, values for templates, data for actions. */
export type Provided = { readonly text?: string; readonly values?: JsonObject; readonly data?: JsonObject };

/** A source of context, bound to everything it needs. */
export type RegisteredProvider = {
  readonly name: string;
  /** Lower stands earlier; equal positions in the order of registration. */
  readonly position: number;
  /** Its text is the same at every turn: it stands first, where vendors cache prompts. */
  readonly isStable?: boolean;
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
