import type { ClientParts, Inbound, Receive } from "@troupe/core";
import { createRoomQueues } from "@troupe/core/client";
import { errorMessage } from "@troupe/core/errors";
import type { Access } from "./access.ts";
import type { Cursor } from "./cursor.ts";
import type { Hearer } from "./inbound.ts";
import type { Ledger } from "./ledger.ts";
import type { TwitterSettings } from "./settings.ts";

/** What hearing needs. */
export type ListeningParts = Pick<ClientParts, "log" | "random" | "clock" | "state"> & {
  readonly access: Access;
  readonly ledger: Ledger;
  readonly settings: TwitterSettings;
  readonly receive: Receive;
  /** Who hears, now. */
  readonly hearer: () => Hearer;
  readonly signal: AbortSignal;
};

/** Hands over what was heard: each room's in order, rooms side by side. */
export type HandOver = (heard: readonly Inbound[], place: { readonly id: string; readonly cursor: Cursor }) => void;

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/**
 * Events are offered until the engine has them, and only then does the cursor move past them. All of one call are of one room,
 * and are handed over one after the other.
 */
export function createHandOver({ log, random, clock, receive, signal }: ListeningParts): HandOver {
  const rooms = createRoomQueues();

  const untilKept = async (inbound: Inbound): Promise<void> => {
    for (let failures = 0; ; failures += 1) {
      signal.throwIfAborted();
      try {
        return await receive(inbound);
      } catch (error) {
        signal.throwIfAborted();
        if (failures === 0) log.warn({ error: errorMessage(error) }, "a post could not be kept; offering it again");
        await clock.sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + random() / 2), signal);
      }
    }
  };

  return (heard, { id, cursor }) => {
    const room = heard.at(-1)?.room.platformId ?? "";
    const work = rooms.run(room, async () => {
      for (const inbound of heard) await untilKept(inbound);
      await cursor.finish(id);
    });
    work.catch((error: unknown) => {
      if (!signal.aborted) log.warn({ error: errorMessage(error) }, "a cursor could not be kept; some is heard again");
    });
  };
}

/**
 * Whether somebody asked to be left alone, or to be spoken with again; remembers it. Said alone, in a post to the agent. Returns
 * why this person is not answered, if so.
 */
export async function heedWishes(
  { text, authorId, isToAgent }: { readonly text: string; readonly authorId: string; readonly isToAgent: boolean },
  { ledger, settings, log }: Pick<ListeningParts, "ledger" | "settings" | "log">,
): Promise<string | undefined> {
  const words = text
    .toLowerCase()
    .replace(/@\S+/gu, " ")
    .replace(/[^\p{L}\p{N}' ]/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  const isOut = ledger.optedOut.get().includes(authorId);
  if (isToAgent && !isOut && settings.optOutWords.includes(words)) {
    await ledger.optedOut.change((all) => [...all, authorId]);
    log.info({}, "somebody asked not to be answered any more");
    return "Its writer asks not to be answered any more.";
  }
  if (isToAgent && isOut && settings.optInWords.includes(words)) {
    await ledger.optedOut.change((all) => all.filter((id) => id !== authorId));
    return undefined;
  }
  return isOut ? "Its writer asked not to be answered any more." : undefined;
}
