import { ApiError } from "../api-error.ts";
import type { Bot, Chat } from "../world/world.ts";

/** So many messages within so long. */
export type FloodLimit = { readonly messages: number; readonly windowMs: number };

/** @see https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this */
export type FloodLimits = {
  /** To one chat; 1 a second when absent. */
  readonly perChat?: FloodLimit | false;
  /** To one group, besides; 20 a minute when absent. */
  readonly perGroup?: FloodLimit | false;
  /** To all chats together; 30 a second when absent. */
  readonly global?: FloodLimit | false;
};

/** Counts what bots send and edit. */
export type Flood = {
  /** @throws ApiError 429 when it is too much; then nothing is counted. */
  spend(bot: Bot, chat: Chat, messages?: number): void;
};

type Window = { readonly limit: FloodLimit; readonly key: string };

/** @param limits false for none. */
export function createFlood(limits: FloodLimits | false, now: () => number): Flood {
  const spent = new Map<string, number[]>();
  return {
    spend(bot, chat, messages = 1) {
      if (limits === false) return;
      const windows = windowsOf(limits, bot, chat);
      const time = now();
      const waits = windows.map(({ limit, key }) => {
        const recent = (spent.get(key) ?? []).filter((at) => at > time - limit.windowMs);
        spent.set(key, recent);
        // More than the limit at once is never refused for ever: an album goes through when nothing was sent before.
        const over = recent.length + messages - limit.messages;
        const freed = recent[Math.min(over, recent.length) - 1];
        return over > 0 && freed !== undefined ? freed + limit.windowMs - time : 0;
      });
      const waitMs = Math.max(0, ...waits);
      if (waitMs > 0) {
        const seconds = Math.max(1, Math.ceil(waitMs / 1000));
        throw new ApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
      }
      for (const { key } of windows) spent.get(key)?.push(...Array.from({ length: messages }, () => time));
    },
  };
}

function windowsOf(limits: FloodLimits, bot: Bot, chat: Chat): readonly Window[] {
  const {
    perChat = { messages: 1, windowMs: 1_000 },
    perGroup = { messages: 20, windowMs: 60_000 },
    global = { messages: 30, windowMs: 1_000 },
  } = limits;
  const own = `${bot.user.id}:${chat.id}`;
  const isGroup = chat.type !== "private";
  return [
    ...(perChat ? [{ limit: perChat, key: `chat:${own}` }] : []),
    ...(perGroup && isGroup ? [{ limit: perGroup, key: `group:${own}` }] : []),
    ...(global ? [{ limit: global, key: `all:${bot.user.id}` }] : []),
  ];
}
