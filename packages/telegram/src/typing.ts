import type { Clock, Typing } from "@troupe/core";
import { noLongerNeeded } from "@troupe/core/clock";

/** What showing that somebody writes needs. */
export type TypingParts = {
  /** Shows it once, for five seconds. Never rejects. */
  readonly show: (roomPlatformId: string, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Telegram shows it for five seconds, or until the bot has said something. */
const againAfterMs = 4_500;
/** What is answered at once is not announced. */
const beginsAfterMs = 300;

/** Shows "typing" in a room for as long as anything in it is thought about. */
export function createTyping({ show, clock, signal }: TypingParts): Typing {
  const rooms = new Map<string, { count: number; readonly stop: AbortController }>();

  const keepShowing = async (room: string, stop: AbortSignal): Promise<void> => {
    const pause = (ms: number) => clock.sleep(ms, stop).catch(() => undefined);
    for (await pause(beginsAfterMs); !stop.aborted; await pause(againAfterMs)) await show(room, stop);
  };

  return {
    start(room) {
      const shown = rooms.get(room) ?? { count: 0, stop: new AbortController() };
      shown.count += 1;
      if (shown.count === 1) {
        rooms.set(room, shown);
        void keepShowing(room, AbortSignal.any([signal, shown.stop.signal]));
      }
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        shown.count -= 1;
        if (shown.count > 0) return;
        rooms.delete(room);
        shown.stop.abort(noLongerNeeded);
      };
    },
  };
}
