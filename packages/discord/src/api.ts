import type { Clock, Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import type { REST as Rest } from "discord.js";
import { createEditBudget, type EditBudget } from "./budget.ts";
import { readFailure } from "./errors.ts";
import { numberOf } from "./read.ts";

/** A file as it is uploaded. */
export type Upload = { readonly name: string; readonly bytes: Uint8Array; readonly mediaType?: string };

/** One request. `route` is a path under the API's version, with ids filled in. */
type Request = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly route: `/${string}`;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: readonly Upload[];
  /** Whether doing it twice does no more than doing it once; then it is tried again when the connection is cut. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal;
};

/** The only way to Discord's REST API. */
export interface DiscordApi {
  /** Sends a request and returns what Discord answered. @throws the library's error; see `readFailure` */
  request(request: Request): Promise<unknown>;
  /** Fetches a file of at most `limitBytes` from anywhere. @throws Error when it is larger or not to be had. */
  download(
    url: string,
    limitBytes: number,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string | null }>;
  readonly edits: EditBudget;
  close(): void;
}

/** What it is made of. */
export type ApiParts = {
  readonly token: string;
  readonly api: string | undefined;
  readonly timeoutMs: number;
  readonly requestsPerSecond?: number | undefined;
  readonly isDry: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

/** A limit that lasts longer is told instead of waited for. */
const patienceMs = 5_000;
const retryWaitsMs = [200, 800];

/** Opens it. discord.js is loaded only now. Nothing is sent yet. */
export async function createDiscordApi(parts: ApiParts): Promise<DiscordApi> {
  const { REST, RESTEvents } = await import("discord.js");
  const edits = createEditBudget(parts.clock);
  const tellLimit = createLimitTeller(parts);
  const rest = new REST({
    version: "10",
    retries: 0,
    timeout: parts.timeoutMs,
    ...(parts.api !== undefined && { api: parts.api }),
    ...(parts.requestsPerSecond !== undefined && { globalRequestsPerSecond: parts.requestsPerSecond }),
    rejectOnRateLimit: (limit) => {
      tellLimit(limit.route, Math.max(limit.retryAfter, limit.timeToReset, limit.sublimitTimeout));
      return Math.max(limit.retryAfter, limit.timeToReset, limit.sublimitTimeout) > patienceMs;
    },
  }).setToken(parts.token.trim());
  rest.on(RESTEvents.Response, ({ method, path }, { headers }) => {
    const channelId = /^\/channels\/(\d+)\/messages\/\d+$/.exec(path)?.[1];
    const remaining = numberOf(Number(headers.get("x-ratelimit-remaining") ?? Number.NaN));
    const resetInS = numberOf(Number(headers.get("x-ratelimit-reset-after") ?? Number.NaN));
    if (method !== "PATCH" || channelId === undefined || remaining === null || resetInS === null) return;
    edits.note(channelId, { remaining, resetInMs: resetInS * 1_000 });
  });
  let dryRuns = 0;
  return {
    edits,
    async request(request) {
      if (parts.isDry && request.method !== "GET") {
        dryRuns += 1;
        parts.log.info({ method: request.method, route: shapeOf(request.route) }, "a dry run: this was not sent");
        return { id: `dry-${parts.clock.now()}-${dryRuns}` };
      }
      return insist(rest, request, parts);
    },
    download,
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
      rest.removeAllListeners();
    },
  };
}

/** Tries again when nothing says that it was refused, if that does no harm. */
async function insist(rest: Rest, request: Request, { clock, log }: ApiParts): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await whileWanted(request.signal, (signal) => send(rest, request, signal));
    } catch (error) {
      const { type } = readFailure(error);
      const waitMs = retryWaitsMs[attempt];
      const isPassing = type === "cut" || type === "troubled" || type === "unreachable";
      const isWanted = request.isRepeatable && request.signal?.aborted !== true;
      if (!isPassing || !isWanted || waitMs === undefined) throw error;
      log.debug({ route: shapeOf(request.route), type }, "a request failed; trying again");
      await clock.sleep(waitMs, request.signal);
    }
  }
}

/** The library never lets go of a signal it was given: each request gets one of its own. */
async function whileWanted(
  signal: AbortSignal | undefined,
  work: (own: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const own = new AbortController();
  const onAbort = (): void => own.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

function send(rest: Rest, { method, route, body, query, files }: Request, signal: AbortSignal): Promise<unknown> {
  const asked = {
    ...(body !== undefined && { body }),
    ...(query && { query: new URLSearchParams(query) }),
    ...(files &&
      files.length > 0 && {
        files: files.map(({ name, bytes, mediaType }) => ({
          name,
          data: Buffer.from(bytes),
          ...(mediaType !== undefined && { contentType: mediaType }),
        })),
      }),
    signal,
    // A token in the path must not be accompanied by another one.
    auth: !/^\/(webhooks|interactions)\//.test(route),
  };
  switch (method) {
    case "GET":
      return rest.get(route, asked);
    case "POST":
      return rest.post(route, asked);
    case "PUT":
      return rest.put(route, asked);
    case "PATCH":
      return rest.patch(route, asked);
    case "DELETE":
      return rest.delete(route, asked);
  }
}

/** The path without what identifies anybody, and without tokens. */
function shapeOf(route: string): string {
  return route.replace(/\/(webhooks|interactions)\/\d+\/[^/]+/, "/$1/:id/:token").replaceAll(/\d{5,}/g, ":id");
}

/** Warns once per episode: not again for a route before the limit it was told of has passed. */
function createLimitTeller({ clock, log }: ApiParts): (route: string, waitMs: number) => void {
  const until = new Map<string, number>();
  return (route, waitMs) => {
    const now = clock.now();
    for (const [known, end] of until) if (end <= now) until.delete(known);
    if (until.has(route)) return;
    until.set(route, now + Math.max(waitMs, 1_000));
    log.warn({ route: shapeOf(route), waitMs: Math.ceil(waitMs) }, "Discord's rate limit is reached; waiting");
  };
}

async function download(
  url: string,
  limitBytes: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string | null }> {
  const response = await fetch(url, { signal, redirect: "follow" });
  if (!response.ok || !response.body) throw new Error(`the file's address answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > limitBytes) throw new Error(`the file is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), mediaType: response.headers.get("content-type") };
}

/** What to tell about a request that nobody waits for. */
export function debugFailure(log: Log, what: string): (error: unknown) => void {
  return (error) => log.debug({ error: errorMessage(error) }, `${what} failed`);
}
