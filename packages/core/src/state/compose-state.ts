import type { Clock } from "../clock.ts";
import { errorMessage, isAbort } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { withDeadline } from "./deadline.ts";
import type { Provided, RegisteredProvider, State, StateChoice, StateRequest } from "./provider.ts";

const defaultTimeoutMs = 5_000;

/** The providers a choice names, case and outer spaces aside. A name that is not registered is passed over. */
export function chooseProviders(
  providers: readonly RegisteredProvider[],
  { include = [], only = false }: StateChoice,
): readonly RegisteredProvider[] {
  const wanted = new Set(include.map((name) => name.trim().toUpperCase()));
  return providers.filter(
    ({ name, isDynamic, isPrivate }) =>
      wanted.has(name.toUpperCase()) || (!only && isDynamic !== true && isPrivate !== true),
  );
}

type Answer = { readonly provider: RegisteredProvider; readonly provided?: Provided; readonly failed?: string };

/**
 * Asks all providers at once and puts what they gave in `position` order. A late or throwing one is left out and named in
 * `missing`; it never fails the state.
 * @throws the signal's reason when the run is called off meanwhile.
 */
export async function composeState(
  providers: readonly RegisteredProvider[],
  request: StateRequest,
  clock: Clock,
): Promise<State> {
  const ordered = [...providers].sort((a, b) => a.position - b.position);
  const answers = await Promise.all(ordered.map((provider) => ask(provider, request, clock)));
  request.signal.throwIfAborted();
  return join(answers);
}

async function ask(provider: RegisteredProvider, request: StateRequest, clock: Clock): Promise<Answer> {
  try {
    const given = provider.get(request);
    if (!(given instanceof Promise)) return { provider, provided: given };
    return { provider, provided: await withDeadline(given, provider.timeoutMs ?? defaultTimeoutMs, clock) };
  } catch (error) {
    if (isAbort(error)) return { provider, failed: "called off" };
    return { provider, failed: errorMessage(error) };
  }
}

function join(answers: readonly Answer[]): State {
  let values: JsonObject = {};
  let data: JsonObject = {};
  const texts: State["texts"][number][] = [];
  const missing: State["missing"][number][] = [];
  for (const { provider, provided, failed } of answers) {
    if (failed !== undefined) missing.push({ name: provider.name, failed });
    if (!provided) continue;
    values = { ...values, ...provided.values };
    if (provided.data) data = { ...data, [provider.name]: provided.data };
    if (provided.text) texts.push({ name: provider.name, text: provided.text, isStable: provider.isStable === true });
  }
  return { values, data, texts, missing };
}
