import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { createTokenApi } from "./api.ts";
import { readFailure } from "./errors.ts";
import type { TwitterOptions } from "./options.ts";
import type { SignIn } from "./sign-in.ts";
import { writeTokens } from "./token-file.ts";

/** What the account is asked to allow. @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
const loginScopes = [
  "tweet.read",
  "tweet.write",
  "users.read",
  "follows.write",
  "like.write",
  "bookmark.write",
  "dm.read",
  "dm.write",
  "media.write",
  "offline.access",
] as const;

/** A sign-in that was begun: the address a person opens, and what must be kept until X sends them back. */
export type BegunLogin = {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
};

/** Begins a sign-in with PKCE (S256). `redirectUri` must be one of the app's. */
export function beginLogin({ clientId }: Pick<SignIn, "clientId">, redirectUri: string): BegunLogin {
  const state = randomBytes(24).toString("base64url");
  const verifier = randomBytes(48).toString("base64url");
  const url = new URL("https://x.com/i/oauth2/authorize");
  const query = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: loginScopes.join(" "),
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier, redirectUri };
}

/** What finishing a sign-in needs. */
export type LoginParts = Pick<TwitterOptions, "apiRoot" | "requestTimeoutMs"> & {
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
};

/**
 * Finishes a sign-in with the address X sent the person back to, and keeps its tokens, encrypted.
 * @throws ClientError when the person or X said no, or the address belongs to another sign-in.
 */
export async function finishLogin(
  signIn: SignIn,
  begun: BegunLogin,
  returned: string,
  { clock, signal, ...options }: LoginParts,
): Promise<void> {
  const code = codeIn(begun, returned);
  const api = await createTokenApi(signIn, options);
  try {
    const { redirectUri, verifier } = begun;
    const answer = await api.exchange({ code, redirectUri, verifier }, signal);
    await writeTokens(signIn, { ...answer, expiresAt: clock.now() + answer.expiresInMs });
  } catch (error) {
    signal.throwIfAborted();
    const failure = readFailure(error, clock.now());
    if (failure.type !== "refused") throw error;
    throw new ClientError(
      "unauthorized",
      "X did not accept the sign-in: check TWITTER_CLIENT_ID and TWITTER_CLIENT_SECRET, and begin anew; a code is good for 30 seconds.",
    );
  } finally {
    api.close();
  }
}

function codeIn({ state }: BegunLogin, returned: string): string {
  const query = URL.canParse(returned) ? new URL(returned).searchParams : new URLSearchParams();
  if (query.get("error") !== null)
    throw new ClientError("unauthorized", "The account did not allow it; nothing was kept.");
  const given = Buffer.from(query.get("state") ?? "");
  const wanted = Buffer.from(state);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new ClientError("invalid", "The address belongs to another sign-in; open the address that was shown last.");
  }
  const code = query.get("code") ?? "";
  if (code === "") throw new ClientError("invalid", "The address holds no code; copy the whole of it.");
  return code;
}
