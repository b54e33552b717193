import type { DeliveryRow } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import type { Data } from "./data.ts";
import type { Player } from "./players.ts";

/** A delivery and whose it is. */
export type PlayerDelivery = { readonly player: Player; readonly row: DeliveryRow };

/** The newest deliveries of all characters, newest first. */
export async function newestDeliveries(
  { store, players }: Data,
  query: { readonly limit: number; readonly states?: readonly DeliveryRow["state"][] },
): Promise<readonly PlayerDelivery[]> {
  const lists = await Promise.all(
    players.map(async (player) => {
      const rows = await store.outbox.list(player.agentId, { ...query, newestFirst: true });
      return rows.map((row) => ({ player, row }));
    }),
  );
  return lists
    .flat()
    .sort((a, b) => b.row.createdAt - a.row.createdAt)
    .slice(0, query.limit);
}

const longestScan = 10_000;
const shownCandidates = 5;

/**
 * A delivery by its key, a key with its run's id cut short (as lists show it), or an unambiguous beginning of the key.
 * @throws TroupeError `not_found` or `invalid`, naming deliveries it may be.
 */
export async function findDelivery(data: Data, wanted: string): Promise<PlayerDelivery> {
  for (const player of data.players) {
    const row = await data.store.outbox.get(player.agentId, wanted);
    if (row) return { player, row };
  }
  const all = await newestDeliveries(data, { limit: longestScan });
  const found = wanted === "" ? [] : all.filter(({ row }) => isMeant(row.delivery.key, wanted));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (only)
    throw new TroupeError("invalid", `Several deliveries are called ${wanted}; write more of one key:${list(found)}`);
  const known = all.length === 0 ? " There are none yet." : ` The newest are:${list(all)}`;
  throw new TroupeError("not_found", `There is no delivery ${wanted.slice(0, 120)}.${known}`);
}

function isMeant(key: string, wanted: string): boolean {
  if (key.startsWith(wanted)) return true;
  const [run = "", ...rest] = wanted.split("/");
  const [keyRun = "", ...keyRest] = key.split("/");
  return rest.length > 0 && run !== "" && keyRun.startsWith(run) && keyRest.join("/") === rest.join("/");
}

function list(deliveries: readonly PlayerDelivery[]): string {
  const shown = deliveries
    .slice(0, shownCandidates)
    .map(({ player, row }) => `\n  ${row.delivery.key}  ${player.name}, ${row.state}`);
  const more = deliveries.length - shown.length;
  return `${shown.join("")}${more > 0 ? `\n  and ${more} more: troupe deliveries` : ""}`;
}
