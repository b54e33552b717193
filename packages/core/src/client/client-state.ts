import type { KeyValues } from "../store/store.ts";
import type { ClientState } from "./client-parts.ts";

/** Whose state it is, and where it is kept. */
export type ClientStateParts = {
  readonly agentId: string;
  readonly platform: string;
  /** What tells two accounts of one agent on one platform apart, before either is connected. */
  readonly account: string;
  readonly keyValues: Pick<KeyValues, "get" | "set" | "delete">;
};

/** The state of one client, durable when a call resolves. */
export function createClientState({ agentId, platform, account, keyValues }: ClientStateParts): ClientState {
  const namespace = JSON.stringify(["client", platform, account]);
  return {
    get: async (key) => (await keyValues.get(agentId, namespace, key))?.value ?? null,
    set: async (key, value) => void (await keyValues.set(agentId, namespace, key, { value })),
    delete: async (key) => void (await keyValues.delete(agentId, namespace, key)),
  };
}
