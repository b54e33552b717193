import type { Clock, Log, Typing } from "@troupe/core";
import { noLongerNeeded } from "@troupe/core/clock";
import { type DiscordApi, debugFailure } from "./api.ts";
import { idOf } from "./read.ts";

/** Discord shows it for 10 s. @see https://discord.com/developers/docs/resources/channel#trigger-typing-indicator */
const renewAfterMs = 8_000;
/** An answer that is there sooner is not announced: it would only cost a request. */
const quickMs = 250;

/** Shows that the agent types, in each room as long as anybody wants it there. */
export function createTyping(parts: {
  readonly api: () => DiscordApi | null;
  readonly clock: Clock;
  readonly log: Log;
}): Typing {
  const rooms = new Map<string, { wanted: number; readonly end: AbortController }>();
  return {
    start(room) {
      if (idOf(room) === null) return () => undefined;
      const known = rooms.get(room) ?? { wanted: 0, end: new AbortController() };
      known.wanted += 1;
      if (!rooms.has(room)) {
        rooms.set(room, known);
        void show(room, known.end.signal, parts);
      }
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        known.wanted -= 1;
        if (known.wanted > 0) return;
        rooms.delete(room);
        known.end.abort(noLongerNeeded);
      };
    },
  };
}

async function show(
  room: string,
  signal: AbortSignal,
  { api, clock, log }: Parameters<typeof createTyping>[0],
): Promise<void> {
  await clock.sleep(quickMs, signal).catch(() => undefined);
  while (!signal.aborted) {
    const request = { method: "POST", route: `/channels/${room}/typing`, isRepeatable: false, signal } as const;
    await api()?.request(request).catch(debugFailure(log, "showing that the agent types"));
    await clock.sleep(renewAfterMs, signal).catch(() => undefined);
  }
}
