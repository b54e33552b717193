import type { RegisteredAction } from "./action.ts";
import { normalizeActionName } from "./resolve-action.ts";

/** A call of a run: its action, null when it is not registered any more, and whether it succeeded. */
export type FinishedCall = { readonly action: RegisteredAction | null; readonly success: boolean };

/**
 * Which of the calls so far are to be undone because an action failed that depends on them: the successful ones it depends on,
 * directly or by way of others, that know how to be undone; newest first.
 */
export function orderRollbacks<Call extends FinishedCall>(
  soFar: readonly Call[],
  failed: RegisteredAction,
): readonly Call[] {
  const needed = new Set<string>();
  const actions = soFar.flatMap(({ action }) => (action ? [action] : []));
  const open = [failed];
  for (let action = open.pop(); action; action = open.pop()) {
    for (const name of (action.policy?.dependencies ?? []).map(normalizeActionName)) {
      if (needed.has(name)) continue;
      needed.add(name);
      open.push(...actions.filter((other) => normalizeActionName(other.name) === name));
    }
  }
  return soFar
    .filter(
      ({ action, success }) => success && action && canUndo(action) && needed.has(normalizeActionName(action.name)),
    )
    .reverse();
}

function canUndo(action: RegisteredAction): boolean {
  return "run" in action && action.rollback !== undefined;
}
