import type { Client, Clock, Log, ResendParts, Store, TaskBook } from "@troupe/core";
import { errorMessage, isAbort } from "@troupe/core/errors";
import { resendWaiting } from "@troupe/core/outbox";
import { knowledgeHandlers } from "../knowledge/change-knowledge.ts";
import type { Knowing } from "../knowledge/knowing.ts";
import { taskHandlers } from "./change-tasks.ts";
import { createControlServer } from "./control-server.ts";
import { createDeliveryResolver } from "./resolve-deliveries.ts";

/** An agent of this process, as commands reach it. */
type ControlledAgent = {
  readonly agentId: string;
  readonly name: string;
  readonly clients: readonly Client[];
  /** Its tasks; without them they are changed in the data, and begun at the next start. */
  readonly tasks?: TaskBook | null;
};

/** What the control of a running process is made of. */
export type ControlParts = {
  /** Where the socket is to stand, in the home. */
  readonly path: string;
  readonly agents: readonly ControlledAgent[];
  readonly store: Store;
  /** Looks for documents that changed; without it the next start does. */
  readonly knowing?: Pick<Knowing, "check">;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly pid: number;
};

/** A delivery that is sent again is given up after a day of trying. */
const resendMaxAgeMs = 86_400_000;

/**
 * Opens the running process to commands, and sends what an operator wanted sent while no agent ran. Opened once the agents have
 * started and closed before they are stopped; what is being sent then goes on at the next start.
 * @throws ConfigError when the socket cannot be opened.
 */
export async function openControl(parts: ControlParts): Promise<{ close(): Promise<void> }> {
  const { path, agents, store, clock, random, log, pid } = parts;
  const closing = new AbortController();
  const resendParts = new Map(
    agents.map(({ agentId, clients }): readonly [string, ResendParts] => [
      agentId,
      {
        store,
        clock,
        random,
        log: log.child({ agentId }),
        maxAgeMs: resendMaxAgeMs,
        signal: closing.signal,
        clientFor: (platform, account) =>
          clients.find((client) => client.platform === platform && client.account === account) ?? null,
      },
    ]),
  );
  const since = clock.now();
  const characters = agents.map(({ agentId, name }) => ({ agentId, name }));
  const server = await createControlServer({
    path,
    log,
    handlers: {
      ping: () => ({ pid, since, characters }),
      "deliveries.resolve": createDeliveryResolver({ store, clock, agents: resendParts }),
      ...taskHandlers({ store, clock, books: booksOf(agents) }),
      ...knowledgeHandlers({ store, knowing: parts.knowing ?? null }),
    },
  });
  const sending = Promise.all([...resendParts].map(([agentId, given]) => sendWaiting(agentId, given)));
  return {
    async close() {
      closing.abort();
      await server.close();
      await sending;
    },
  };
}

function booksOf(agents: readonly ControlledAgent[]): ReadonlyMap<string, TaskBook> {
  return new Map(agents.flatMap(({ agentId, tasks }) => (tasks ? [[agentId, tasks] as const] : [])));
}

async function sendWaiting(agentId: string, parts: ResendParts): Promise<void> {
  try {
    await resendWaiting(agentId, parts);
  } catch (error) {
    if (parts.signal.aborted || isAbort(error)) return;
    parts.log.error({ error: errorMessage(error) }, "what waits to be sent again could not be sent");
  }
}
