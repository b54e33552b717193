import type { Client, Delivery, SendResult } from "@troupe/core";
import { place } from "./project.ts";

/** A client that takes no time, and says when something was sent. */
export type BenchClient = Client & {
  /** Resolves with `performance.now()` at the next send that begins a message. */
  nextSend(): Promise<number>;
};

/** A client without a platform. With `hasEdits` answers are streamed to it. */
export function createBenchClient({ hasEdits }: { readonly hasEdits: boolean }): BenchClient {
  let tell: ((at: number) => void) | undefined;
  const sent = (delivery: Delivery): SendResult => ({ type: "sent", platformId: delivery.key });
  return {
    ...place,
    limits: { textLength: 4_000, unit: "utf16" },
    start: async () => undefined,
    async send(delivery) {
      const heard = tell;
      tell = undefined;
      heard?.(performance.now());
      return sent(delivery);
    },
    guarantee: () => "nonce",
    ...(hasEdits && {
      edits: { intervalMs: 0, edit: async (_platformId: string, delivery: Delivery) => sent(delivery) },
    }),
    nextSend: () =>
      new Promise((resolve) => {
        tell = resolve;
      }),
  };
}
