export type { ActionCall, ActionControl, ActionResult, RegisteredAction } from "./action.ts";
export { builtInActions } from "./built-in-actions.ts";
export { type ActionCheck, checkAction } from "./check-action.ts";
export {
  type ExecutableCall,
  type Executed,
  type ExecuteParts,
  outermost,
  type Refusal,
  type RunnableAction,
  type Within,
} from "./executable-call.ts";
export { executeAction } from "./execute-action.ts";
export { createLocks, type Locks } from "./locks.ts";
export { normalizeResult } from "./normalize-result.ts";
export { type FinishedCall, orderRollbacks } from "./order-rollbacks.ts";
export type { ActionParameter, ParameterProblem, ParameterReading, ParameterSchema } from "./parameter.ts";
export { parametersSchema } from "./parameters-schema.ts";
export { type AnswerPlan, type PlannedCall, planCalls } from "./plan-calls.ts";
export type { ActionPolicy, RateLimit, RetryPolicy, Scope } from "./policy.ts";
export { createRateLimits, type RateLimits } from "./rate-limits.ts";
export { readParameters } from "./read-parameters.ts";
export { createActionResolver, resolveAction } from "./resolve-action.ts";
