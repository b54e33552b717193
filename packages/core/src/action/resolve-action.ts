/** What of an action its name is looked up by. */
export type NamedAction = { readonly name: string; readonly similes?: readonly string[] | undefined };

/**
 * Two names are the same when they are equal after trimming, without regard to case, `_`, `-` and spaces. Nothing fuzzy:
 * a part of a name is another name.
 */
export function normalizeActionName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[_\- ]+/g, "");
}

/**
 * A look-up over registered actions, in the order they were registered; built once, then constant in time. An exact name
 * comes before an exact simile, the first registered wins. The result is null when nothing of that name is registered.
 */
export function createActionResolver<T extends NamedAction>(actions: readonly T[]): (requested: string) => T | null {
  const byName = new Map<string, T>();
  const bySimile = new Map<string, T>();
  const keep = (map: Map<string, T>, name: string, action: T): void => {
    const normalized = normalizeActionName(name);
    if (normalized !== "" && !map.has(normalized)) map.set(normalized, action);
  };
  for (const action of actions) {
    keep(byName, action.name, action);
    for (const simile of action.similes ?? []) keep(bySimile, simile, action);
  }
  return (requested) => {
    const normalized = normalizeActionName(requested);
    return byName.get(normalized) ?? bySimile.get(normalized) ?? null;
  };
}

/** The one action a requested name selects, or null; for many look-ups over the same actions use `createActionResolver`. */
export function resolveAction<T extends NamedAction>(actions: readonly T[], requested: string): T | null {
  const normalized = normalizeActionName(requested);
  if (normalized === "") return null;
  const isRequested = (name: string): boolean => isSameName(name, normalized);
  return (
    actions.find((action) => isRequested(action.name)) ??
    actions.find((action) => action.similes?.some(isRequested)) ??
    null
  );
}

/** Whether `name` normalizes to `normalized`; says no at the first letter that differs, without building a string. */
function isSameName(name: string, normalized: string): boolean {
  let at = 0;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code === 95 || code === 45 || code === 32) continue;
    if (code < 33 || code > 126) return normalizeActionName(name) === normalized;
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    if (lower !== normalized.charCodeAt(at)) return false;
    at++;
  }
  return at === normalized.length;
}
