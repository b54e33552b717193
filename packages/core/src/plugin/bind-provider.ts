import { isObject } from "../action/json-kind.ts";
import { ValidationError } from "../errors.ts";
import type { Provided, RegisteredProvider, State, StateRequest } from "../state/provider.ts";
import { during } from "./current-work.ts";
import type { Provider } from "./plugin.ts";
import type { Runtime } from "./runtime.ts";
import { toJson } from "./to-json.ts";

const emptyState: State = { values: {}, data: {}, texts: [], missing: [] };

/** A plugin's provider as the engine asks it. What it gives is cut down to JSON; a plain text counts as its `text`. */
export function bindProvider(provider: Provider, runtime: Runtime): RegisteredProvider {
  const { name, position = 0, description, timeoutMs } = provider;
  const get = async (request: StateRequest): Promise<Provided> => {
    const { runId, message, signal, state = emptyState } = request;
    const work = {
      agentId: runtime.agentId,
      workId: `provider:${name}:${request.step}`,
      runId,
      roomId: message.roomId,
      signal,
      isAwaited: true,
    } as const;
    return toProvided(name, await during(work, () => provider.get(runtime, message, state)));
  };
  return {
    name,
    position,
    get,
    ...(description !== undefined && { description }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(provider.stable === true && { isStable: true }),
    ...(provider.dynamic === true && { isDynamic: true }),
    ...(provider.private === true && { isPrivate: true }),
  };
}

function toProvided(name: string, given: unknown): Provided {
  if (given === undefined || given === null) return {};
  if (typeof given === "string") return { text: given };
  const plain = toJson(given);
  if (!isObject(plain)) {
    throw new ValidationError(
      `the provider ${name} gave neither a text nor { text, values, data }; correct what it returns`,
    );
  }
  const { text, values, data } = plain;
  if (text !== undefined && text !== null && typeof text !== "string") {
    throw new ValidationError(`the provider ${name} gave a text that is no text; return { text: "…" }`);
  }
  return {
    ...(typeof text === "string" && { text }),
    ...(isObject(values) && { values }),
    ...(isObject(data) && { data }),
  };
}
