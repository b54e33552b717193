import type { WireAnswer, WireRequest } from "@troupe/simulator-wire";
import { type Authenticating, type Caller, createAuthenticate } from "./auth/authenticate.ts";
import { answerAuthorize } from "./auth/authorize-page.ts";
import { answerAppToken, answerRevoke, answerToken } from "./auth/oauth2.ts";
import { directRoutes } from "./endpoints/direct.ts";
import { engagementRoutes } from "./endpoints/engagement.ts";
import { mediaRoutes } from "./endpoints/media.ts";
import { postRoutes } from "./endpoints/posts.ts";
import type { Call, Reply, Route, Rules } from "./endpoints/route.ts";
import { timelineRoutes } from "./endpoints/timelines.ts";
import { userRoutes } from "./endpoints/users.ts";
import type { PriceKind, TakingMeter } from "./limits/meter.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { forbidden, invalidRequest, Problem, problemPrefix } from "./problem.ts";

/** What the API stands on. */
export type ApiParts = Authenticating & {
  readonly rules: Rules;
  readonly limits: RateLimits;
  readonly meter: TakingMeter;
  /** What all apps together may spend, in US dollars. */
  readonly creditUsd: () => number;
  /** How many posts an app may read in a month. */
  readonly monthlyPosts: () => number;
  /** Called with every answer before it is sent, to disturb it. */
  readonly disturb: (endpoint: string, reply: Reply) => Reply;
};

const routes = [
  ...userRoutes,
  ...postRoutes,
  ...timelineRoutes,
  ...engagementRoutes,
  ...directRoutes,
  ...mediaRoutes,
].map((route) => ({ route, parts: route.endpoint.split(/[ /]+/) }));

/** Makes what answers each request as X does: who calls, may they, how often, what is asked, what it costs. */
export function createApi(parts: ApiParts): (request: WireRequest) => WireAnswer {
  const authenticate = createAuthenticate(parts);
  const tokenParts = { ...parts, clock: parts.world.clock };
  return (request) => {
    switch (`${request.method} ${request.path}`) {
      case "GET /i/oauth2/authorize":
      case "POST /i/oauth2/authorize":
        return answerAuthorize(tokenParts, request);
      case "POST /2/oauth2/token":
        return answerToken(tokenParts, request);
      case "POST /2/oauth2/revoke":
        return answerRevoke(tokenParts, request);
      case "POST /oauth2/token":
        return answerAppToken(tokenParts, request);
      default:
        return answer(parts, authenticate, request);
    }
  };
}

function answer(parts: ApiParts, authenticate: (request: WireRequest) => Caller, request: WireRequest): WireAnswer {
  let headers: Readonly<Record<string, string>> = {};
  try {
    const found = findRoute(request);
    if (found === null) return pageNotFound();
    const caller = authenticate(request);
    checkAccess(found.route, caller);
    const taken = parts.limits.take(found.route.endpoint, caller);
    headers = taken.headers;
    if (!taken.isAllowed) throw tooMany();
    checkBudget(parts, caller);
    const reply = perform(parts, { ...found, caller, request });
    return {
      status: reply.status ?? 200,
      headers: { ...headers, "x-access-level": accessLevel(caller), "content-type": "application/json; charset=utf-8" },
      body: reply.body,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {
      status: error.status,
      headers: { ...headers, "content-type": "application/problem+json" },
      body: error.body,
    };
  }
}

type Found = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

function findRoute(request: WireRequest): Found | null {
  const asked = [request.method, ...request.path.split("/").filter(Boolean)];
  // A path with a fixed word wins over one with a parameter in its place.
  const matching = routes
    .filter(
      ({ parts }) =>
        parts.length === asked.length && parts.every((part, at) => part.startsWith(":") || part === asked[at]),
    )
    .sort((a, b) => wildness(a.parts) - wildness(b.parts));
  const [best] = matching;
  if (best === undefined) return null;
  const params = best.parts.flatMap((part, at) => (part.startsWith(":") ? [[part.slice(1), asked[at] ?? ""]] : []));
  return { route: best.route, params: Object.fromEntries(params) };
}

function wildness(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith(":")).length;
}

function pageNotFound(): WireAnswer {
  return { status: 404, body: { errors: [{ code: 34, message: "Sorry, that page does not exist." }] } };
}

const authNames = {
  oauth1: "OAuth 1.0a User Context",
  oauth2: "OAuth 2.0 User Context",
  app: "OAuth 2.0 Application-Only",
} as const;

function checkAccess(route: Route, caller: Caller): void {
  if (!route.auth.includes(caller.kind)) {
    const supported = route.auth.map((kind) => authNames[kind]).join(", ");
    throw forbidden(
      `Authenticating with ${authNames[caller.kind]} is forbidden for this endpoint.  Supported authentication types are [${supported}].`,
      "unsupported-authentication",
      "Unsupported Authentication",
    );
  }
  if (caller.kind === "oauth2" && !route.scopes.every((scope) => caller.scopes.includes(scope)))
    throw forbidden("Forbidden");
  if (caller.kind === "oauth1" && !isPermitted(route, caller)) {
    throw forbidden(
      "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.",
      "oauth1-permissions",
    );
  }
}

function isPermitted({ needs }: Route, { app }: Caller): boolean {
  if (needs === undefined) return true;
  return needs === "write" ? app.permissions !== "read" : app.permissions === "read-write-dm";
}

function accessLevel({ app, kind }: Caller): string {
  if (kind === "app") return "read";
  return { read: "read", "read-write": "read-write", "read-write-dm": "read-write-directmessages" }[app.permissions];
}

function tooMany(): Problem {
  return new Problem(429, {
    title: "Too Many Requests",
    detail: "Too Many Requests",
    type: "about:blank",
    status: 429,
  });
}

function checkBudget({ meter, creditUsd, monthlyPosts }: ApiParts, { app }: Caller): void {
  if (meter.totalUsd >= creditUsd()) {
    throw new Problem(402, {
      title: "CreditsDepleted",
      detail: `Your enrolled account [${app.id}] does not have any credits to fulfill this request.`,
      type: `${problemPrefix}credits`,
      account_id: app.id,
      status: 402,
    });
  }
  if (meter.postsReadThisMonth(app.id) >= monthlyPosts()) {
    throw new Problem(429, {
      account_id: app.id,
      product_name: "pay-per-use",
      title: "UsageCapExceeded",
      period: "Monthly",
      scope: "Product",
      detail: "Usage cap exceeded: Monthly product cap",
      type: `${problemPrefix}usage-capped`,
    });
  }
}

type Performing = Found & { readonly caller: Caller; readonly request: WireRequest };

function perform(parts: ApiParts, { route, params, caller, request }: Performing): Reply {
  checkQuery(route, request.query);
  checkOwn(route, params, caller);
  const { world, rules } = parts;
  const call: Call = { world, rules, caller, params, query: request.query, body: request.body, files: request.files };
  const reply = parts.disturb(route.endpoint, route.handle(call));
  const isOwned = route.isOwnedRead === true && caller.user !== null && caller.app.ownerId === caller.user.id;
  const isOwnPath = params["id"] === undefined || params["id"] === caller.user?.id;
  const payable = { endpoint: route.endpoint, appId: caller.app.id };
  if (reply.price !== undefined) parts.meter.charge({ ...payable, kind: reply.price });
  for (const resource of reply.reads ?? []) {
    const kind = isOwned && isOwnPath ? "owned-read" : readPrice(route, resource);
    parts.meter.charge({ ...payable, kind, resource });
  }
  return reply;
}

function readPrice(route: Route, resource: string): PriceKind {
  if (resource.startsWith("user ")) return route.userPrice ?? "user-read";
  if (resource.startsWith("direct ")) return "direct-read";
  return resource.startsWith("media ") ? "media-read" : "post-read";
}

function checkQuery(route: Route, query: URLSearchParams): void {
  const known = route.query ?? [];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidRequest({
    parameters: { [unknown]: query.getAll(unknown) },
    message: `The query parameter [${unknown}] is not one of [${known.join(",")}]`,
  });
}

function checkOwn(route: Route, params: Found["params"], { user }: Caller): void {
  const { id } = params;
  if (route.isOwn !== true || user === null || id === user.id) return;
  throw invalidRequest({
    parameters: { id: [id ?? ""] },
    message: `The \`id\` query parameter value [${id ?? ""}] must be the same as the authenticating user [${user.id}]`,
  });
}
