import { createHash } from "node:crypto";
import type { WireAnswer, WireRequest } from "@troupe/simulator-wire";
import type { Clock } from "../clock.ts";
import { type App, type Grant, newSecret, type Registry } from "./registry.ts";

/** The scopes there are. @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
const scopes = [
  "tweet.read",
  "tweet.write",
  "tweet.moderate.write",
  "users.email",
  "users.read",
  "follows.read",
  "follows.write",
  "offline.access",
  "space.read",
  "mute.read",
  "mute.write",
  "like.read",
  "like.write",
  "list.read",
  "list.write",
  "block.read",
  "block.write",
  "bookmark.read",
  "bookmark.write",
  "dm.read",
  "dm.write",
  "media.write",
] as const;

/** An access token lasts two hours, a code thirty seconds. */
const accessLifetimeMs = 2 * 60 * 60_000;
const codeLifetimeMs = 30_000;

/** What the token endpoint stands on. */
export type TokenParts = { readonly registry: Registry; readonly clock: Clock };

/** A wish to be authorized, as it stands in the address of the page. */
export type Wish = {
  readonly app: App;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly method: "S256" | "plain";
};

/** Reads the address of the page. Text when something is wrong with it. */
export function readWish(registry: Registry, query: URLSearchParams): Wish | string {
  const value = (name: string): string => query.get(name) ?? "";
  const app = [...registry.apps.values()].find(({ clientId }) => clientId === value("client_id"));
  if (app === undefined) return "client_id is not known";
  if (value("response_type") !== "code") return "response_type must be code";
  const redirectUri = value("redirect_uri");
  const isKnown = app.redirectUris.length === 0 || app.redirectUris.includes(redirectUri);
  if (!URL.canParse(redirectUri) || !isKnown) return "redirect_uri is not one of the app's";
  if (value("state") === "") return "state is missing";
  if (value("code_challenge") === "") return "code_challenge is missing";
  const wanted = value("scope").split(/[ +]/).filter(Boolean);
  const unknown = wanted.find((scope) => !scopes.some((known) => known === scope));
  if (wanted.length === 0 || unknown !== undefined)
    return `scope is ${unknown === undefined ? "missing" : "not known"}`;
  const method = value("code_challenge_method").toLowerCase();
  if (method !== "s256" && method !== "plain") return "code_challenge_method must be S256 or plain";
  return {
    app,
    scopes: wanted,
    redirectUri,
    state: value("state"),
    challenge: value("code_challenge"),
    method: method === "s256" ? "S256" : "plain",
  };
}

/** Grants a wish; the address to return to, with the code. */
export function approve({ registry, clock }: TokenParts, wish: Wish, userId: string): string {
  const code = newSecret(60);
  const { scopes: granted, redirectUri, challenge, method } = wish;
  const expiresAtMs = clock.now() + codeLifetimeMs;
  registry.codes.set(code, {
    appId: wish.app.id,
    userId,
    scopes: granted,
    redirectUri,
    challenge,
    method,
    expiresAtMs,
  });
  return returnTo(wish, { code });
}

/** Refuses a wish; the address to return to. */
export function deny(wish: Wish): string {
  return returnTo(wish, { error: "access_denied" });
}

function returnTo(wish: Wish, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(wish.redirectUri);
  for (const [name, value] of Object.entries({ state: wish.state, ...parameters })) url.searchParams.set(name, value);
  return url.href;
}

/** `POST /2/oauth2/token`: exchanges a code, or a refresh token, which is good once. */
export function answerToken(parts: TokenParts, request: WireRequest): WireAnswer {
  const form = formOf(request);
  const app = clientOf(parts.registry, request, form);
  if (app === null) return refuse(401, "unauthorized_client", "Missing valid authorization header");
  switch (form.get("grant_type")) {
    case "authorization_code":
      return exchange(parts, app, form);
    case "refresh_token":
      return refresh(parts, app, form.get("refresh_token") ?? "");
    case undefined:
      return refuse(400, "invalid_request", "Missing required parameter [grant_type].");
    default:
      return refuse(400, "unsupported_grant_type", "Value passed for the grant_type was invalid.");
  }
}

function exchange({ registry, clock }: TokenParts, app: App, form: ReadonlyMap<string, string>): WireAnswer {
  const code = form.get("code") ?? "";
  const pending = registry.codes.get(code);
  registry.codes.delete(code);
  if (pending?.appId !== app.id || pending.expiresAtMs <= clock.now()) {
    return refuse(400, "invalid_request", "Value passed for the authorization code was invalid.");
  }
  if (form.get("redirect_uri") !== pending.redirectUri) {
    return refuse(
      400,
      "invalid_request",
      "Value passed for the redirect uri did not match the uri of the authorization code.",
    );
  }
  if (challengeFrom(form.get("code_verifier") ?? "", pending.method) !== pending.challenge) {
    return refuse(400, "invalid_request", "Value passed for the code verifier did not match the code challenge.");
  }
  const grant: Grant = {
    appId: app.id,
    userId: pending.userId,
    scopes: pending.scopes,
    accessToken: newSecret(60),
    refreshToken: pending.scopes.includes("offline.access") ? newSecret(60) : null,
    expiresAtMs: clock.now() + accessLifetimeMs,
    isRevoked: false,
  };
  registry.grants.add(grant);
  return tokenAnswer(grant);
}

function refresh({ registry, clock }: TokenParts, app: App, token: string): WireAnswer {
  const grant = [...registry.grants].find(({ refreshToken }) => refreshToken !== null && refreshToken === token);
  if (grant === undefined || grant.isRevoked || grant.appId !== app.id) {
    return refuse(400, "invalid_request", "Value passed for the token was invalid.");
  }
  grant.accessToken = newSecret(60);
  grant.refreshToken = newSecret(60);
  grant.expiresAtMs = clock.now() + accessLifetimeMs;
  return tokenAnswer(grant);
}

function tokenAnswer(grant: Grant): WireAnswer {
  return {
    status: 200,
    body: {
      token_type: "bearer",
      expires_in: accessLifetimeMs / 1000,
      access_token: grant.accessToken,
      scope: grant.scopes.join(" "),
      ...(grant.refreshToken === null ? {} : { refresh_token: grant.refreshToken }),
    },
  };
}

/** `POST /2/oauth2/revoke`: ends what was granted, by either of its tokens. */
export function answerRevoke({ registry }: TokenParts, request: WireRequest): WireAnswer {
  const form = formOf(request);
  const app = clientOf(registry, request, form);
  if (app === null) return refuse(401, "unauthorized_client", "Missing valid authorization header");
  const token = form.get("token");
  if (token === undefined) return refuse(400, "invalid_request", "Missing required parameter [token].");
  for (const grant of registry.grants) {
    const isMeant = grant.accessToken === token || grant.refreshToken === token;
    if (isMeant && grant.appId === app.id) grant.isRevoked = true;
  }
  return { status: 200, body: { revoked: true } };
}

/** `POST /oauth2/token`: the bearer token of an app on its own. */
export function answerAppToken({ registry }: TokenParts, request: WireRequest): WireAnswer {
  const [key, secret] = basicOf(request);
  const app = [...registry.apps.values()].find((one) => one.key === key && one.secret === secret);
  const isAsked = formOf(request).get("grant_type") === "client_credentials";
  if (app === undefined || !isAsked) {
    const error = { code: 99, message: "Unable to verify your credentials", label: "authenticity_token_error" };
    return { status: 403, body: { errors: [error] } };
  }
  return { status: 200, body: { token_type: "bearer", access_token: app.bearerToken } };
}

function clientOf(registry: Registry, request: WireRequest, form: ReadonlyMap<string, string>): App | null {
  const [basicId, basicSecret] = basicOf(request);
  const clientId = basicId ?? form.get("client_id");
  const app = [...registry.apps.values()].find((one) => one.clientId === clientId);
  if (app === undefined) return null;
  if (!app.isConfidential) return app;
  return basicSecret === app.clientSecret ? app : null;
}

function basicOf(request: WireRequest): readonly [string?, string?] {
  const header = request.headers["authorization"];
  if (typeof header !== "string" || !header.startsWith("Basic ")) return [];
  const [id, secret] = Buffer.from(header.slice(6), "base64").toString("utf8").split(/:(.*)/s);
  return [id ?? "", secret ?? ""];
}

/** The fields of a form, or of JSON, that are text. */
export function formOf(request: WireRequest): ReadonlyMap<string, string> {
  if (typeof request.body !== "object" || request.body === null) return new Map();
  return new Map(
    Object.entries(request.body).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function challengeFrom(verifier: string, method: "S256" | "plain"): string {
  return method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
}

function refuse(status: number, error: string, description: string): WireAnswer {
  return { status, body: { error, error_description: description } };
}
