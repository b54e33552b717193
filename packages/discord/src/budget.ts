import type { Clock } from "@troupe/core";

/** What the platform's headers say of edits, by channel. */
export type EditBudget = {
  note(channelId: string, told: { readonly remaining: number; readonly resetInMs: number }): void;
  /** How long an edit that is not the last has to wait so that one slot stays free; 0 when it may go now. */
  waitMs(channelId: string): number;
};

/** So many channels are remembered; a forgotten one counts as free. */
const keptChannels = 1_000;
/** Left for the final text. */
const reserved = 1;

/** An empty budget: nothing was told, so everything may go. */
export function createEditBudget(clock: Pick<Clock, "now">): EditBudget {
  const known = new Map<string, { readonly remaining: number; readonly resetAt: number }>();
  return {
    note(channelId, { remaining, resetInMs }) {
      known.delete(channelId);
      known.set(channelId, { remaining, resetAt: clock.now() + resetInMs });
      const oldest = known.keys().next().value;
      if (known.size > keptChannels && oldest !== undefined) known.delete(oldest);
    },
    waitMs(channelId) {
      const told = known.get(channelId);
      if (!told || told.remaining > reserved) return 0;
      return Math.max(0, told.resetAt - clock.now());
    },
  };
}
