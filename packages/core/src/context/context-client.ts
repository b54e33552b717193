import type { Client } from "../client/client.ts";

/** The platform of rooms that are contexts of the agent's own and no conversation anywhere. */
export const contextPlatform = "context";
/** The account on it. */
export const contextAccount = "troupe";

/**
 * The client of contexts without a room: what is said there is remembered, and reaches nobody but those who subscribe to the context.
 * Sending twice shows it once.
 */
export function createContextClient(): Client {
  return {
    platform: contextPlatform,
    account: contextAccount,
    limits: { textLength: 1_000_000, unit: "utf16" },
    start: async () => undefined,
    send: async ({ key }) => ({ type: "sent", platformId: key }),
    guarantee: () => "nonce",
  };
}
