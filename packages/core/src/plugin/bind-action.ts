import type { ActionCall, ActionResult, Occasion, RegisteredAction, Verdict } from "../action/action.ts";
import { normalizeResult } from "../action/normalize-result.ts";
import type { ActionPolicy } from "../action/policy.ts";
import { normalizeActionName } from "../action/resolve-action.ts";
import { isWorthRetrying } from "../action/retrying.ts";
import { ActionError, errorMessage, isAbort, ValidationError } from "../errors.ts";
import type { Action, HandlerCallback, HandlerOptions } from "./action-shape.ts";
import { type CurrentWork, during } from "./current-work.ts";
import type { Runtime } from "./runtime.ts";

/**
 * A plugin's action as the engine runs it: the handler with everything it is handed, its result in one form, its policy
 * gathered. What the handler throws is thrown on, for the engine to try again or to put into the result; before that,
 * unless it may be tried again, the callback is called with what the room may be told of it (`describeError`).
 */
export function bindAction(action: Action, runtime: Runtime): RegisteredAction {
  const { name, description, similes = [], parameters, priority, tags, command, rollback } = action;
  return {
    name: name.trim().toUpperCase(),
    description,
    similes,
    ...(parameters && { parameters }),
    ...(priority !== undefined && { priority }),
    ...(tags && { tags }),
    ...(command !== undefined && { command }),
    policy: policyOf(action),
    validate: (occasion) => askWhether(action, runtime, occasion),
    run: (call) => runHandler(action, runtime, call),
    ...(action.retry && {
      describeFailure: (error: unknown) => (isWorthRetrying(error) ? inWords(action, runtime, error) : undefined),
    }),
    ...(rollback && {
      rollback: async ({ message, signal }: Pick<ActionCall, "message" | "signal">, result: ActionResult) => {
        const work = {
          ...about(runtime, message.roomId, signal),
          workId: `rollback:${name}:${message.id}`,
          isAwaited: true,
        } as const;
        await during(work, () => rollback(runtime, message, result));
      },
    }),
  };
}

function policyOf(action: Action): ActionPolicy {
  const { timeoutMs, retry, rateLimit, exclusive, queueKey, concurrency, dependencies, idempotent } = action;
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(retry && { retry }),
    ...(rateLimit && { rateLimit }),
    ...(exclusive && { exclusive }),
    ...(queueKey !== undefined && { queueKey }),
    ...(concurrency !== undefined && { concurrency }),
    ...(dependencies && { dependencies }),
    ...(idempotent !== undefined && { idempotent }),
  };
}

function about(runtime: Runtime, roomId: string, signal: AbortSignal): Omit<CurrentWork, "workId"> {
  return { agentId: runtime.agentId, roomId, signal };
}

/** A `validate` that throws says no, with its reason: one broken action is not offered, and the others are. */
async function askWhether(action: Action, runtime: Runtime, occasion: Occasion): Promise<Verdict> {
  const { message, state, signal } = occasion;
  const work = {
    ...about(runtime, message.roomId, signal),
    workId: `validate:${action.name}:${message.id}`,
    isAwaited: true,
  } as const;
  try {
    const verdict = await during(work, () => action.validate(runtime, message, state));
    if (typeof verdict !== "object" || verdict === null) return { pass: Boolean(verdict) };
    const { pass, reason } = verdict;
    return { pass: Boolean(pass), ...(typeof reason === "string" && { reason }) };
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.warn({ action: action.name, error: errorMessage(error) }, "an action's validate threw");
    return { pass: false, reason: `Whether it makes sense now cannot be said: ${errorMessage(error)}` };
  }
}

async function runHandler(action: Action, runtime: Runtime, call: ActionCall): Promise<ActionResult> {
  const { message, state, responses, runId, callId, signal } = call;
  const work: CurrentWork = { ...about(runtime, message.roomId, signal), workId: callId, runId, call };
  const callback = toCallback(action, call);
  return during(work, async () => {
    try {
      const outcome: unknown = await action.handler(runtime, message, state, toOptions(call), callback, responses);
      if (outcome instanceof Error) throw outcome;
      const { result, lost } = normalizeResult(outcome);
      if (lost.length > 0) runtime.logger.warn({ action: action.name, lost }, "a result cannot be kept whole");
      return bindCleanup(result, work);
    } catch (error) {
      const text = signal.aborted || isAbort(error) ? undefined : describe(action, runtime, error);
      if (typeof text === "string") await tell(action, runtime, () => callback({ text }));
      throw error;
    }
  });
}

/** While it may be tried again, nobody is told yet; the engine tells of the last try. */
function describe(action: Action, runtime: Runtime, error: unknown): string | undefined {
  return action.retry !== undefined && isWorthRetrying(error) ? undefined : inWords(action, runtime, error);
}

/** What the room may be told of an error. */
function inWords(action: Action, runtime: Runtime, error: unknown): string | undefined {
  if (!action.describeError) {
    return error instanceof ValidationError || error instanceof ActionError ? error.message : undefined;
  }
  try {
    const text: unknown = action.describeError(error);
    return typeof text === "string" ? text : undefined;
  } catch (thrown) {
    runtime.logger.warn({ action: action.name, error: errorMessage(thrown) }, "an action's describeError threw");
    return undefined;
  }
}

/** Whatever becomes of the telling, the action's own error is what counts. */
async function tell(action: Action, runtime: Runtime, say: () => Promise<unknown>): Promise<void> {
  try {
    await say();
  } catch (error) {
    runtime.logger.warn({ action: action.name, error: errorMessage(error) }, "the room could not be told of an error");
  }
}

function bindCleanup(result: ActionResult, work: CurrentWork): ActionResult {
  const { cleanup } = result;
  return cleanup ? { ...result, cleanup: () => during(work, cleanup) } : result;
}

function toOptions(call: ActionCall): HandlerOptions {
  const { parameters, keywords, previousResults, signal, runId, callId } = call;
  return {
    parameters,
    keywords,
    actionContext: {
      previousResults,
      getPreviousResult(name) {
        const wanted = normalizeActionName(name);
        return previousResults.findLast(({ action }) => normalizeActionName(action) === wanted)?.result;
      },
    },
    onStreamChunk: (chunk) => call.stream(chunk),
    signal,
    idempotencyKey: `${runId}/${callId}`,
  };
}

/** What is said without words or attachments is not said. */
function toCallback(action: Action, call: ActionCall): HandlerCallback {
  return async (content) => {
    if (typeof content?.text !== "string") {
      throw new ValidationError(`${action.name} called its callback without a text; call it with { text: "…" }`);
    }
    if (content.text.trim() === "" && !content.attachments?.length) return [];
    return call.say({ actions: [action.name], ...content });
  };
}
