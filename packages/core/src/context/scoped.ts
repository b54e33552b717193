import type { ActionCall, Verdict } from "../action/action.ts";
import type { ActionParameter } from "../action/parameter.ts";
import type { ActionPolicy } from "../action/policy.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { OutputCall } from "./context-frame.ts";

/** A context as its own functions see it. */
export type Ctx<State = unknown, Args = unknown> = {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly args: Args;
  /** As it is now; frozen: change it with `update`. */
  readonly state: State;
  /**
   * Changes the state; resolves with what it then is, once that is durable. `change` makes a new state of the old one and may be
   * called again when somebody else was faster. Within an action that is done again after a crash, what was changed stays as it is.
   * @throws TroupeError `invalid` when the new state does not fit the schema or is no plain JSON; nothing is changed then.
   */
  update(change: (state: State) => State): Promise<State>;
};

/** A call of an action, with its own context. */
export type ScopedCall<State = unknown, Args = unknown> = Omit<ActionCall, "parameters"> & {
  readonly ctx: Ctx<State, Args>;
};

/** An output's call, with its own context. */
export type ScopedOutputCall<State = unknown, Args = unknown> = Omit<OutputCall, "attributes" | "content"> & {
  readonly ctx: Ctx<State, Args>;
};

/** What a schema made of something: the value, or what is wrong with it, one sentence for the model. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** An action of a context, whose schema and state are already inside its functions. Made by `contextAction`. */
export type ContextAction = {
  readonly name: string;
  readonly description: string;
  readonly similes: readonly string[];
  readonly parameters: readonly ActionParameter[];
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly policy: ActionPolicy;
  /** Whether it makes sense now; absent: always. */
  enabled?(ctx: Ctx): Promise<Verdict | boolean> | Verdict | boolean;
  /** Checks further than parameters can say. */
  check(parameters: JsonObject): Promise<Checked<unknown>>;
  /** What the handler returned; any form a handler may answer in. */
  run(parameters: unknown, call: ScopedCall): Promise<unknown>;
};

/** An output of a context, whose schemas and state are already inside its functions. Made by `contextOutput`. */
export type ContextOutput = {
  readonly name: string;
  readonly description: string;
  readonly instructions?: string;
  readonly examples: readonly { readonly attributes: JsonObject; readonly content: string }[];
  readonly attributes: readonly ActionParameter[];
  /** JSON Schema; absent: a text. */
  readonly content?: JsonObject;
  enabled?(ctx: Ctx): Promise<Verdict | boolean> | Verdict | boolean;
  check(given: {
    readonly attributes: JsonObject;
    readonly content: string;
  }): Promise<Checked<{ readonly attributes: unknown; readonly content: unknown }>>;
  /** Absent: it is said in the run's room. */
  deliver?(
    given: { readonly attributes: unknown; readonly content: unknown },
    call: ScopedOutputCall,
  ): Promise<unknown>;
};

/** A value as it is kept, or why it cannot be. */
export type Kept = Checked<JsonValue>;
