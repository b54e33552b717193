import type { HandledMessage } from "../action/handed-message.ts";
import { TroupeError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import type { Store } from "../store/store.ts";

/** Somebody who waits for what becomes of a message. */
export type OutcomeWait = { readonly ended: Promise<void>; end(): void };

/**
 * Waits until the run that covers a message has ended; begun before the message is accepted, so that nothing is missed.
 * `ended` rejects with TroupeError `unavailable` when the run was parked, and with the signal's reason.
 */
export function awaitOutcome(memoryId: string, events: Pick<Events, "on">, signal: AbortSignal): OutcomeWait {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let runId: string | undefined;
  const silence = events.on((event) => {
    if (event.type === "RUN_STARTED" && event.memoryIds.includes(memoryId)) runId = event.runId;
    if (event.type === "RUN_ENDED" && event.memoryIds.includes(memoryId)) resolve();
    if (event.type === "RUN_PARKED" && event.runId === runId) {
      const why = event.reason === undefined ? "" : `: ${event.reason}`;
      reject(new TroupeError("unavailable", `the message is kept and its run goes on later${why}`));
    }
  });
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  // Whoever stopped waiting is not told any more.
  promise.catch(() => undefined);
  return {
    ended: promise,
    end() {
      silence();
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** What became of a message, when it is known already. */
export async function findOutcome(
  store: Pick<Store, "inbox" | "outbox">,
  agentId: string,
  memoryId: string,
): Promise<HandledMessage | null> {
  const row = await store.inbox.find(agentId, memoryId);
  if (row?.outcome === undefined || row.runId === undefined) return null;
  const { runId, outcome, reason } = row;
  const sent = await store.outbox.list(agentId, { runId, states: ["sent", "uncertain"], limit: 100 });
  const responses = sent
    .filter(({ delivery: { kind } }) => kind === "message" || kind === "quote")
    .map(({ delivery, updatedAt, platformId }) =>
      ownMemory(delivery, { at: updatedAt, ...(platformId !== undefined && { platformId }) }),
    );
  return { runId, outcome, responses, ...(reason !== undefined && { reason }) };
}
