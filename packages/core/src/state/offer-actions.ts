import type { Occasion, RegisteredAction } from "../action/action.ts";
import { parametersSchema } from "../action/parameters-schema.ts";
import type { Clock } from "../clock.ts";
import { withDeadline } from "./deadline.ts";

const validateTimeoutMs = 2_000;

/**
 * The actions that make sense now, in the order of their priority, then of their registration. One whose `validate` says no,
 * throws, or takes longer than two seconds is not offered.
 */
export async function offerActions(
  actions: readonly RegisteredAction[],
  occasion: Occasion,
  clock: Clock,
): Promise<readonly RegisteredAction[]> {
  const ordered = inOrder(actions);
  const verdicts = await Promise.all(ordered.map((action) => passes(action, occasion, clock)));
  return ordered.filter((_, at) => verdicts[at] === true);
}

const orders = new WeakMap<readonly RegisteredAction[], readonly RegisteredAction[]>();

/** By priority, the highest first; a list is put in order once. */
function inOrder(actions: readonly RegisteredAction[]): readonly RegisteredAction[] {
  const known = orders.get(actions) ?? actions.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  orders.set(actions, known);
  return known;
}

function passes(action: RegisteredAction, occasion: Occasion, clock: Clock): boolean | Promise<boolean> {
  if ("control" in action || !action.validate) return true;
  return withDeadline(action.validate(occasion), validateTimeoutMs, clock).then(
    ({ pass }) => pass,
    () => false,
  );
}

const lines = new WeakMap<RegisteredAction, string>();

/** The actions on offer, one a line, with their parameters' schema; each line is made once. */
export function actionsText(actions: readonly RegisteredAction[]): string {
  return actions.length === 0 ? "" : `# Actions\n${actions.map(lineOf).join("\n")}`;
}

function lineOf(action: RegisteredAction): string {
  const made = lines.get(action);
  if (made !== undefined) return made;
  const { name, description, parameters, similes } = action;
  const also = similes.length > 0 && !("control" in action) ? ` (also: ${similes.join(", ")})` : "";
  const schema =
    parameters && parameters.length > 0 ? ` Parameters: ${JSON.stringify(parametersSchema(parameters))}` : "";
  const line = `- ${name}: ${description}${also}${schema}`;
  lines.set(action, line);
  return line;
}
