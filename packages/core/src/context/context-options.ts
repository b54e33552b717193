import type { z } from "zod";
import type { JsonValue } from "../json.ts";
import type { LanguageModel } from "../model/model.ts";
import type { ContextPlace, ContextRef, Rendering } from "./context-definition.ts";
import type { RunReport, StepFailure, StepReport } from "./context-frame.ts";
import type { ContextInput } from "./context-input.ts";
import type { ContextAction, ContextOutput, Ctx } from "./scoped.ts";

/** What a context is asked to be rendered with. */
export type RenderScope<State, Args> = Rendering & {
  readonly state: State;
  readonly args: Args;
  readonly key: string;
  readonly id: string;
};

/** Which instance, with its arguments typed. */
type Place<Args> = Omit<ContextPlace, "args"> & { readonly args: Args };

/** A context as its author writes it. */
export type ContextOptions<ArgsSchema extends z.ZodType, StateSchema extends z.ZodType> = {
  /** 1..64 letters, digits, `_`, `-`, `.`; unique in an agent. */
  readonly type: string;
  readonly description?: string;
  /** What names an instance; absent: there is one instance. */
  readonly schema?: ArgsSchema;
  /** What it remembers: plain JSON. Absent: nothing. */
  readonly state?: StateSchema;
  /** The same for the same instance; absent: the arguments themselves. */
  key?(args: z.output<ArgsSchema>): string;
  /** The state of a new instance; asked once. */
  create?(place: Place<z.output<ArgsSchema>>): Promise<z.input<StateSchema>> | z.input<StateSchema>;
  /** Makes a state of one that was kept under an earlier schema. Without it such an instance is refused, and kept. */
  migrate?(stored: JsonValue, place: Place<z.output<ArgsSchema>>): unknown;
  /** Where the state lies when not in the store; both or none. Null: there is none yet. */
  load?(place: Place<z.output<ArgsSchema>>): unknown;
  save?(state: z.output<StateSchema>, place: Place<z.output<ArgsSchema>>): Promise<void> | void;
  /** What the model is told of the state at each step. Absent: nothing. */
  render?(scope: RenderScope<z.output<StateSchema>, z.output<ArgsSchema>>): Promise<string> | string;
  /** What the model is told always; the same words at every turn are cheap. */
  readonly instructions?:
    | string
    | ((scope: RenderScope<z.output<StateSchema>, z.output<ArgsSchema>>) => Promise<string> | string);
  readonly actions?: readonly ContextAction[];
  readonly inputs?: readonly ContextInput[];
  readonly outputs?: readonly ContextOutput[];
  /** Other contexts that come along, in order, each once. */
  use?(state: z.output<StateSchema>, args: z.output<ArgsSchema>): readonly ContextRef[];
  /** Steps of a run, 1..100; the character's when absent. */
  readonly maxSteps?: number;
  /** What answers in this context; the agent's own when absent. */
  readonly model?: LanguageModel;
  /** After each step. */
  onStep?(report: StepReport, ctx: Ctx<z.output<StateSchema>, z.output<ArgsSchema>>): Promise<void> | void;
  /** After each run. */
  onRun?(report: RunReport, ctx: Ctx<z.output<StateSchema>, z.output<ArgsSchema>>): Promise<void> | void;
  /** False ends the run, true asks for one more step, nothing leaves it to the news. */
  shouldContinue?(
    report: StepReport,
    ctx: Ctx<z.output<StateSchema>, z.output<ArgsSchema>>,
  ): Promise<boolean | undefined> | boolean | undefined;
  /** `retry` asks the model once more, a bounded number of times, each after a longer wait. */
  onError?(
    failure: StepFailure,
    ctx: Ctx<z.output<StateSchema>, z.output<ArgsSchema>>,
  ): Promise<"retry" | "fail" | undefined> | "retry" | "fail" | undefined;
};
