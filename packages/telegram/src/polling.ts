import type { Clock, Log } from "@troupe/core";
import { noLongerNeeded } from "@troupe/core/clock";
import type { TelegramApi } from "./api.ts";
import { competingPoller, failureFields, readFailure, toFatal } from "./errors.ts";
import { type Fields, fieldsOf, integerIn } from "./payload.ts";
import { wantedUpdates } from "./updates.ts";

/** What asking for updates needs. */
export type PollingParts = {
  readonly api: Pick<TelegramApi, "call">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** How long a question stays open. */
  readonly pollMs: number;
  /** Resolves once the update is durable; tries until it is, and rejects only when all ends. */
  readonly accept: (update: Fields) => Promise<void>;
  readonly signal: AbortSignal;
};

/** A connection over which nothing comes is given up so long after Telegram should have answered. */
const answerPatienceMs = 10_000;
/** So long a slow room keeps the next question waiting. */
const roomPatienceMs = 1_000;
const longestPauseMs = 30_000;
const conflictLimit = 5;
const conflictMemoryMs = 60_000;
/** After a week without updates their numbers begin anywhere: then nothing is to be acknowledged any more. */
const numberingTtlMs = 6 * 24 * 60 * 60 * 1_000;

/**
 * Asks for updates until the signal aborts. Telegram is told that it may forget an update only once `accept` has resolved for
 * it and for all before it; one that takes long does not keep the others from being asked for.
 * @throws ClientError when Telegram refuses for good: a revoked token, another program that asks for the same updates.
 */
export async function pollUpdates(parts: PollingParts): Promise<void> {
  const { signal, clock } = parts;
  const taken = createTaken(clock);
  const troubles = createTroubles(parts);
  while (!signal.aborted) {
    const isBehind = taken.isBehind();
    const updates = await ask(parts, taken.offset(), isBehind ? 0 : parts.pollMs).catch(troubles.bear);
    if (updates === null) continue;
    troubles.end();
    for (const update of updates) taken.take(update, parts.accept);
    await taken.settled(parts);
  }
}

async function ask(
  { api, signal }: PollingParts,
  offset: number | undefined,
  waitMs: number,
): Promise<readonly Fields[]> {
  const timeout = Math.ceil(waitMs / 1_000);
  const result = await api.call(
    "getUpdates",
    { timeout, limit: 100, allowed_updates: wantedUpdates, ...(offset !== undefined && { offset }) },
    { signal, timeoutMs: timeout * 1_000 + answerPatienceMs },
  );
  return Array.isArray(result) ? result.map(fieldsOf).filter((update) => update !== null) : [];
}

/** Which updates are under way, which are done, and what may be forgotten. */
function createTaken(clock: Clock) {
  const underway = new Map<number, Promise<void>>();
  const done = new Set<number>();
  let next: number | undefined;
  let lastAt = clock.now();

  const offset = (): number | undefined => {
    if (underway.size > 0) return Math.min(...underway.keys());
    if (clock.now() - lastAt > numberingTtlMs) next = undefined;
    return next;
  };

  return {
    offset,
    isBehind: () => underway.size > 0,
    take(update: Fields, accept: PollingParts["accept"]): void {
      const id = integerIn(update, "update_id");
      if (id === undefined || underway.has(id) || done.has(id)) return;
      lastAt = clock.now();
      next = Math.max(next ?? 0, id + 1);
      const accepted = accept(update).then(
        () => void done.add(id),
        () => undefined,
      );
      underway.set(
        id,
        accepted.finally(() => underway.delete(id)),
      );
    },
    /** Waits until all is done, or a while. */
    async settled({ signal }: Pick<PollingParts, "signal">): Promise<void> {
      if (underway.size > 0) {
        const over = new AbortController();
        const patience = clock.sleep(roomPatienceMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
        await Promise.race([Promise.all(underway.values()), patience]);
        over.abort(noLongerNeeded);
      }
      const from = offset() ?? Number.POSITIVE_INFINITY;
      for (const id of done) if (id < from) done.delete(id);
    },
  };
}

/** What goes wrong between the questions: pauses that grow, told once; given up only where no waiting helps. */
function createTroubles({ clock, random, log, signal }: PollingParts) {
  let failures = 0;
  let conflicts = 0;
  let conflictAt = 0;

  const pause = async (ms: number): Promise<null> => {
    await clock.sleep(ms, signal).catch(() => undefined);
    return null;
  };

  return {
    async bear(error: unknown): Promise<null> {
      if (signal.aborted) return null;
      const failure = readFailure(error);
      if (failure.type === "refused" && failure.code === 409) {
        conflicts = clock.now() - conflictAt > conflictMemoryMs ? 1 : conflicts + 1;
        conflictAt = clock.now();
        log.warn({ conflicts }, "somebody else asks for this bot's updates too");
        if (conflicts >= conflictLimit) throw competingPoller(/webhook/i.test(failure.description));
        return pause(1_000 * conflicts * (1 + random()));
      }
      const fatal = toFatal(failure);
      if (fatal) throw fatal;
      failures += 1;
      if (failures === 1) log.warn(failureFields(failure), "Telegram does not answer; asking again until it does");
      if (failure.type === "refused" && failure.retryInMs !== undefined) return pause(failure.retryInMs);
      return pause(Math.min(longestPauseMs, 1_000 * 2 ** (failures - 1)) * (0.5 + random() / 2));
    },
    end(): void {
      if (failures > 0) log.info({ failures }, "Telegram answers again");
      failures = 0;
    },
  };
}
