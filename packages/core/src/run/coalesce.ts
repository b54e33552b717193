import { type Character, platformSettings } from "../character/character.ts";
import type { Client } from "../client/client.ts";
import type { InboxRow, Lease } from "../store/store.ts";
import type { RunParts } from "./run.ts";

/** Whether this character joins messages on any of these platforms; if not, nothing need be looked up. */
export function mayCoalesce(character: Character, clients: readonly Pick<Client, "platform">[]): boolean {
  return clients.some(({ platform }) => waitMsOn(character, platform) > 0);
}

/**
 * The lease with only those inputs that are answered together: the oldest alone, or, where the character joins messages, its
 * unclaimed neighbours by the same person, after waiting for them. Commands and posts on X are never joined, and what a run has
 * frozen stays as it is.
 */
export async function coalesce(lease: Lease, parts: RunParts, signal: AbortSignal): Promise<Lease> {
  if (lease.openRunId !== undefined) return lease;
  const [first] = lease.inputs;
  const alone: Lease = { ...lease, inputs: lease.inputs.slice(0, 1) };
  if (!parts.mayCoalesce || first?.kind !== "message") return alone;
  const room = await parts.store.rooms.room(lease.fence.agentId, lease.fence.contextId);
  const platform = room?.room.platform ?? "";
  const waitMs = waitMsOn(parts.character, platform);
  if (waitMs === 0) return alone;
  await parts.clock.sleep(waitMs, signal);
  const waiting = await parts.store.inbox.waiting(lease.fence);
  return { ...lease, inputs: neighbours(waiting) };
}

/** A person at a terminal waits for the answer: there only the terminal's own setting counts. */
function waitMsOn(character: Character, platform: string): number {
  if (platform === "twitter") return 0;
  const own = platform === "terminal" ? character.platforms["terminal"] : platformSettings(character, platform);
  return own?.coalesceMs ?? 0;
}

function neighbours(rows: readonly InboxRow[]): readonly InboxRow[] {
  const [first] = rows;
  const other = rows.findIndex((row) => row.entityId !== first?.entityId || row.kind !== "message");
  return other === -1 ? rows : rows.slice(0, Math.max(1, other));
}
