import type { Clock } from "../clock.ts";
import type { ActionCall, ActionResult, RegisteredAction } from "./action.ts";
import type { Locks } from "./locks.ts";
import type { ParameterProblem } from "./parameter.ts";
import type { RateLimits } from "./rate-limits.ts";

/** An action with a handler. */
export type RunnableAction = Extract<RegisteredAction, { readonly run: unknown }>;

/** Within which other calls a call runs. */
export type Within = {
  /** Names of the actions under way, the outermost first. */
  readonly actions: readonly string[];
  /** Keys of the locks they hold. */
  readonly held: ReadonlySet<string>;
};

/** A call that nothing surrounds. */
export const outermost: Within = { actions: [], held: new Set() };

/** A call as it is asked for: `parameters` as the model gave them, `signal` that of the run. */
export type ExecutableCall = Omit<ActionCall, "act" | "handle"> & {
  /** Runs what the handler asks for; hand `within` on to `executeAction` as its part. */
  act(calls: Parameters<ActionCall["act"]>[0], within: Within): ReturnType<ActionCall["act"]>;
  /** Hands a message over; it is called off with `signal`, that of the attempt. */
  handle(
    message: Parameters<ActionCall["handle"]>[0],
    about: { readonly within: Within; readonly signal: AbortSignal },
  ): ReturnType<ActionCall["handle"]>;
};

/** What executing needs. */
export type ExecuteParts = {
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the waits before another attempt. */
  readonly random: () => number;
  readonly locks: Locks;
  readonly rateLimits: RateLimits;
  /** {@link outermost} when absent. */
  readonly within?: Within;
  /** Called once, after all refusals and just before the handler may have effects; what must be known first is committed here. */
  readonly onStarted: () => Promise<void>;
};

/** Why a call did not run. `lock`: its turn could never come; see {@link Locks}. */
export type Refusal = "circle" | "depth" | "dependency" | "parameters" | "validate" | "rate-limit" | "lock";

/** What became of a call. A refused one was never begun: 0 attempts, and its result says why. */
export type Executed = {
  readonly result: ActionResult;
  readonly attempts: number;
  readonly refused?: Refusal;
  /** The handler threw: its error is for the model and the log, not for the room. */
  readonly hasThrown?: true;
  /** What the room is to be told of the error of the last try. */
  readonly told?: string;
  /** With `parameters`: what is wrong with each. */
  readonly problems?: readonly ParameterProblem[];
  /** Paths of parameters nobody asked for, and parts of the result that could not be kept. For the log. */
  readonly notes?: readonly string[];
};
