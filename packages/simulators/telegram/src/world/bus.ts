import type { TelegramMessage, TelegramReaction } from "../payload.ts";
import type { Chat, Message, User } from "./world.ts";

/** What a bot, or somebody else, did that everybody in the chat can see. `view` is how it looked then. */
export type Happening =
  | {
      readonly type: "message";
      readonly chat: Chat;
      readonly by: User;
      readonly message: Message;
      readonly view: TelegramMessage;
    }
  | {
      readonly type: "edit";
      readonly chat: Chat;
      readonly by: User;
      readonly message: Message;
      readonly view: TelegramMessage;
    }
  | {
      readonly type: "delete";
      readonly chat: Chat;
      readonly by: User;
      readonly message: Message;
      readonly view: TelegramMessage;
    }
  | {
      readonly type: "action";
      readonly chat: Chat;
      readonly by: User;
      readonly action: string;
      readonly threadId: number | null;
    }
  | {
      readonly type: "reaction";
      readonly chat: Chat;
      readonly by: User;
      readonly message: Message;
      readonly reactions: readonly TelegramReaction[];
    };

/** How long somebody waits, and for what. */
type Wait = { readonly take: (happening: Happening) => boolean; readonly fail: (error: Error) => void };

/** What happened, in order, and who waits for more of it. */
export type Bus = {
  /** Tells what a bot did: whoever waits for it is given it. */
  emit(happening: Happening): void;
  /** Tells what somebody else did: nobody waits for that. */
  tell(happening: Happening): void;
  /** Hears everything that is told from now on; the function it returns ends it. */
  listen(listener: (happening: Happening) => void): () => void;
  /** The next one of a kind in a chat that nobody has been given yet; it may have happened already. */
  next<T extends Happening>(wanted: Wanted<T>): Promise<T>;
  /** Nobody waits any longer. */
  close(): void;
};

/** What is waited for. */
type Wanted<T extends Happening> = {
  /** Which ones; those that do not fit stay for others. */
  readonly fits: (happening: Happening) => happening is T;
  /** What to call it when it does not come. */
  readonly name: string;
  readonly timeoutMs: number;
};

const kept = 1_000;

/** @param after how a wait is limited in time. */
export function createBus(after: (delayMs: number, run: () => void) => () => void): Bus {
  let fresh: Happening[] = [];
  const waits = new Set<Wait>();
  const listeners = new Set<(happening: Happening) => void>();
  const tell = (happening: Happening): void => {
    for (const listener of listeners) listener(happening);
  };
  return {
    tell,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(happening) {
      tell(happening);
      for (const wait of waits) {
        if (wait.take(happening)) return;
      }
      fresh.push(happening);
      if (fresh.length > kept) fresh.shift();
    },
    next({ fits, name, timeoutMs }) {
      const there = fresh.find(fits);
      if (there) {
        fresh = fresh.filter((other) => other !== there);
        return Promise.resolve(there);
      }
      return new Promise((resolve, reject) => {
        const end = (): void => {
          waits.delete(wait);
          stop();
        };
        const wait: Wait = {
          take(happening) {
            if (!fits(happening)) return false;
            end();
            resolve(happening);
            return true;
          },
          fail(error) {
            end();
            reject(error);
          },
        };
        const stop = after(timeoutMs, () => wait.fail(new Error(`No ${name} within ${timeoutMs} ms`)));
        waits.add(wait);
      });
    },
    close() {
      for (const wait of waits) wait.fail(new Error("The simulator was closed while somebody waited for a bot"));
    },
  };
}
