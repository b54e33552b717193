import type { Occasion, RegisteredAction } from "../action/action.ts";
import { parametersSchema } from "../action/parameters-schema.ts";
import { type Clock, noLongerNeeded } from "../clock.ts";

const validateTimeoutMs = 2_000;

/**
 * The actions that make sense now, in the order of their priority, then of their registration. One whose `validate` says no,
 * throws, or takes longer than two seconds is not offered. The same list with the same answers gives the same object.
 */
export async function offerActions(
  actions: readonly RegisteredAction[],
  occasion: Occasion,
  clock: Clock,
): Promise<readonly RegisteredAction[]> {
  const ordered = inOrder(actions);
  const passed = ordered.map(isUnconditional);
  const asked = ordered.map(async (action, at) => {
    if (!passed[at]) passed[at] = await passes(action, occasion);
  });
  if (passed.includes(false)) await withinTime(Promise.all(asked), clock);
  return sameAsBefore(
    ordered,
    ordered.filter((_, at) => passed[at]),
  );
}

function isUnconditional(action: RegisteredAction): boolean {
  return "control" in action || !action.validate;
}

async function passes(action: RegisteredAction, occasion: Occasion): Promise<boolean> {
  if ("control" in action || !action.validate) return true;
  try {
    return (await action.validate(occasion)).pass;
  } catch {
    return false;
  }
}

/** Waits for work as long as there is time; what is not there then does not count. */
async function withinTime(work: Promise<unknown>, clock: Clock): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep(validateTimeoutMs, done.signal).catch(() => undefined);
  await Promise.race([work, late]);
  done.abort(noLongerNeeded);
}

const orders = new WeakMap<readonly RegisteredAction[], readonly RegisteredAction[]>();

/** By priority, the highest first; a list is put in order once. */
function inOrder(actions: readonly RegisteredAction[]): readonly RegisteredAction[] {
  const known = orders.get(actions) ?? actions.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  orders.set(actions, known);
  return known;
}

const lastOffered = new WeakMap<readonly RegisteredAction[], readonly RegisteredAction[]>();

function sameAsBefore(
  ordered: readonly RegisteredAction[],
  offered: readonly RegisteredAction[],
): readonly RegisteredAction[] {
  const last = lastOffered.get(ordered);
  if (last?.length === offered.length && last.every((action, at) => action === offered[at])) return last;
  lastOffered.set(ordered, offered);
  return offered;
}

const lines = new WeakMap<RegisteredAction, string>();

const texts = new WeakMap<readonly RegisteredAction[], string>();

/** The actions on offer, one a line, with their parameters' schema; each line is made once, and so is the text of a list. */
export function actionsText(actions: readonly RegisteredAction[]): string {
  if (actions.length === 0) return "";
  const text = texts.get(actions) ?? `# Actions\n${actions.map(lineOf).join("\n")}`;
  texts.set(actions, text);
  return text;
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
