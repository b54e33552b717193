import type { Client, ClientParts, Receive, SendResult } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { accountOf, type TwitterOptions } from "./options.ts";
import type { Session } from "./session.ts";
import { readSettings } from "./settings.ts";
import { findLinks, textLimit, weightedLength } from "./text.ts";

/**
 * One character's voice, eyes and ears on X. X knows no key for a post, so that an outcome nobody knows is looked up in the
 * account's own timeline; likes, reposts and follows may be repeated.
 * @throws ConfigError for keys that are none, or settings that cannot be.
 */
export function createTwitterClient(options: TwitterOptions, parts: ClientParts): Client {
  const settings = readSettings(options.settings);
  const { credentials } = options;
  const account = options.account ?? ("clientId" in credentials ? undefined : accountOf(credentials));
  let session: Session | null = null;
  let wasStarted = false;

  const notConnected: SendResult = { type: "not-sent", retryInMs: 1_000, error: "X is not connected yet." };

  return {
    platform: "twitter",
    get account() {
      return session?.account ?? account ?? options.agentName;
    },
    limits: {
      ...{ textLength: textLimit, unit: "weighted", measure: weightedLength, findLinks },
      isNumbered: settings.isNumbered,
    },
    async start(receive: Receive, signal: AbortSignal) {
      signal.throwIfAborted();
      if (wasStarted) throw new ClientError("conflict", "The client of X was started already; make another one.");
      wasStarted = true;
      const { openSession } = await import("./session.ts");
      const whole = { ...options, ...(account !== undefined && { account }) };
      session = await openSession(whole, { ...parts, settings, receive, signal });
      session.begin();
    },
    send: async (delivery, signal) => (session ? session.sending.send(delivery, signal) : notConnected),
    guarantee: (kind) => (kind === "message" || kind === "quote" ? "lookup" : "nonce"),
    social: ["like", "unlike", "retweet", "unretweet", "quote", "bookmark", "follow"],
    async lookup(delivery) {
      if (session) return session.sending.lookup(delivery);
      throw new ClientError("unavailable", "X is not connected yet.");
    },
  };
}
