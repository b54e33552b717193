import type { Clock } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { createTokenApi, type TokenCaller } from "./api.ts";
import { readFailure, shortError } from "./errors.ts";
import type { TwitterOptions } from "./options.ts";
import type { SignIn } from "./sign-in.ts";
import { readTokens, type Tokens, writeTokens } from "./token-file.ts";

/** What keeping tokens fresh needs. */
type TokensParts = Pick<TwitterOptions, "apiRoot" | "requestTimeoutMs"> & { readonly clock: Pick<Clock, "now"> };

/** A token is renewed this long before it ends. */
const marginMs = 5 * 60_000;

/**
 * The access token of a sign-in, always one that is good. A refresh token is good once: the new one is on disk before anything is
 * called with it, and only one renewal is under way at a time.
 */
export function openTokens(signIn: SignIn, { clock, ...options }: TokensParts): TokenCaller {
  let known: Tokens | null = null;
  let renewal: Promise<string> | null = null;

  const renew = async (signal: AbortSignal): Promise<string> => {
    const { refreshToken } = known ?? (await readTokens(signIn));
    if (refreshToken === undefined) throw signedOut("it was made without offline.access");
    const api = await createTokenApi(signIn, options);
    try {
      const answer = await api.refresh(refreshToken, signal);
      known = { ...answer, expiresAt: clock.now() + answer.expiresInMs };
      await writeTokens(signIn, known);
      return known.accessToken;
    } catch (error) {
      signal.throwIfAborted();
      const failure = readFailure(error, clock.now());
      if (failure.type === "refused" && failure.status < 429) throw signedOut("X does not know it any more");
      if (error instanceof ClientError) throw error;
      throw new ClientError(
        "unavailable",
        `The sign-in to X could not be renewed: ${shortError(error)}; trying again.`,
      );
    } finally {
      api.close();
    }
  };

  const renewOnce = (signal: AbortSignal): Promise<string> => {
    renewal ??= renew(signal).finally(() => {
      renewal = null;
    });
    return renewal;
  };

  return {
    async accessToken(signal) {
      known ??= await readTokens(signIn);
      return known.expiresAt - marginMs > clock.now() ? known.accessToken : renewOnce(signal);
    },
    renew: renewOnce,
  };
}

function signedOut(why: string): ClientError {
  return new ClientError("unauthorized", `The sign-in to X cannot be renewed, for ${why}; run troupe login twitter.`);
}
