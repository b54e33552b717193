import type { RegisteredAction, Verdict } from "../action/action.ts";
import { failure, normalizeResult } from "../action/normalize-result.ts";
import type { ActionParameter } from "../action/parameter.ts";
import { normalizeActionName } from "../action/resolve-action.ts";
import type { Clock } from "../clock.ts";
import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import { withinDeadline } from "../plugin/deadline.ts";
import type { ContextPlace } from "./context-definition.ts";
import type { ContextAction, Ctx } from "./scoped.ts";

/** A context in a frame. `ctx` names the work that changes are counted to; without a name each change is a new one. */
export type Attached = { readonly place: ContextPlace; ctx(operation?: string): Ctx };

/** Something that belongs to a context of the frame. */
export type Belonging<Thing> = { readonly thing: Thing; readonly owner: Attached };

/** What binding needs. */
export type BindParts = { readonly clock: Clock; readonly log: Log };

/** How long a context's functions may take that are asked for every step. */
export const askTimeoutMs = 5_000;

/** The same thing of several contexts stands together; of different ones with one name the first counts, the others are told. */
export function groupByName<Thing extends { readonly name: string }>(
  all: readonly Belonging<Thing>[],
  tell: (name: string, owner: ContextPlace) => void,
): readonly (readonly Belonging<Thing>[])[] {
  const groups = new Map<string, Belonging<Thing>[]>();
  for (const belonging of all) {
    const { thing, owner } = belonging;
    const name = normalizeActionName(thing.name);
    const group = groups.get(name);
    if (!group) groups.set(name, [belonging]);
    else if (group[0]?.thing === thing) group.push(belonging);
    else tell(thing.name, owner.place);
  }
  return [...groups.values()];
}

/** Whether something makes sense in its context now; one that throws or is late does not. */
export async function askEnabled(
  { thing, owner }: Belonging<Pick<ContextAction, "name" | "enabled">>,
  { clock, log }: BindParts,
): Promise<Verdict> {
  if (!thing.enabled) return { pass: true };
  try {
    const about = { clock, timeoutMs: askTimeoutMs, what: `whether ${thing.name} is enabled` };
    const verdict = await withinDeadline(async () => thing.enabled?.(owner.ctx()), about);
    if (typeof verdict !== "object") return { pass: verdict === true };
    return { pass: verdict.pass === true, ...(typeof verdict.reason === "string" && { reason: verdict.reason }) };
  } catch (error) {
    log.warn({ name: thing.name, contextId: owner.place.id, error: errorMessage(error) }, "enabled failed; it is not");
    return { pass: false, reason: `Whether it makes sense now cannot be said: ${errorMessage(error)}` };
  }
}

/** Which of several contexts is meant: one more parameter, when there are several. */
export function chooseContext<Thing>(
  group: readonly Belonging<Thing>[],
  taken: readonly ActionParameter[],
): {
  readonly parameter: ActionParameter | null;
  pick(parameters: Readonly<Record<string, unknown>>): Belonging<Thing> | null;
} {
  const [first] = group;
  if (group.length < 2) return { parameter: null, pick: () => first ?? null };
  const name = taken.some((parameter) => parameter.name === "context") ? "contextKey" : "context";
  const byKey = new Map(group.map((belonging) => [belonging.owner.place.key, belonging]));
  const [type] = group.map(({ owner }) => owner.place.type);
  return {
    parameter: {
      name,
      description: `Which ${type}: its key; the first when absent.`,
      schema: { type: "string", enum: [...byKey.keys()] },
    },
    pick: (parameters) => (parameters[name] === undefined ? first : byKey.get(String(parameters[name]))) ?? null,
  };
}

/** An action of one or several contexts of the same type, as the engine runs it. */
export function bindContextAction(
  group: readonly Belonging<ContextAction>[],
  parts: BindParts,
): RegisteredAction | null {
  const [first] = group;
  if (!first) return null;
  const { name, description, similes, parameters, priority, tags, policy } = first.thing;
  const choice = chooseContext(group, parameters);
  return {
    name,
    description,
    similes,
    parameters: choice.parameter ? [...parameters, choice.parameter] : parameters,
    ...(priority !== undefined && { priority }),
    ...(tags && { tags }),
    policy,
    async validate() {
      const verdicts = await Promise.all(group.map((belonging) => askEnabled(belonging, parts)));
      return verdicts.find(({ pass }) => pass) ?? verdicts[0] ?? { pass: true };
    },
    async run(call) {
      const { parameters: given, ...rest } = call;
      const chosen = choice.pick(given);
      if (!chosen) return failure(`${name} is of none of these contexts; name one of them.`);
      const { thing, owner } = chosen;
      const verdict = group.length > 1 ? await askEnabled(chosen, parts) : { pass: true };
      if (!verdict.pass) return failure(`${name} makes no sense now for ${owner.place.type} ${owner.place.key}.`);
      const own = Object.entries(given).filter(([parameter]) => parameter !== choice.parameter?.name);
      const read = await thing.check(Object.fromEntries(own));
      if (!read.ok) return failure(`The parameters of ${name} do not fit: ${read.problem}.`);
      const ctx = owner.ctx(`${call.runId}/${call.callId}`);
      const { result, lost } = normalizeResult(await thing.run(read.value, { ...rest, ctx }));
      if (lost.length > 0) parts.log.warn({ action: name, lost }, "a result cannot be kept whole");
      return result;
    },
  };
}
