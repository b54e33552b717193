import { randomBytes } from "node:crypto";

/** What an app may do in the name of those who let it. */
type Permissions = "read" | "read-write" | "read-write-dm";

/** A developer's app with its keys. */
export type App = {
  readonly id: string;
  readonly name: string;
  /** The consumer key and secret of OAuth 1.0a. */
  readonly key: string;
  readonly secret: string;
  /** The client of OAuth 2.0. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** A confidential client must prove its secret at the token endpoint. */
  readonly isConfidential: boolean;
  readonly redirectUris: readonly string[];
  readonly bearerToken: string;
  /** Whose developer account it belongs to; reading one's own data is cheaper. */
  ownerId: string | null;
  permissions: Permissions;
  /** False: refused everywhere, as an app outside any project. */
  isEnrolled: boolean;
};

/** An access token of OAuth 1.0a. */
export type Token = {
  readonly accessToken: string;
  readonly accessSecret: string;
  readonly appId: string;
  readonly userId: string;
  isRevoked: boolean;
};

/** What a user granted to an app by OAuth 2.0. */
export type Grant = {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  accessToken: string;
  /** Null without `offline.access`. */
  refreshToken: string | null;
  expiresAtMs: number;
  isRevoked: boolean;
};

/** An authorization that waits for its exchange. */
type PendingCode = {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
  readonly method: "S256" | "plain";
  readonly expiresAtMs: number;
};

/** All apps and what was granted to them. */
export type Registry = {
  readonly apps: Map<string, App>;
  readonly tokens: Map<string, Token>;
  readonly grants: Set<Grant>;
  readonly codes: Map<string, PendingCode>;
};

/** What a new app is like. */
export type AppOptions = {
  readonly name?: string;
  /** "read-write-dm" when absent. */
  readonly permissions?: Permissions;
  /** True when absent. */
  readonly isConfidential?: boolean;
  /** Where OAuth 2.0 may return to; anywhere when empty or absent. */
  readonly redirectUris?: readonly string[];
};

/** Makes an empty registry. */
export function createRegistry(): Registry {
  return { apps: new Map(), tokens: new Map(), grants: new Set(), codes: new Map() };
}

/** Registers an app. */
export function createApp(registry: Registry, options: AppOptions = {}): App {
  const id = String(10_000_000 + registry.apps.size);
  const app: App = {
    id,
    name: options.name ?? `app ${id}`,
    key: newSecret(18),
    secret: newSecret(37),
    clientId: newSecret(25),
    clientSecret: newSecret(37),
    isConfidential: options.isConfidential ?? true,
    redirectUris: options.redirectUris ?? [],
    bearerToken: `AAAAAAAAAAAAAAAAAAAAA${newSecret(60)}`,
    ownerId: null,
    permissions: options.permissions ?? "read-write-dm",
    isEnrolled: true,
  };
  registry.apps.set(id, app);
  return app;
}

/** Makes access tokens of OAuth 1.0a, as the developer's page does. */
export function createToken(registry: Registry, app: App, userId: string): Token {
  const token: Token = {
    accessToken: `${userId}-${newSecret(30)}`,
    accessSecret: newSecret(33),
    appId: app.id,
    userId,
    isRevoked: false,
  };
  registry.tokens.set(token.accessToken, token);
  return token;
}

/** A secret nobody guesses, of letters and digits. */
export function newSecret(length: number): string {
  let text = "";
  while (text.length < length)
    text += randomBytes(length)
      .toString("base64")
      .replaceAll(/[^A-Za-z0-9]/g, "");
  return text.slice(0, length);
}
