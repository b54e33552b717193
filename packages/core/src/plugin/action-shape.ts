import type { NamedResult } from "../action/action.ts";
import type { ActionParameter } from "../action/parameter.ts";
import type { RetryPolicy, Scope } from "../action/policy.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { State } from "../state/provider.ts";
import type { Runtime } from "./runtime.ts";

/** What a handler may return. `error` may be an Error; a result without `success` counts as success with that value as `data`. */
export interface HandlerResult {
  readonly success: boolean;
  readonly text?: string;
  readonly values?: JsonObject;
  readonly data?: JsonValue;
  readonly error?: string | Error;
  readonly continueChain?: boolean;
  readonly cleanup?: () => void | Promise<void>;
}

/** What a handler is told beside the message. */
export interface HandlerOptions {
  /** Checked against the schema, defaults filled in. */
  readonly parameters: JsonObject;
  /** Upper-case keywords of the answer. */
  readonly keywords: readonly string[];
  readonly actionContext: {
    /** Results of the actions of this run so far, oldest first. */
    readonly previousResults: readonly NamedResult[];
    /** The newest result of the action of this name. */
    getPreviousResult(name: string): NamedResult["result"] | undefined;
  };
  /** Streams words to the room as they come; they become one message. */
  onStreamChunk(chunk: string): void;
  /** Aborted when the action's time is over or the run is called off. */
  readonly signal: AbortSignal;
  /** The same whenever this very call is tried again, also after a crash: for services that take such a key. */
  readonly idempotencyKey: string;
}

/** Delivers an intermediate message through the outbox; resolves with what was remembered of it. */
export type HandlerCallback = (content: Partial<Content> & { readonly text: string }) => Promise<readonly Memory[]>;

/**
 * Does the action. Nothing and `true` count as success, `false` as failure, a throw as failure with its message. A handler
 * is always given all six; it takes as many as it needs.
 */
// biome-ignore lint/complexity/useMaxParams: the signature plugin authors of the field know
export type Handler = (
  runtime: Runtime,
  message: Memory,
  state: State,
  options: HandlerOptions,
  callback: HandlerCallback,
  responses: readonly Memory[],
) => Promise<HandlerResult | boolean | void> | HandlerResult | boolean | void;

/** Whether the action makes sense now; asked for the prompt and again before it runs. */
export type Validate = (
  runtime: Runtime,
  message: Memory,
  state: State,
) =>
  | Promise<boolean | { readonly pass: boolean; readonly reason?: string }>
  | boolean
  | { readonly pass: boolean; readonly reason?: string };

/** One line of an example conversation. */
export type ExampleLine = {
  readonly name: string;
  readonly content: { readonly text: string; readonly actions?: readonly string[] };
};

/** Something the agent can do. The required members first, then how it is found, then its policy. */
export interface Action {
  /** Letters, digits, `_`, `-` and spaces; upper case with `_` is the convention. */
  readonly name: string;
  readonly description: string;
  readonly handler: Handler;
  readonly validate: Validate;
  readonly similes?: readonly string[];
  readonly examples?: readonly (readonly ExampleLine[])[];
  /** Higher stands earlier in the prompt; 0 when absent. */
  readonly priority?: number;
  /** By which characters choose what is offered. */
  readonly tags?: readonly string[];
  readonly parameters?: readonly ActionParameter[];
  /** People may ask for it by name, without the model: by its own name in lower case, or by this one (1..32 of `[a-z0-9_-]`). */
  readonly command?: boolean | string;
  /** The handler is called off after this; 60,000 when absent. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly rateLimit?: { readonly limit: number; readonly windowMs: number; readonly per: Scope };
  /** Never runs twice at once in this scope; the second waits. */
  readonly exclusive?: Scope;
  /** Calls with the same key wait for each other; see ActionPolicy. */
  readonly queueKey?: string;
  readonly concurrency?: number;
  /** Actions that must have succeeded earlier in the run. */
  readonly dependencies?: readonly string[];
  /** Safe to run again when a crash hid its result. */
  readonly idempotent?: boolean;
  /**
   * What the room is told, through the callback, when the handler threw; undefined: nothing. Absent: the message of a
   * ValidationError or ActionError, which are written for people, and nothing of any other error. Where `retry`
   * may try again, it is asked once, after the last try. Either way the result carries the error, and the model is told.
   */
  readonly describeError?: (error: unknown) => string | undefined;
  /** Undoes what it did, when a later action that depends on it fails. */
  readonly rollback?: (runtime: Runtime, message: Memory, result: NamedResult["result"]) => Promise<void> | void;
}
