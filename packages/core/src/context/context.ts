import type { z } from "zod";
import type { JsonValue } from "../json.ts";
import { checkContext } from "./check-context.ts";
import { type ContextActionOptions, contextAction, type Parameters } from "./context-action.ts";
import type { ContextDefinition, ContextRef } from "./context-definition.ts";
import type { ContextOptions } from "./context-options.ts";
import { type ContextOutputOptions, contextOutput } from "./context-output.ts";
import { refTo } from "./context-ref.ts";
import { type InputOptions, input } from "./input.ts";
import { toDefinition } from "./to-definition.ts";

/** Arguments need not be given where there are none. */
type RefArguments<Args> = undefined extends Args ? readonly [args?: Args] : readonly [args: Args];

/** A kind of context. Each of its methods but `ref` gives a new one with one thing more. */
export interface Context<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType> extends ContextDefinition {
  /** One instance. @throws ValidationError when the arguments do not fit. */
  ref(...args: RefArguments<z.input<ArgsSchema>>): ContextRef;
  use(compose: (state: z.output<StateSchema>, args: z.output<ArgsSchema>) => readonly ContextRef[]): this;
  action<const Given extends Parameters = readonly []>(
    options: ContextActionOptions<Given, z.output<StateSchema>, z.output<ArgsSchema>>,
  ): this;
  output<
    Attributes extends z.ZodType = z.ZodType<Record<string, never>>,
    Content extends z.ZodType = z.ZodType<string>,
  >(options: ContextOutputOptions<Attributes, Content, z.output<StateSchema>, z.output<ArgsSchema>>): this;
  input<Schema extends z.ZodType = z.ZodType<JsonValue>>(options: InputOptions<Schema>): this;
}

/**
 * A kind of context: typed state with a key, what the model is told of it, and what can be done in it.
 * @throws ValidationError naming the context, everything that is wrong with it and the remedy.
 */
export function context<ArgsSchema extends z.ZodType = z.ZodUndefined, StateSchema extends z.ZodType = z.ZodUndefined>(
  options: ContextOptions<ArgsSchema, StateSchema>,
): Context<ArgsSchema, StateSchema> {
  checkContext(options);
  return withMethods(toDefinition(options));
}

function withMethods<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType>(
  definition: ContextDefinition,
): Context<ArgsSchema, StateSchema> {
  type Made = Context<ArgsSchema, StateSchema>;
  const more = (added: Partial<ContextDefinition>): Made => {
    const next = { ...definition, ...added };
    checkContext(next);
    return withMethods(next);
  };
  const own = definition;
  const made: Made = {
    ...definition,
    ref: (...[args]) => refTo(made, args),
    // The methods keep the types they were made with.
    use: (compose) => more({ uses: [...own.uses, compose as ContextDefinition["uses"][number]] }) as typeof made,
    action: (action) => more({ actions: [...own.actions, contextAction(action)] }) as typeof made,
    output: (output) => more({ outputs: [...own.outputs, contextOutput(output)] }) as typeof made,
    input: (given) => more({ inputs: [...own.inputs, input(given)] }) as typeof made,
  };
  return made;
}
