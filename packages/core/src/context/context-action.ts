import type { z } from "zod";
import type { Verdict } from "../action/action.ts";
import { checkAction } from "../action/check-action.ts";
import type { ActionParameter } from "../action/parameter.ts";
import type { ActionPolicy } from "../action/policy.ts";
import { errorMessage, ValidationError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { ContextAction, Ctx, ScopedCall } from "./scoped.ts";
import { parametersOf } from "./zod-parameters.ts";
import { isSchema, readValue } from "./zod-reading.ts";

/** What an action's parameters are given as: a zod object, or a list of parameters with JSON schemas. */
export type Parameters = z.ZodType | readonly ActionParameter[];

/** What a handler gets for them. */
type ParametersOf<Given> = Given extends z.ZodType ? z.output<Given> : JsonObject;

/** An action of a context as its author writes it. */
export type ContextActionOptions<Given extends Parameters, State = unknown, Args = unknown> = ActionPolicy & {
  /** Letters, digits, `_`, `-`, spaces. */
  readonly name: string;
  readonly description: string;
  readonly similes?: readonly string[];
  /** Absent: it takes none. */
  readonly schema?: Given;
  readonly priority?: number;
  readonly tags?: readonly string[];
  /** Whether it makes sense now; absent: always. Asked for each step, and again before it runs. */
  enabled?(ctx: Ctx<State, Args>): Promise<Verdict | boolean> | Verdict | boolean;
  /** Its own context is `call.ctx`. What it returns is its result; what it throws is told to the model. */
  handler(parameters: ParametersOf<Given>, call: ScopedCall<State, Args>): unknown;
};

/**
 * An action that belongs to a context and can change its state.
 * @throws ValidationError naming the action, everything that is wrong with it and the remedy.
 */
export function contextAction<State = unknown, Args = unknown, const Given extends Parameters = readonly []>(
  options: ContextActionOptions<Given, State, Args>,
): ContextAction {
  const { name, description, similes = [], schema, priority, tags, enabled, handler, ...policy } = options;
  if (typeof handler !== "function") throw new ValidationError(`Action ${String(name)} has no handler; give it one.`);
  const { parameters, check } = readSchema(schema, `Action ${String(name)}`);
  const action: ContextAction = {
    name: typeof name === "string" ? name.trim().toUpperCase() : name,
    description,
    similes,
    parameters,
    ...(priority !== undefined && { priority }),
    ...(tags && { tags }),
    policy,
    // Each context hands its own state to its own actions, so the types are what the author said.
    ...(enabled && { enabled: (ctx: Ctx) => enabled(ctx as Ctx<State, Args>) }),
    check,
    run: async (given, call) => handler(given as ParametersOf<Given>, call as ScopedCall<State, Args>),
  };
  checkAction({ ...action, run: async () => ({ success: true }) }, []);
  return action;
}

/** What was given as a schema: parameters for the model, and the check of what it gives. @throws ValidationError. */
export function readSchema(
  schema: unknown,
  owner: string,
): { readonly parameters: readonly ActionParameter[]; readonly check: ContextAction["check"] } {
  if (schema === undefined || Array.isArray(schema)) {
    return { parameters: schema ?? [], check: async (value) => ({ ok: true, value }) };
  }
  if (!isSchema(schema)) {
    throw new ValidationError(`${owner} has a schema that is none; write z.object({ … }), or a list of parameters.`);
  }
  try {
    const { parameters, nullable } = parametersOf(schema);
    const absent = Object.fromEntries(nullable.map((name) => [name, null]));
    return { parameters, check: (given) => readValue(schema, { ...absent, ...given }) };
  } catch (error) {
    throw new ValidationError(`${owner}: ${errorMessage(error)}.`, { cause: error });
  }
}
