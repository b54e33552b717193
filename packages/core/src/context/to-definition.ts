import { z } from "zod";
import type { JsonValue } from "../json.ts";
import type { ContextDefinition, ContextPlace, Rendering } from "./context-definition.ts";
import type { ContextOptions, RenderScope } from "./context-options.ts";
import { stableJson } from "./plain-json.ts";
import type { Ctx } from "./scoped.ts";
import { readKept } from "./zod-reading.ts";

/** The definition with the author's types put away: what goes in has been read by the schemas. */
export function toDefinition<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType>(
  options: ContextOptions<ArgsSchema, StateSchema>,
): ContextDefinition {
  type Args = z.output<ArgsSchema>;
  const { type, description, schema, key, render, instructions, use, maxSteps, model } = options;
  const scope = (
    { state, args, key: own, id }: Ctx,
    rendering: Rendering,
  ): RenderScope<z.output<StateSchema>, Args> => ({
    ...rendering,
    state: state as z.output<StateSchema>,
    args: args as Args,
    key: own,
    id,
  });
  return {
    type,
    ...(description !== undefined && { description }),
    readArgs: (args) => (schema ? readKept(schema, args) : readKept(noArgs, args ?? null)),
    keyOf: (args) => (key ? key(args as Args) : defaultKey(args)),
    states: toStates(options),
    ...(render && { render: (ctx: Ctx, rendering: Rendering) => render(scope(ctx, rendering)) }),
    ...(instructions !== undefined && {
      instructions: (ctx: Ctx, rendering: Rendering) =>
        typeof instructions === "string" ? instructions : instructions(scope(ctx, rendering)),
    }),
    actions: options.actions ?? [],
    inputs: options.inputs ?? [],
    outputs: options.outputs ?? [],
    uses: use ? [(state, args) => use(state as z.output<StateSchema>, args as Args)] : [],
    ...(maxSteps !== undefined && { maxSteps }),
    ...(model && { model }),
    ...hooksOf(options),
  };
}

const noArgs = z.null("this context takes no arguments");

function defaultKey(args: JsonValue): string {
  if (args === null) return "default";
  return typeof args === "string" ? args : stableJson(args);
}

type States = NonNullable<ContextDefinition["states"]>;

function toStates<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType>(
  options: ContextOptions<ArgsSchema, StateSchema>,
): States | null {
  type Args = z.output<ArgsSchema>;
  const { state: schema, create, migrate, load, save } = options;
  if (!schema || !create) return null;
  const typed = (place: ContextPlace): Omit<ContextPlace, "args"> & { readonly args: Args } => ({
    ...place,
    args: place.args as Args,
  });
  return {
    create: async (place) => create(typed(place)),
    read: (state) => readKept(schema, state),
    ...(migrate && { migrate: async (stored: JsonValue, place: ContextPlace) => migrate(stored, typed(place)) }),
    ...(load &&
      save && {
        storage: {
          load: async (place: ContextPlace) => load(typed(place)),
          save: async (state: JsonValue, place: ContextPlace) => save(state as z.output<StateSchema>, typed(place)),
        },
      }),
  };
}

function hooksOf<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType>(
  options: ContextOptions<ArgsSchema, StateSchema>,
): Pick<ContextDefinition, "onStep" | "onRun" | "shouldContinue" | "onError"> {
  const { onStep, onRun, shouldContinue, onError } = options;
  type Own = Ctx<z.output<StateSchema>, z.output<ArgsSchema>>;
  return {
    ...(onStep && { onStep: (report, ctx) => onStep(report, ctx as Own) }),
    ...(onRun && { onRun: (report, ctx) => onRun(report, ctx as Own) }),
    ...(shouldContinue && { shouldContinue: (report, ctx) => shouldContinue(report, ctx as Own) }),
    ...(onError && { onError: (failure, ctx) => onError(failure, ctx as Own) }),
  };
}
