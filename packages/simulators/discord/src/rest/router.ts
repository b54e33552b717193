import type { WireAnswer, WireRequest } from "@troupe/simulator-wire";
import { DiscordError, invalidForm, refusal, toAnswer } from "../errors.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Interactions } from "../interactions.ts";
import type { Nonces } from "../nonces.ts";
import type { RateLimits } from "../rate-limits.ts";
import { looksLikeSnowflake } from "../snowflake.ts";
import type { Application, World } from "../world.ts";

/** What the routes work on. */
export type Parts = {
  readonly world: World;
  readonly interactions: Interactions;
  readonly gateway: Gateway;
  readonly nonces: Nonces;
  readonly limits: RateLimits;
  readonly limitFileBytes: number;
};

/** One request of a bot, found and let in. */
export type Call = {
  readonly parts: Parts;
  readonly world: World;
  readonly bot: Application;
  readonly request: WireRequest;
  /** A part of the path by its name in the pattern. */
  param(name: string): string;
};

/** The same of a route that asks for no token. */
export type OpenCall = Omit<Call, "bot">;

/** One route, as documented: `POST /channels/:channel/messages`. */
export type Route =
  | { readonly route: string; readonly isOpen?: false; readonly handle: (call: Call) => WireAnswer }
  | { readonly route: string; readonly isOpen: true; readonly handle: (call: OpenCall) => WireAnswer };

const versions = new Set(["9", "10"]);

/** Makes what answers every request under `/api`. */
export function createRouter(parts: Parts, routes: readonly Route[]): (request: WireRequest) => WireAnswer {
  const compiled = routes.map(compile);
  return (request) => {
    const shutOut = parts.limits.shutOut();
    if (shutOut) return shutOut;
    const answer = answerTo(parts, compiled, request);
    parts.limits.note(answer);
    return answer;
  };
}

type Compiled = { readonly route: Route; readonly method: string; readonly segments: readonly string[] };
type Found = { readonly route: Route; readonly params: ReadonlyMap<string, string> };

function compile(route: Route): Compiled {
  const [method = "", path = ""] = route.route.split(" ");
  return { route, method, segments: path.split("/").slice(1) };
}

function answerTo(parts: Parts, compiled: readonly Compiled[], request: WireRequest): WireAnswer {
  try {
    const segments = withoutVersion(request.path);
    const found = find(compiled, request.method, segments);
    const bot = authorize(parts.world, request, found.route);
    const { headers, refusal: tooMany } = parts.limits.count({
      who: bot?.id ?? "address",
      route: found.route.route,
      major: majorOf(found.params),
      isGlobal: !found.route.route.startsWith("POST /interactions") && !found.route.route.includes(" /webhooks"),
    });
    if (tooMany) return tooMany;
    const answer = attempt(() => perform(parts, { found, bot, request }));
    // Answers to interactions carry no such headers.
    return found.route.route.startsWith("POST /interactions")
      ? answer
      : { ...answer, headers: { ...headers, ...answer.headers } };
  } catch (error) {
    if (error instanceof DiscordError) return toAnswer(error);
    throw error;
  }
}

function attempt(perform: () => WireAnswer): WireAnswer {
  try {
    return perform();
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    const wait = error.extra["retry_after"];
    const headers = typeof wait === "number" ? { "retry-after": wait.toFixed(3), "x-ratelimit-scope": "user" } : {};
    return { ...toAnswer(error), headers };
  }
}

type Asked = { readonly found: Found; readonly bot: Application | null; readonly request: WireRequest };

function perform(parts: Parts, { found: { route, params }, bot, request }: Asked): WireAnswer {
  checkParams(params);
  const call = { parts, world: parts.world, request, param: (name: string) => params.get(name) ?? "" };
  if (route.isOpen) return route.handle(call);
  if (!bot) throw refusal("unauthorized");
  return route.handle({ ...call, bot });
}

function withoutVersion(path: string): string[] {
  const [, api, first = "", ...rest] = path.split("/");
  if (api !== "api") throw refusal("notFound");
  const version = /^v(\d+)$/.exec(first)?.[1];
  if (version === undefined) return [first, ...rest];
  if (!versions.has(version)) throw new DiscordError(400, 50041, "Invalid API version provided");
  return rest;
}

function find(compiled: readonly Compiled[], method: string, segments: readonly string[]): Found {
  let isKnown = false;
  for (const entry of compiled) {
    const params = match(entry.segments, segments);
    if (!params) continue;
    if (entry.method === method) return { route: entry.route, params };
    isKnown = true;
  }
  throw refusal(isKnown ? "wrongMethod" : "notFound");
}

function match(pattern: readonly string[], segments: readonly string[]): ReadonlyMap<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params = new Map<string, string>();
  for (const [place, expected] of pattern.entries()) {
    const segment = segments[place] ?? "";
    if (expected.startsWith(":")) params.set(expected.slice(1), segment);
    else if (expected !== segment) return null;
  }
  return params;
}

function authorize(world: World, request: WireRequest, route: Route): Application | null {
  const header = request.headers["authorization"];
  const token = typeof header === "string" ? /^Bot (\S+)$/.exec(header)?.[1] : undefined;
  const bot = [...world.applications.values()].find((application) => application.token === token) ?? null;
  if (!bot && !route.isOpen) throw refusal("unauthorized");
  return bot;
}

const free = new Set(["token", "emoji"]);

function checkParams(params: ReadonlyMap<string, string>): void {
  for (const [name, value] of params) {
    if (free.has(name) || looksLikeSnowflake(value) || (name === "message" && value === "@original")) continue;
    throw invalidForm([`${name}_id`], "NUMBER_TYPE_COERCE", `Value "${value.slice(0, 100)}" is not snowflake.`);
  }
}

function majorOf(params: ReadonlyMap<string, string>): string {
  if (params.has("token")) return `${params.get("application")}/${params.get("token")}`;
  return params.get("channel") ?? params.get("guild") ?? "global";
}

/** An answer with a body. */
export function ok(body: unknown, status = 200): WireAnswer {
  return { status, body };
}

/** An answer without one. */
export const nothing: WireAnswer = { status: 204 };
