import type { Clock } from "@troupe/core";

/** So many messages within so long. */
type Rate = { readonly messages: number; readonly windowMs: number };

/** What Telegram lets a bot send; edits count as messages. */
export type Rates = { readonly perChat: Rate; readonly perGroup: Rate; readonly overall: Rate };

/** @see https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this */
export const telegramRates: Rates = {
  perChat: { messages: 1, windowMs: 1_050 },
  perGroup: { messages: 20, windowMs: 60_500 },
  overall: { messages: 30, windowMs: 1_050 },
};

/** What is spent by whatever a bot sends or edits. Telegram tells nothing of it in headers, only "wait" when it is too late. */
export type Budget = {
  /** Spends one message and gives 0; or spends nothing and gives the milliseconds to wait. */
  spend(chatId: string, importance: Importance): number;
  /** Telegram asked to wait with this chat. True when it did not already. */
  pause(chatId: string, ms: number): boolean;
  /** Something went through. */
  recover(chatId: string): void;
};

/** `passing`: an edit of a growing text, which may be left out; what is `needed` always finds room that those leave. */
export type Importance = "needed" | "passing";

/** Of a group's messages so many are never spent on edits that may be left out. */
const groupReserve = 5;

/** A budget of one bot. Bounded: chats that were quiet for a minute are forgotten. */
export function createBudget(rates: Rates | false, clock: Pick<Clock, "now">): Budget {
  const spent = new Map<string, number[]>();
  const pausedUntil = new Map<string, number>();
  const longestWindowMs = rates === false ? 0 : Math.max(...Object.values(rates).map(({ windowMs }) => windowMs));
  let calls = 0;

  const forgetQuiet = (now: number): void => {
    calls += 1;
    if (calls % 500 !== 0) return;
    for (const [key, times] of spent) if ((times.at(-1) ?? 0) < now - 120_000) spent.delete(key);
    for (const [key, until] of pausedUntil) if (until < now - 120_000) pausedUntil.delete(key);
  };

  const waitFor = (key: string, { messages, windowMs }: Rate, now: number): number => {
    const recent = (spent.get(key) ?? []).filter((at) => at > now - windowMs);
    const oldest = recent.at(-messages);
    return oldest === undefined ? 0 : oldest + windowMs - now;
  };

  const keep = (key: string, now: number): void => {
    const times = spent.get(key) ?? [];
    while ((times[0] ?? now) < now - longestWindowMs) times.shift();
    times.push(now);
    spent.set(key, times);
  };

  return {
    spend(chatId, importance) {
      const now = clock.now();
      forgetQuiet(now);
      const paused = (pausedUntil.get(chatId) ?? 0) - now;
      if (rates === false) return Math.max(0, paused);
      const windows = windowsOf(rates, chatId, importance);
      const waitMs = Math.max(paused, ...windows.map(({ key, rate }) => waitFor(key, rate, now)));
      if (waitMs > 0) return waitMs;
      for (const key of new Set(windows.map((window) => window.key))) keep(key, now);
      return 0;
    },
    pause(chatId, ms) {
      const isNew = !pausedUntil.has(chatId);
      pausedUntil.set(chatId, clock.now() + ms);
      return isNew;
    },
    recover(chatId) {
      if ((pausedUntil.get(chatId) ?? 0) <= clock.now()) pausedUntil.delete(chatId);
    },
  };
}

/** What a message to a chat spends from; an edit that may be left out also keeps to an even pace in groups. */
function windowsOf(rates: Rates, chatId: string, importance: Importance) {
  const { perChat, perGroup, overall } = rates;
  const isGroup = !/^\d/.test(chatId);
  const chat = { key: `chat:${chatId}`, rate: perChat };
  const all = { key: "all", rate: overall };
  if (!isGroup) return [chat, all];
  const group = { key: `group:${chatId}`, rate: perGroup };
  if (importance === "needed") return [chat, group, all];
  const messages = Math.max(1, perGroup.messages - groupReserve);
  return [
    chat,
    all,
    { key: group.key, rate: { messages, windowMs: perGroup.windowMs } },
    { key: group.key, rate: { messages: 1, windowMs: perGroup.windowMs / perGroup.messages } },
  ];
}
