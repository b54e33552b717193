import type { Clock, Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";

/** Rooms, each strictly in order, none waiting for another. An idle one costs nothing. */
export type RoomQueues = {
  /** Does this once all that was begun for the room is done, and again until it succeeds. Nothing begins after the end. */
  enqueue(room: string, work: () => Promise<void>): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/** What they are made of. */
export type RoomQueueParts = { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal };

const firstWaitMs = 100;
const longestWaitMs = 30_000;

/** Makes them. */
export function createRoomQueues(parts: RoomQueueParts): RoomQueues {
  const last = new Map<string, Promise<void>>();
  return {
    enqueue(room, work) {
      const before = last.get(room) ?? Promise.resolve();
      const mine = before.then(() => insist(work, parts));
      last.set(room, mine);
      void mine.then(() => {
        if (last.get(room) === mine) last.delete(room);
      });
    },
    async idle() {
      while (last.size > 0) await Promise.all(last.values());
    },
  };
}

async function insist(work: () => Promise<void>, { clock, log, signal }: RoomQueueParts): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
      log.warn({ error: errorMessage(error), waitMs }, "what Discord told could not be kept yet; offering it again");
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}
