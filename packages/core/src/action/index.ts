export type { ActionCall, ActionControl, ActionResult, RegisteredAction } from "./action.ts";
export { builtInActions } from "./built-in-actions.ts";
export { type AnswerPlan, type PlannedCall, planCalls } from "./plan-calls.ts";
export { createActionResolver, resolveAction } from "./resolve-action.ts";
