import type { JsonValue } from "../json.ts";
import type { LanguageModel } from "../model/model.ts";
import type { RunReport, StepFailure, StepReport } from "./context-frame.ts";
import type { ContextInput } from "./context-input.ts";
import type { ContextAction, ContextOutput, Ctx, Kept } from "./scoped.ts";

/** Which instance of a context is meant. */
export type ContextPlace = {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly args: JsonValue;
};

/** A step for which a context is rendered. */
export type Rendering = { readonly now: number; readonly step: number; readonly runId: string };

/** Where a context's state lies, when not in the store. Calls for one instance never overlap within a process. */
type OwnStorage = {
  /** Null when there is none yet. */
  load(place: ContextPlace): Promise<unknown>;
  save(state: JsonValue, place: ContextPlace): Promise<void>;
};

/** A context, checked, its types inside its functions. Made by `context`. */
export type ContextDefinition = {
  /** Letters, digits, `_`, `-`, `.`; unique in an agent. */
  readonly type: string;
  readonly description?: string;
  /** Checks what names an instance. */
  readArgs(args: unknown): Kept;
  /** 1..512 characters; the same for the same instance. */
  keyOf(args: JsonValue): string;
  /** Null: it has no state, and nothing is kept of it but its name. */
  readonly states: {
    create(place: ContextPlace): Promise<unknown>;
    read(state: unknown): Kept;
    migrate?(stored: JsonValue, place: ContextPlace): Promise<unknown>;
    readonly storage?: OwnStorage;
  } | null;
  render?(ctx: Ctx, rendering: Rendering): Promise<string> | string;
  instructions?(ctx: Ctx, rendering: Rendering): Promise<string> | string;
  readonly actions: readonly ContextAction[];
  readonly inputs: readonly ContextInput[];
  readonly outputs: readonly ContextOutput[];
  /** The contexts it uses, in order. */
  readonly uses: readonly ((state: unknown, args: unknown) => readonly ContextRef[])[];
  readonly maxSteps?: number;
  readonly model?: LanguageModel;
  onStep?(report: StepReport, ctx: Ctx): unknown;
  onRun?(report: RunReport, ctx: Ctx): unknown;
  shouldContinue?(report: StepReport, ctx: Ctx): unknown;
  onError?(failure: StepFailure, ctx: Ctx): unknown;
};

/** One instance of a context, by what names it. Made by a context's `ref`. */
export type ContextRef = {
  readonly definition: ContextDefinition;
  readonly args: JsonValue;
  readonly key: string;
};
