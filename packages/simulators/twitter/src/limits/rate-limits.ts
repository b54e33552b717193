import type { Caller } from "../auth/authenticate.ts";
import type { Clock } from "../clock.ts";
import { documentedLimits, type EndpointLimits } from "./limit-table.ts";

const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** What became of a request that wanted to count, and the headers that say so. */
type Taken = { readonly isAllowed: boolean; readonly headers: Readonly<Record<string, string>> };

/** Counts requests in windows, each of which begins with its first request. */
export type RateLimits = {
  /** Counts one; one that is not allowed does not count. */
  take(endpoint: string, caller: Caller): Taken;
  /** Leaves this many requests in the present windows of an endpoint, whoever calls; for tests that need an empty budget. */
  leave(endpoint: string, remaining: number): void;
};

type Window = { readonly startMs: number; used: number };
type Budget = { readonly key: string; readonly header: string; readonly limit: number; readonly lengthMs: number };

/** @param overrides limits that differ from those X documents, by endpoint: `POST /2/tweets` */
export function createRateLimits(clock: Clock, overrides: Readonly<Record<string, EndpointLimits>> = {}): RateLimits {
  const windows = new Map<string, Window>();
  const left = new Map<string, number>();
  const current = ({ key, lengthMs }: Budget): Window => {
    const now = clock.now();
    const known = windows.get(key);
    if (known !== undefined && now < known.startMs + lengthMs) return known;
    const window = { startMs: now, used: 0 };
    windows.set(key, window);
    return window;
  };
  return {
    take(endpoint, caller) {
      const limits = overrides[endpoint] ?? documentedLimits[endpoint] ?? { app: 300, user: 300 };
      const budgets = budgetsOf(endpoint, caller, limits).map((budget) => ({ budget, window: current(budget) }));
      const remaining = left.get(endpoint);
      if (remaining !== undefined) {
        left.delete(endpoint);
        for (const { budget, window } of budgets) window.used = Math.max(window.used, budget.limit - remaining);
      }
      const isAllowed = budgets.every(({ budget, window }) => window.used < budget.limit);
      if (isAllowed) for (const { window } of budgets) window.used += 1;
      const headers = budgets.flatMap(({ budget, window }) => headersOf(budget, window));
      return { isAllowed, headers: Object.fromEntries(headers) };
    },
    leave: (endpoint, remaining) => void left.set(endpoint, remaining),
  };
}

function budgetsOf(endpoint: string, caller: Caller, limits: EndpointLimits): Budget[] {
  const { app, user } = caller;
  const who = user === null ? `app ${app.id}` : `user ${user.id} of ${app.id}`;
  const all: readonly (readonly [string, string, number | undefined, number])[] = [
    [who, "x-rate-limit", user === null ? limits.app : limits.user, quarterMs],
    [who, "x-user-limit-24hour", user === null ? undefined : limits.userDay, dayMs],
    [`app ${app.id}`, "x-app-limit-24hour", limits.appDay, dayMs],
  ];
  return all.flatMap(([owner, header, limit, lengthMs]) =>
    limit === undefined ? [] : [{ key: `${endpoint} ${header} ${owner}`, header, limit, lengthMs }],
  );
}

function headersOf({ header, limit, lengthMs }: Budget, window: Window): [string, string][] {
  return [
    [`${header}-limit`, String(limit)],
    [`${header}-remaining`, String(Math.max(0, limit - window.used))],
    [`${header}-reset`, String(Math.ceil((window.startMs + lengthMs) / 1000))],
  ];
}
