import type { RegisteredAction } from "./action.ts";
import { isList, isObject } from "./json-kind.ts";
import { normalizeActionName } from "./resolve-action.ts";

const scopes: readonly unknown[] = ["entity", "room", "agent"];
/** The longest a timer of the platform can wait; longer ones would end at once. */
const longestMs = 2_147_483_647;
const mostAttempts = 100;
const mostInWindow = 1_000;
const mostAtOnce = 1_000;
const longestKey = 100;
/** Ten years. */
const longestWindowMs = 315_360_000_000;

/** What is wrong with an action's policy, each with the remedy; empty when the engine can keep to it. */
export function checkPolicy(name: string, policy: unknown, registered: readonly RegisteredAction[]): readonly string[] {
  if (policy === undefined) return [];
  if (!isObject(policy)) return ["its policy is no object; leave it out when there is none"];
  return [
    ...checkNumber("timeoutMs", policy["timeoutMs"] ?? 1, { from: 1, to: longestMs }),
    ...checkRetry(policy["retry"]),
    ...checkRateLimit(policy["rateLimit"]),
    ...checkScope("exclusive", policy["exclusive"] ?? "agent"),
    ...checkQueueKey(policy["queueKey"] ?? "queue"),
    ...checkNumber("concurrency", policy["concurrency"] ?? 1, { from: 1, to: mostAtOnce, isWhole: true }),
    ...checkDependencies(name, policy["dependencies"], registered),
  ];
}

type Range = { readonly from: number; readonly to: number; readonly isWhole?: boolean };

function checkNumber(name: string, value: unknown, { from, to, isWhole }: Range): readonly string[] {
  const isGood = typeof value === "number" && value >= from && value <= to && (!isWhole || Number.isInteger(value));
  return isGood ? [] : [`its ${name} must be a ${isWhole ? "whole " : ""}number from ${from} to ${to}`];
}

function checkScope(name: string, value: unknown): readonly string[] {
  return scopes.includes(value) ? [] : [`its ${name} must be one of ${scopes.join(", ")}`];
}

function checkRetry(retry: unknown): readonly string[] {
  if (retry === undefined) return [];
  if (!isObject(retry)) return ["its retry must be { attempts, initialMs, multiplier, maxMs }"];
  const problems = [
    ...checkNumber("retry.attempts", retry["attempts"], { from: 1, to: mostAttempts, isWhole: true }),
    ...checkNumber("retry.initialMs", retry["initialMs"], { from: 0, to: longestMs }),
    ...checkNumber("retry.multiplier", retry["multiplier"], { from: 1, to: 1_000 }),
    ...checkNumber("retry.maxMs", retry["maxMs"], { from: 0, to: longestMs }),
  ];
  const isSwapped = problems.length === 0 && Number(retry["initialMs"]) > Number(retry["maxMs"]);
  return isSwapped ? ["its retry.initialMs is above retry.maxMs; exchange them"] : problems;
}

function checkRateLimit(limit: unknown): readonly string[] {
  if (limit === undefined) return [];
  if (!isObject(limit)) return ["its rateLimit must be { limit, windowMs, per }"];
  return [
    ...checkNumber("rateLimit.limit", limit["limit"], { from: 1, to: mostInWindow, isWhole: true }),
    ...checkNumber("rateLimit.windowMs", limit["windowMs"], { from: 1, to: longestWindowMs }),
    ...checkScope("rateLimit.per", limit["per"]),
  ];
}

function checkQueueKey(key: unknown): readonly string[] {
  const isGood = typeof key === "string" && key !== "" && key.length <= longestKey;
  return isGood ? [] : [`its queueKey must be a text of 1 to ${longestKey} characters`];
}

function checkDependencies(
  name: string,
  dependencies: unknown,
  registered: readonly RegisteredAction[],
): readonly string[] {
  if (dependencies === undefined) return [];
  if (!isNames(dependencies)) return ["its dependencies are no list of action names"];
  const circle = findCircle({ name, dependencies }, registered);
  if (!circle) return [];
  return [`it depends on itself (${circle.join(" → ")}) and could never run; take one dependency out`];
}

function isNames(value: unknown): value is readonly string[] {
  return isList(value) && value.every((name) => typeof name === "string" && normalizeActionName(name) !== "");
}

type Dependent = { readonly name: string; readonly dependencies: readonly string[] };

/** The names on the way from an action through dependencies back to itself, or null. */
function findCircle(action: Dependent, registered: readonly RegisteredAction[]): readonly string[] | null {
  const own = normalizeActionName(action.name);
  const seen = new Set<string>();
  const open = [{ dependencies: action.dependencies, way: [action.name] }];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const dependency of next.dependencies) {
      const wanted = normalizeActionName(dependency);
      if (wanted === own) return [...next.way, action.name];
      if (seen.has(wanted)) continue;
      seen.add(wanted);
      const found = registered.find((other) => normalizeActionName(other.name) === wanted);
      if (found) open.push({ dependencies: found.policy?.dependencies ?? [], way: [...next.way, found.name] });
    }
  }
  return null;
}
