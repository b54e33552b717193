import { ValidationError } from "../errors.ts";
import type { RegisteredAction } from "./action.ts";
import { checkCommand } from "./action-command.ts";
import { checkPolicy } from "./check-policy.ts";
import { checkSchema } from "./check-schema.ts";
import { isList, isObject } from "./json-kind.ts";
import { normalizeActionName } from "./resolve-action.ts";

/** What registering an action comes to. */
export type ActionCheck = {
  /** The name it is known by: trimmed, upper case. */
  readonly name: string;
  /** What its author should know, one sentence each; the action works all the same. */
  readonly warnings: readonly string[];
};

const longestName = 64;
const nameForm = /^[\p{L}\p{M}\p{N}_\- ]+$/u;
const parameterForm = /^[\p{L}_$][\p{L}\p{M}\p{N}_$-]*$/u;

/**
 * Looks at an action before it joins the registered ones, at its shape too: plugins may be written without types. A simile may
 * be taken already (the first registered is selected, a name before a simile); a name may not.
 * @throws ValidationError naming the action and everything that is wrong with it, each with the remedy.
 */
export function checkAction(action: RegisteredAction, registered: readonly RegisteredAction[]): ActionCheck {
  const name = checkName(action.name, registered);
  const problems = [
    ...checkShape(action),
    ...checkSimiles(action.similes),
    ...checkParameters(action.parameters),
    ...checkPolicy(name, action.policy, registered),
    ...checkCommand(action, registered),
  ];
  if (problems.length > 0) throw new ValidationError(`Action ${name} cannot be registered: ${problems.join("; ")}.`);
  return { name, warnings: findOverlaps(name, action.similes, registered) };
}

function checkName(given: unknown, registered: readonly RegisteredAction[]): string {
  if (typeof given !== "string" || normalizeActionName(given) === "") {
    throw new ValidationError("An action cannot be registered without a name; give it one, as in SEND_MESSAGE.");
  }
  const name = given.trim().toUpperCase();
  const refuse = (why: string): never => {
    throw new ValidationError(`Action ${JSON.stringify(name.slice(0, 80))} cannot be registered: ${why}`);
  };
  if (!isWellFormed(name)) refuse(`its name may have letters, digits, "_", "-" and spaces, at most ${longestName}.`);
  const twin = registered.find((other) => normalizeActionName(other.name) === normalizeActionName(name));
  if (twin) {
    refuse(
      `${twin.name} is already registered, and case, "_", "-" and spaces do not tell names apart; rename one, or leave out the plugin that brings the other.`,
    );
  }
  return name;
}

function isWellFormed(name: string): boolean {
  return name.length <= longestName && nameForm.test(name) && normalizeActionName(name) !== "";
}

function checkShape(action: RegisteredAction): readonly string[] {
  const problems: string[] = [];
  if (typeof action.description !== "string") problems.push("it has no description; say in one sentence what it does");
  if (!("control" in action) && typeof action.run !== "function")
    problems.push("it has no handler; give it a function");
  if (action.priority !== undefined && !Number.isFinite(action.priority)) {
    problems.push("its priority is not a number; write one or leave it out");
  }
  const { tags } = action;
  if (tags !== undefined && !(isList(tags) && tags.every((tag) => typeof tag === "string"))) {
    problems.push("its tags are no list of texts; correct them or leave them out");
  }
  return problems;
}

function checkSimiles(similes: unknown): readonly string[] {
  if (!isList(similes)) return ["its similes are no list; write [] when it has none"];
  return similes
    .filter((simile) => typeof simile !== "string" || !isWellFormed(simile.trim()))
    .map(
      (simile) =>
        `its simile ${JSON.stringify(simile)?.slice(0, 80)} is none; use letters, digits, "_", "-" and spaces, at most ${longestName}`,
    );
}

function checkParameters(parameters: unknown): readonly string[] {
  if (parameters === undefined) return [];
  if (!isList(parameters)) return ["its parameters are no list; write [] when it takes none"];
  const seen = new Set<string>();
  return parameters.flatMap((parameter, at) => {
    const name = isObject(parameter) ? parameter["name"] : undefined;
    if (!isObject(parameter) || typeof name !== "string") return [`parameter ${at + 1}: has no name; give it one`];
    const isTaken = seen.has(name);
    seen.add(name);
    return [...checkParameter(name, parameter["description"], isTaken), ...checkSchema(parameter["schema"], name)];
  });
}

function checkParameter(name: string, description: unknown, isTaken: boolean): readonly string[] {
  const problems: string[] = [];
  if (!parameterForm.test(name) || name.length > longestName || name === "__proto__") {
    problems.push(
      `parameter ${JSON.stringify(name.slice(0, 80))}: its name must begin with a letter and have letters, digits, "_", "-" or "$" only`,
    );
  }
  if (isTaken) problems.push(`parameter ${name}: is there twice; rename one`);
  if (typeof description !== "string") problems.push(`parameter ${name}: has no description; say what it means`);
  return problems;
}

function findOverlaps(
  name: string,
  similes: readonly string[],
  registered: readonly RegisteredAction[],
): readonly string[] {
  const warnings: string[] = [];
  const own = normalizeActionName(name);
  for (const other of registered) {
    if (other.similes.some((simile) => normalizeActionName(simile) === own)) {
      warnings.push(`${name} is also a simile of ${other.name}; it now selects ${name}.`);
    }
  }
  for (const simile of new Map(similes.map((one) => [normalizeActionName(one), one])).values()) {
    const wanted = normalizeActionName(simile);
    const names = registered.find((other) => normalizeActionName(other.name) === wanted);
    const first = names ?? registered.find((other) => other.similes.some((one) => normalizeActionName(one) === wanted));
    if (first) warnings.push(`The simile ${simile} of ${name} has no effect: it selects ${first.name}.`);
  }
  return warnings;
}
