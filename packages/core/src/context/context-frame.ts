import type { ActionCall, ActionResult, NamedResult, RegisteredAction } from "../action/action.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import type { LanguageModel } from "../model/model.ts";
import type { RunOutcome } from "../run/entry.ts";
import type { State } from "../state/provider.ts";
import type { RoomRow } from "../store/store.ts";
import type { ContextRef } from "./context-definition.ts";
import type { ContextAction, ContextOutput } from "./scoped.ts";

/** A context as others name it. */
export type ContextName = { readonly contextId: string; readonly type: string; readonly key: string };

/** An output as the model gave it: everything an action's call has, with the tag's attributes and its text. */
export type OutputCall = Omit<ActionCall, "parameters"> & {
  /** As the model wrote them; read by the output's schema. */
  readonly attributes: JsonObject;
  /** What stood between the tags. */
  readonly content: string;
};

/** Something the model can put out, as the engine runs it: bound to its context. */
export type RegisteredOutput = {
  /** What the model writes as the tag's `type`: lower case letters, digits, `_`, `-`. */
  readonly name: string;
  readonly description: string;
  readonly instructions?: string;
  /** As the model should give it. */
  readonly examples?: readonly { readonly attributes: JsonObject; readonly content: string }[];
  /** JSON Schema of an object: the attributes. Absent: there are none. */
  readonly attributes?: JsonObject;
  /** JSON Schema of the content; absent: a text. */
  readonly content?: JsonObject;
} & (
  | {
      /** The content is said in the run's room, through the outbox, like the text of a reply; it may be streamed. */
      readonly control: "reply";
    }
  | {
      /** Awaited; wrong attributes or content come back as a failed result that says what is wrong. Aborts are thrown on. */
      deliver(call: OutputCall): Promise<ActionResult>;
    }
);

/** A step that is over: answered, and all its calls and outputs have their result. */
export type StepReport = {
  readonly runId: string;
  readonly step: number;
  /** What was said in it, without tags. */
  readonly text: string;
  readonly results: readonly NamedResult[];
};

/** A run that is over. */
export type RunReport = {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly reason?: string;
  readonly steps: number;
  /** What was said last, without tags; empty when nothing was. */
  readonly text: string;
};

/** A model's call that failed; `attempt` counts those of this step, from 1. */
export type StepFailure = {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly error: unknown;
};

/** What a context brings to one step of a run, composed anew before each step. Its functions never throw but for an abort. */
export type ContextFrame = ContextName & {
  /** Its own context first, then those it uses, each once. */
  readonly contexts: readonly ContextName[];
  /** Instructions (stable) and rendered states, in the order of the contexts. */
  readonly texts: State["texts"];
  /** Enabled now, checked again before they run; each name once. */
  readonly actions: readonly RegisteredAction[];
  /** Each name once. */
  readonly outputs: readonly RegisteredOutput[];
  /** Used contexts that could not be had, with why; also in the log. */
  readonly missing: readonly { readonly name: string; readonly failed: string }[];
  readonly maxSteps?: number;
  readonly model?: LanguageModel;
  /** False: none of the hooks below does anything, and nobody need wait for them. */
  readonly hasHooks?: boolean;
  /** After a step's results are committed; bounded in time, one that throws is logged. */
  onStep(report: StepReport): Promise<void>;
  /** After the run's end is committed. */
  onRun(report: RunReport): Promise<void>;
  /** False ends the run after this step, true asks for one more within `maxSteps`; null: as there is news or not. */
  shouldContinue(report: StepReport): Promise<boolean | null>;
  /** Whether the model is asked once more, and after how long; null: the run fails. Bounded in attempts, with backoff. */
  onError(failure: StepFailure): Promise<{ readonly retryInMs: number } | null>;
  /** Resolves when every change of state that was begun is durable. Changes keep the calls that made them: done again, they are nothing. */
  save(): Promise<void>;
};

/** What one run is given beside its context. Functions do not survive a restart: a run taken up again goes on without them. */
export type RunExtras = {
  readonly contexts?: readonly ContextRef[];
  readonly actions?: readonly ContextAction[];
  readonly outputs?: readonly ContextOutput[];
  readonly model?: LanguageModel;
  readonly maxSteps?: number;
};

/** Which step a frame is for. */
export type FrameRequest = {
  readonly runId: string;
  readonly step: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
};

/** The context of one run. */
export interface OpenContext extends ContextName {
  /** @throws TroupeError naming the context: its state does not fit or cannot be read, or contexts use each other in a circle. */
  frame(request: FrameRequest): Promise<ContextFrame>;
}

/** Contexts, as the engine sees them. */
export interface ContextSource {
  /** The context that takes what a client heard, made if need be; null: the room's own lane. */
  laneOf(inbound: Inbound): Promise<string | null>;
  /**
   * The context of a lane: for a room's own lane the ready-made one with its `message` output, or the one that replaces it.
   * @throws TroupeError `not_found` naming the lane, when its context or its definition is gone.
   */
  open(lane: { readonly contextId: string; readonly room: RoomRow; readonly extras?: RunExtras }): Promise<OpenContext>;
}
