import type { Clock } from "../clock.ts";
import { StoreError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { KeyValues, Versioned } from "../store/store.ts";
import type { Cache } from "./runtime.ts";

/** Where the values lie: under this namespace of the agent. */
export type CacheParts = {
  readonly agentId: string;
  readonly keyValues: KeyValues;
  readonly clock: Clock;
  readonly namespace?: string;
};

const longestKey = 500;

/** Small durable values as JSON, over the store's. */
export function createCache({ agentId, keyValues, clock, namespace = "plugin" }: CacheParts): Cache {
  const lookUp = (key: string): Promise<Versioned | null> => keyValues.get(agentId, namespace, checked(key));
  const expiry = (ttlMs: number | undefined): { readonly expiresAt?: number } => {
    if (ttlMs === undefined) return {};
    if (!(Number.isFinite(ttlMs) && ttlMs > 0)) {
      throw new ValidationError(`a ttlMs of ${ttlMs} is no time to live; write milliseconds above 0`);
    }
    return { expiresAt: clock.now() + Math.ceil(ttlMs) };
  };
  return {
    async get(key) {
      const found = await lookUp(key);
      return found ? parse(found.value, key) : null;
    },
    async getVersioned(key) {
      const found = await lookUp(key);
      return found && { value: parse(found.value, key), version: found.version };
    },
    async set(key, value, { ttlMs, ifVersion } = {}) {
      const text: string | undefined = JSON.stringify(value);
      if (text === undefined)
        throw new ValidationError(`what is to be kept under ${key} is no JSON; give a JSON value`);
      const put = { value: text, ...expiry(ttlMs), ...(ifVersion !== undefined && { ifVersion }) };
      return keyValues.set(agentId, namespace, checked(key), put);
    },
    del: async (key) => keyValues.delete(agentId, namespace, checked(key)),
    async increment(key, amount = 1, { ttlMs } = {}) {
      if (!Number.isSafeInteger(amount))
        throw new ValidationError(`${key} cannot be counted by ${amount}; give a whole number`);
      return keyValues.increment(agentId, namespace, checked(key), { amount, ...expiry(ttlMs) });
    },
  };
}

function checked(key: string): string {
  if (typeof key === "string" && key !== "" && key.length <= longestKey) return key;
  throw new ValidationError(`a cache's key is a text of 1 to ${longestKey} characters; shorten or correct it`);
}

function parse(text: string, key: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreError("corrupt", `what is kept under ${key} is no JSON; delete it and set it anew`, {
      cause: error,
    });
  }
}
