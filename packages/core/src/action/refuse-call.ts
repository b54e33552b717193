import type { JsonObject } from "../json.ts";
import type { ActionCall, RegisteredAction } from "./action.ts";
import type { ExecutableCall, Executed, ExecuteParts, Refusal, RunnableAction } from "./executable-call.ts";
import { failure, thrownMessage } from "./normalize-result.ts";
import type { ParameterProblem } from "./parameter.ts";
import { readParameters } from "./read-parameters.ts";
import { normalizeActionName } from "./resolve-action.ts";
import { runWithTimeout } from "./run-with-timeout.ts";
import { scopeId } from "./scope-id.ts";

/** How many actions may run within each other. */
const deepestNesting = 5;
const validateTimeoutMs = 5_000;

/** A call that may run, with its parameters read, or what became of it instead. */
export type CallCheck =
  | { readonly ok: true; readonly parameters: JsonObject; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly executed: Executed };

/** Asks everything that can keep a call from running, cheapest first; the rate limit last, so that a refused call is not counted. */
export async function refuseCall(
  action: RunnableAction,
  call: ExecutableCall,
  parts: ExecuteParts,
): Promise<CallCheck> {
  const { name } = action;
  const nesting = checkNesting(name, parts.within?.actions ?? []);
  if (nesting) return refused(nesting.why, `${name} was not run: ${nesting.reason}`);
  const missing = missingDependencies(action, call.previousResults);
  if (missing.length > 0) {
    const names = missing.join(" and ");
    return refused(
      "dependency",
      `${name} was not run: ${names} must have succeeded before it in the same run. Do that first.`,
    );
  }
  const reading = readParameters(action.parameters ?? [], call.parameters);
  if (!reading.ok) {
    const { problems } = reading;
    return refused("parameters", tellProblems(name, problems), problems);
  }
  const doubt = await askAction(action, call, parts);
  if (doubt !== null) return refused("validate", `${name} was not run: ${doubt}`);
  const limit = await takeFromLimit(action, call, parts);
  if (limit !== null) return refused("rate-limit", `${name} was not run: ${limit}`);
  return { ok: true, parameters: reading.parameters, ignored: reading.ignored ?? [] };
}

/** Which of an action's dependencies have not succeeded among these results. */
function missingDependencies(
  action: Pick<RegisteredAction, "policy">,
  previousResults: ActionCall["previousResults"],
): readonly string[] {
  if ((action.policy?.dependencies ?? []).length === 0) return [];
  const done = new Set(
    previousResults.flatMap(({ action: name, result }) => (result.success ? [normalizeActionName(name)] : [])),
  );
  return (action.policy?.dependencies ?? []).filter((name) => !done.has(normalizeActionName(name)));
}

function checkNesting(
  name: string,
  around: readonly string[],
): { readonly why: "circle" | "depth"; readonly reason: string } | null {
  const chain = [...around, name].join(" → ");
  if (around.some((other) => normalizeActionName(other) === normalizeActionName(name))) {
    return { why: "circle", reason: `it is already under way, and an action cannot run within itself (${chain}).` };
  }
  if (around.length < deepestNesting) return null;
  return { why: "depth", reason: `at most ${deepestNesting} actions may run within each other (${chain}).` };
}

function tellProblems(name: string, problems: readonly ParameterProblem[]): string {
  const told = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return `${name} was not run: its parameters must be corrected. ${told}.`;
}

/** What speaks against the call, by the action's own word; null when nothing does. */
async function askAction(
  { name, validate }: RunnableAction,
  { message, state, room, social, signal }: ExecutableCall,
  { clock }: ExecuteParts,
): Promise<string | null> {
  if (!validate) return null;
  try {
    const verdict = await runWithTimeout((inner) => validate({ message, state, room, social, signal: inner }), {
      timeoutMs: validateTimeoutMs,
      clock,
      signal,
      name: `The check whether ${name} makes sense`,
    });
    return verdict?.pass === true ? null : (verdict?.reason ?? "it does not make sense now.");
  } catch (error) {
    signal.throwIfAborted();
    return `whether it makes sense could not be found out: ${thrownMessage(error)}`;
  }
}

async function takeFromLimit(
  { name, policy }: RunnableAction,
  { message, signal }: ExecutableCall,
  { rateLimits }: ExecuteParts,
): Promise<string | null> {
  const limit = policy?.rateLimit;
  if (!limit) return null;
  signal.throwIfAborted();
  try {
    const taken = await rateLimits.take(name, limit, scopeId(limit.per, message));
    if (taken.ok) return null;
    const whom = { entity: "for one person", room: "in one room", agent: "in all" }[limit.per];
    const seconds = Math.ceil(taken.retryInMs / 1_000);
    return `it may run ${limit.limit} times in ${limit.windowMs / 1_000} s ${whom}; the next time in ${seconds} s.`;
  } catch (error) {
    return `its calls could not be counted: ${thrownMessage(error)}`;
  }
}

function refused(why: Refusal, error: string, problems?: readonly ParameterProblem[]): CallCheck {
  return { ok: false, executed: { result: failure(error), attempts: 0, refused: why, ...(problems && { problems }) } };
}
