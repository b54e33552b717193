import { type ApiError, conflict } from "../api-error.ts";
import type { TelegramUpdate } from "../payload.ts";
import type { Timers } from "../world/world.ts";
import type { UpdateQueue } from "./update-queue.ts";

/** What a bot asks for. */
type PollRequest = {
  /** 1 to 100. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Aborts when the bot has hung up. */
  readonly gone: AbortSignal;
};

/** The one place where a bot may wait for updates. */
export type Poller = {
  /** Waits for updates; somebody else's wait ends with 409. */
  poll(request: PollRequest): Promise<readonly TelegramUpdate[]>;
  /** Ends a wait with an error. */
  end(error: ApiError): void;
};

/** @see https://core.telegram.org/bots/api#getupdates */
export function createPoller(queue: UpdateQueue, timers: Timers): Poller {
  let fail: ((error: ApiError) => void) | null = null;
  return {
    async poll({ limit, timeoutMs, gone }) {
      fail?.(conflict("terminated by other getUpdates request; make sure that only one bot instance is running"));
      fail = null;
      const now = take(queue, limit);
      if (now.length > 0 || timeoutMs <= 0) return now;
      return await new Promise((resolve, reject) => {
        const finish = (run: () => void): void => {
          if (fail === end) fail = null;
          unwatch();
          stop();
          gone.removeEventListener("abort", leave);
          run();
        };
        const end = (error: ApiError): void => finish(() => reject(error));
        const leave = (): void => finish(() => resolve([]));
        const unwatch = queue.watch(() => {
          if (queue.ready().length > 0) finish(() => resolve(take(queue, limit)));
        });
        const stop = timers.after(timeoutMs, leave);
        fail = end;
        gone.addEventListener("abort", leave);
        if (gone.aborted) leave();
      });
    },
    end: (error) => fail?.(error),
  };
}

function take(queue: UpdateQueue, limit: number): readonly TelegramUpdate[] {
  return queue
    .ready()
    .slice(0, limit)
    .map((entry) => {
      entry.wasSent = true;
      return entry.update;
    });
}
