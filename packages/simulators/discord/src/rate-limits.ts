import { createHash } from "node:crypto";
import type { WireAnswer } from "@troupe/simulator-wire";
import type { Clock } from "./options.ts";

/** So many requests in so much time; the time begins with the first of them. */
type Limit = { readonly limit: number; readonly windowMs: number };

/** What differs from Discord's usual limits; `false` lifts one. */
export type LimitOptions = {
  /** All requests of a bot together; 50 a second when absent. */
  readonly global?: Limit | false;
  /** By route, written as `POST /channels/:channel/messages`. */
  readonly routes?: Readonly<Record<string, Limit | false>>;
  /** Routes without one of their own; 50 a second when absent. */
  readonly ordinary?: Limit | false;
  /** Answers with 401, 403 and 429 before an address is shut out; 10,000 in 10 minutes when absent. */
  readonly invalid?: Limit | false;
};

/** As observed; Discord documents only that they may change and are told in the headers. */
const usual: Readonly<Record<string, Limit>> = {
  "POST /channels/:channel/messages": { limit: 5, windowMs: 5000 },
  "PATCH /channels/:channel/messages/:message": { limit: 5, windowMs: 5000 },
  "DELETE /channels/:channel/messages/:message": { limit: 5, windowMs: 1000 },
  "PUT /channels/:channel/messages/:message/reactions/:emoji/@me": { limit: 1, windowMs: 250 },
  "DELETE /channels/:channel/messages/:message/reactions/:emoji/@me": { limit: 1, windowMs: 250 },
  "POST /channels/:channel/typing": { limit: 5, windowMs: 5000 },
  "POST /webhooks/:application/:token": { limit: 5, windowMs: 2000 },
  "PATCH /webhooks/:application/:token/messages/:message": { limit: 5, windowMs: 2000 },
  "PUT /applications/:application/commands": { limit: 5, windowMs: 20_000 },
  "PUT /applications/:application/guilds/:guild/commands": { limit: 5, windowMs: 20_000 },
  "PATCH /channels/:channel": { limit: 5, windowMs: 5000 },
};

/** One request to be counted. */
type Counted = {
  /** The bot, or the address of who did not say. */
  readonly who: string;
  readonly route: string;
  /** The channel, guild or webhook the limit is for. */
  readonly major: string;
  /** Whether it counts against the bot's total: not so for answers to interactions. */
  readonly isGlobal: boolean;
};

/** Counts requests. @see https://discord.com/developers/docs/topics/rate-limits */
export type RateLimits = {
  /** Counts one: the headers its answer has, and the answer it gets instead when it is one too many. */
  count(counted: Counted): { readonly headers: Readonly<Record<string, string>>; readonly refusal: WireAnswer | null };
  /** The answer for an address that has made too many invalid requests; null when it has not. */
  shutOut(): WireAnswer | null;
  /** Notes an answer's status. */
  note(answer: WireAnswer): void;
  /** Invalid requests in the present 10 minutes. */
  readonly invalidRequests: number;
};

type Window = { sinceMs: number; count: number };

/** Makes the counters. */
export function createRateLimits(clock: Clock, options: LimitOptions | false): RateLimits {
  const windows = new Map<string, Window>();
  const invalid: Window = { sinceMs: clock.now(), count: 0 };
  const invalidLimit = chosen(options, "invalid", { limit: 10_000, windowMs: 600_000 });
  const take = (key: string, limit: Limit): Window => {
    const now = clock.now();
    const old = windows.get(key);
    const window = old && now - old.sinceMs < limit.windowMs ? old : { sinceMs: now, count: 0 };
    windows.set(key, window);
    window.count += 1;
    if (windows.size > 10_000) forget(windows, now);
    return window;
  };
  const currentInvalid = (): Window => {
    if (clock.now() - invalid.sinceMs >= (invalidLimit ? invalidLimit.windowMs : 600_000)) {
      Object.assign(invalid, { sinceMs: clock.now(), count: 0 });
    }
    return invalid;
  };
  return {
    count({ who, route, major, isGlobal }) {
      if (options === false) return { headers: {}, refusal: null };
      const global = chosen(options, "global", { limit: 50, windowMs: 1000 });
      if (global && isGlobal) {
        const window = take(`global ${who}`, global);
        if (window.count > global.limit)
          return { headers: {}, refusal: refuseAll(resetAfterMs(clock, window, global)) };
      }
      const limit =
        options.routes?.[route] ?? usual[route] ?? chosen(options, "ordinary", { limit: 50, windowMs: 1000 });
      if (!limit) return { headers: {}, refusal: null };
      const window = take(`${who} ${route} ${major}`, limit);
      const waitMs = resetAfterMs(clock, window, limit);
      const headers = {
        "x-ratelimit-limit": String(limit.limit),
        "x-ratelimit-remaining": String(Math.max(0, limit.limit - window.count)),
        "x-ratelimit-reset": ((window.sinceMs + limit.windowMs) / 1000).toFixed(3),
        "x-ratelimit-reset-after": (waitMs / 1000).toFixed(3),
        "x-ratelimit-bucket": createHash("sha256").update(route).digest("hex").slice(0, 32),
      };
      return { headers, refusal: window.count > limit.limit ? refuse(waitMs, headers) : null };
    },
    shutOut() {
      if (!invalidLimit || currentInvalid().count < invalidLimit.limit) return null;
      const waitMs = resetAfterMs(clock, invalid, invalidLimit);
      return {
        status: 429,
        headers: { "retry-after": String(Math.ceil(waitMs / 1000)), "content-type": "text/plain" },
        body: "error code: 1015",
      };
    },
    note({ status, headers }) {
      const isShared = headers?.["x-ratelimit-scope"] === "shared";
      if (status === 401 || status === 403 || (status === 429 && !isShared)) currentInvalid().count += 1;
    },
    get invalidRequests() {
      return currentInvalid().count;
    },
  };
}

function chosen(options: LimitOptions | false, name: "global" | "ordinary" | "invalid", usually: Limit): Limit | false {
  return options === false ? false : (options[name] ?? usually);
}

function forget(windows: Map<string, Window>, now: number): void {
  for (const [key, window] of windows) if (now - window.sinceMs > 60_000) windows.delete(key);
}

function resetAfterMs(clock: Clock, window: Window, limit: Limit): number {
  return Math.max(0, window.sinceMs + limit.windowMs - clock.now());
}

function refuse(waitMs: number, headers: Readonly<Record<string, string>>): WireAnswer {
  const body = { message: "You are being rate limited.", retry_after: waitMs / 1000, global: false };
  return {
    status: 429,
    headers: { ...headers, "retry-after": (waitMs / 1000).toFixed(3), "x-ratelimit-scope": "user" },
    body,
  };
}

function refuseAll(waitMs: number): WireAnswer {
  const headers = {
    "retry-after": (waitMs / 1000).toFixed(3),
    "x-ratelimit-global": "true",
    "x-ratelimit-scope": "global",
  };
  return {
    status: 429,
    headers,
    body: { message: "You are being rate limited.", retry_after: waitMs / 1000, global: true },
  };
}
