import type { Client, Receive } from "../client/client.ts";
import { type Clock, noLongerNeeded } from "../clock.ts";
import type { Log } from "../log.ts";

/** What clients are connected with. */
export type Connecting = {
  readonly receive: Receive;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each client that is connected. */
  readonly onConnected: () => void;
};

/** A platform that does not answer keeps nobody waiting longer than this. */
const patienceMs = 10_000;

type Outcome = "connected" | "slow" | { readonly refusal: unknown };

/**
 * Connects all clients side by side. Resolves when each is connected, has refused, or takes long: that one goes on in the
 * background. @throws what the first refused with, when every one has refused.
 */
export async function connectClients(clients: readonly Client[], connecting: Connecting): Promise<void> {
  const outcomes = await Promise.all(clients.map((client) => connectOne(client, connecting)));
  const refusals = outcomes.filter((outcome) => typeof outcome === "object");
  const [first] = refusals;
  if (first && refusals.length === clients.length) throw first.refusal;
}

async function connectOne(client: Client, { receive, signal, clock, log, onConnected }: Connecting): Promise<Outcome> {
  const { platform } = client;
  const settled = new AbortController();
  const connected = Promise.resolve()
    .then(() => client.start(receive, signal))
    .then(
      (): Outcome => {
        onConnected();
        return "connected";
      },
      (refusal: unknown): Outcome => {
        if (!signal.aborted) log.error({ platform, err: refusal }, "a client could not be connected; the others go on");
        return { refusal };
      },
    )
    .finally(() => settled.abort(noLongerNeeded));
  const slow = clock.sleep(patienceMs, AbortSignal.any([signal, settled.signal])).then(
    (): Outcome => {
      log.warn({ platform }, "a client takes long to connect; it goes on trying, and the others go on");
      return "slow";
    },
    () => connected,
  );
  return Promise.race([connected, slow]);
}
