import type { WireRequest } from "@troupe/simulator-wire";
import type { Clock } from "../clock.ts";
import { forbidden, Problem, problemPrefix, unauthorized } from "../problem.ts";
import type { User, World } from "../world/world.ts";
import { isSignatureValid, readSignedHeader, type SignedHeader } from "./oauth1.ts";
import type { App, Registry } from "./registry.ts";

/** In which way somebody proved who is calling. */
export type AuthKind = "oauth1" | "oauth2" | "app";

/** Who is calling: an app, mostly in the name of a user. */
export type Caller = {
  readonly kind: AuthKind;
  readonly app: App;
  /** Null for an app on its own. */
  readonly user: User | null;
  /** What was granted; of no meaning but for OAuth 2.0. */
  readonly scopes: readonly string[];
};

/** What tells who is calling. */
export type Authenticating = {
  readonly world: World;
  readonly registry: Registry;
  /** The time that signatures are held against: the machine's, unless the callers' clocks are set too. */
  readonly signatureClock: Clock;
  /** How far a signature's time may be off. */
  readonly signatureWindowMs: number;
  /** The hosts whose addresses may be signed. */
  readonly hosts: readonly string[];
};

/** Tells who is calling. Remembers nonces, so that no signature counts twice. */
export function createAuthenticate(parts: Authenticating): (request: WireRequest) => Caller {
  const nonces: Nonces = new Map();
  return (request) => {
    const header = request.headers["authorization"];
    if (typeof header !== "string") throw unauthorized();
    const caller = header.startsWith("Bearer ")
      ? bearer(parts, header.slice(7).trim())
      : signed({ parts, request, header, nonces });
    if (!caller.app.isEnrolled) throw notEnrolled();
    if (caller.user !== null) checkStanding(caller.user);
    return caller;
  };
}

function bearer({ registry, world }: Authenticating, token: string): Caller {
  for (const app of registry.apps.values()) {
    if (app.bearerToken === token) return { kind: "app", app, user: null, scopes: [] };
  }
  for (const grant of registry.grants) {
    if (grant.accessToken !== token || grant.isRevoked || grant.expiresAtMs <= world.clock.now()) continue;
    const app = registry.apps.get(grant.appId);
    const user = world.users.get(grant.userId);
    if (app !== undefined && user !== undefined) return { kind: "oauth2", app, user, scopes: grant.scopes };
  }
  throw unauthorized();
}

type Signed = {
  readonly parts: Authenticating;
  readonly request: WireRequest;
  readonly header: string;
  readonly nonces: Nonces;
};

function signed({ parts, request, header, nonces }: Signed): Caller {
  const read = readSignedHeader(header);
  if (read === null) throw unauthorized(32);
  const app = [...parts.registry.apps.values()].find(({ key }) => key === read.consumerKey);
  if (app === undefined) throw unauthorized(32);
  const token = parts.registry.tokens.get(read.token);
  if (token === undefined || token.isRevoked || token.appId !== app.id) throw unauthorized(89);
  const now = parts.signatureClock.now();
  if (Math.abs(now - Number(read.timestamp) * 1000) > parts.signatureWindowMs) throw unauthorized(135);
  const secrets = { app: app.secret, token: token.accessSecret };
  if (!isRight({ hosts: parts.hosts, request, header: read, secrets })) throw unauthorized(32);
  const key = `${read.token} ${read.timestamp} ${read.nonce}`;
  useNonce({ nonces, key, request, now, windowMs: parts.signatureWindowMs });
  const user = parts.world.users.get(token.userId);
  if (user === undefined) throw unauthorized(89);
  return { kind: "oauth1", app, user, scopes: [] };
}

type Checking = {
  readonly hosts: readonly string[];
  readonly request: WireRequest;
  readonly header: SignedHeader;
  readonly secrets: { readonly app: string; readonly token: string };
};

function isRight({ hosts, request, header, secrets }: Checking): boolean {
  const [path = "/"] = request.target.split("?");
  const parameters = [...request.query, ...formParameters(request)];
  return hosts.some((host) => {
    const url = `https://${host}${path}`;
    return isSignatureValid({ method: request.method, url, parameters, header }, secrets);
  });
}

function formParameters(request: WireRequest): (readonly [string, string])[] {
  const type = String(request.headers["content-type"] ?? "");
  if (!type.startsWith("application/x-www-form-urlencoded")) return [];
  return [...new URLSearchParams(Buffer.from(request.raw).toString("utf8"))];
}

type Nonces = Map<string, { readonly atMs: number; readonly request: number }>;
type Nonce = {
  readonly nonces: Nonces;
  readonly key: string;
  readonly request: WireRequest;
  readonly now: number;
  readonly windowMs: number;
};

function useNonce({ nonces, key, request, now, windowMs }: Nonce): void {
  const used = nonces.get(key);
  // A fault may have one and the same request done twice.
  if (used !== undefined && used.request !== request.number) throw unauthorized(32);
  nonces.set(key, { atMs: now, request: request.number });
  // In the order in which they came: only the oldest can be out of the window, where the timestamp refuses them anyway.
  for (const [old, { atMs }] of nonces) {
    if (now - atMs <= 2 * windowMs) break;
    nonces.delete(old);
  }
}

function checkStanding(user: User): void {
  switch (user.standing) {
    case "active":
      return;
    case "locked":
      throw forbidden(
        "To protect our users from spam and other malicious activity, this account is temporarily locked. Please log in to https://twitter.com to unlock your account.",
      );
    case "suspended":
      throw forbidden("The user used for authentication is suspended", "user-suspended");
    case "deactivated":
      throw unauthorized(32);
  }
}

function notEnrolled(): Problem {
  return new Problem(403, {
    title: "Client Forbidden",
    detail:
      "This request must be made using an approved developer account that is enrolled in the requested endpoint. Learn more by visiting our documentation.",
    reason: "client-not-enrolled",
    required_enrollment: "Appropriate Level of API Access",
    registration_url: "https://developer.twitter.com/en/docs/projects/overview",
    type: `${problemPrefix}client-forbidden`,
    status: 403,
  });
}
