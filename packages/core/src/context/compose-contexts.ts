import { errorMessage, ValidationError } from "../errors.ts";
import type { ContextDefinition, ContextPlace, ContextRef } from "./context-definition.ts";
import { placeOf } from "./context-ref.ts";
import type { ContextState } from "./context-states.ts";

/** A context of a frame, with its state as it was read. */
export type Composed = ContextState & { readonly ref: ContextRef };

/** Contexts in their order, and those that could not be had. */
export type Composition = {
  readonly contexts: readonly Composed[];
  readonly missing: readonly { readonly name: string; readonly failed: string }[];
};

/** What composing needs. */
export type ComposeParts = {
  readonly agentId: string;
  open(ref: ContextRef): Promise<ContextState>;
  /** The definition in use now for a ref's type. */
  current(ref: ContextRef): ContextDefinition;
};

/** Contexts in one frame at most. */
const mostContexts = 64;

/**
 * A context and those it uses, each once, where it is first used: itself, then what it uses with all that these use, in order.
 * One of them that cannot be read is left out and named.
 * @throws ValidationError naming the circle in which contexts use each other, or that there are too many of them; what opening the
 * first one throws.
 */
export async function composeContexts(
  first: ContextRef,
  extra: readonly ContextRef[],
  parts: ComposeParts,
): Promise<Composition> {
  const contexts: Composed[] = [];
  const missing: { name: string; failed: string }[] = [];
  const seen = new Set<string>();

  const visit = async (ref: ContextRef, around: readonly ContextPlace[]): Promise<void> => {
    const place = placeOf(parts.agentId, ref);
    checkCircle(place, around);
    if (seen.has(place.id)) return;
    seen.add(place.id);
    if (seen.size > mostContexts) {
      throw new ValidationError(`${nameOf(around[0] ?? place)} uses more than ${mostContexts} contexts; use fewer.`);
    }
    const definition = parts.current(ref);
    const own = { ...ref, definition };
    let state: ContextState;
    try {
      state = await parts.open(own);
    } catch (error) {
      if (around.length === 0) throw error;
      missing.push({ name: nameOf(place), failed: errorMessage(error) });
      return;
    }
    contexts.push({ ...state, ref: own });
    for (const use of definition.uses) {
      for (const used of askUses(use, state, missing)) await visit(used, [...around, place]);
    }
    if (around.length === 0) for (const used of extra) await visit(used, [place]);
  };

  await visit(first, []);
  return { contexts, missing };
}

/** A context as people know it. */
export function nameOf({ type, key }: Pick<ContextPlace, "type" | "key">): string {
  return key === "default" ? type : `${type} ${key.slice(0, 80)}`;
}

function checkCircle(place: ContextPlace, around: readonly ContextPlace[]): void {
  const at = around.findIndex(({ id }) => id === place.id);
  if (at < 0) return;
  const names = [...around.slice(at), place].map(nameOf);
  throw new ValidationError(
    `Contexts use each other in a circle: ${names.join(" → ")}; take one of them out of a use function.`,
  );
}

/** What a `use` function names; one that throws or names something else is told, and uses nothing. */
function askUses(
  use: ContextDefinition["uses"][number],
  { place, state }: ContextState,
  missing: { name: string; failed: string }[],
): readonly ContextRef[] {
  try {
    const refs: unknown = use(state, place.args);
    if (Array.isArray(refs) && refs.every(isRef)) return refs;
    throw new ValidationError("it names what is no context; return a list of context.ref(…)");
  } catch (error) {
    missing.push({ name: `what ${nameOf(place)} uses`, failed: errorMessage(error) });
    return [];
  }
}

function isRef(value: unknown): value is ContextRef {
  return typeof value === "object" && value !== null && "definition" in value && "key" in value && "args" in value;
}
