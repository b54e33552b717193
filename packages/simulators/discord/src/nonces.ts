import { findMessage } from "./message-payload.ts";
import type { Message, World } from "./world.ts";

/** The messages of enforced nonces, for a few minutes. */
export type Nonces = {
  find(authorId: string, nonce: string | number): Message | null;
  keep(message: Message): void;
};

/** Makes an empty memory. */
export function createNonces(world: World, ttlMs: number): Nonces {
  // Oldest first, as maps keep their order.
  const kept = new Map<string, { readonly channelId: string; readonly messageId: string; readonly atMs: number }>();
  const forget = (): void => {
    for (const [key, { atMs }] of kept) {
      if (world.clock.now() - atMs <= ttlMs) return;
      kept.delete(key);
    }
  };
  return {
    find(authorId, nonce) {
      forget();
      const found = kept.get(`${authorId}/${nonce}`);
      return found ? findMessage(world, found.channelId, found.messageId) : null;
    },
    keep({ id, channelId, authorId, nonce }) {
      if (nonce === null) return;
      forget();
      kept.set(`${authorId}/${nonce}`, { channelId, messageId: id, atMs: world.clock.now() });
    },
  };
}
