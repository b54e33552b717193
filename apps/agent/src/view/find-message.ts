import type { DeliveryRow, Memory } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { messageMemoryId } from "@troupe/core/memory";
import { allRooms, type Data, type PlayerMemory } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Player } from "./players.ts";

/** What somebody means by a message: a memory, a delivery, or both. */
export type FoundMessage = {
  readonly player: Player;
  readonly memory: Memory | null;
  readonly delivery: DeliveryRow | null;
};

/**
 * The messages somebody means by a memory's id or a beginning of it, a platform's id, a link, a delivery's key, or `last` (the
 * last one heard). One for each character that knows it; none when nobody does.
 * @throws TroupeError `invalid` when one character knows several of them, `not_found` for `last` when nothing was heard yet.
 */
export async function findMessages(data: Data, wanted: string): Promise<readonly FoundMessage[]> {
  if (wanted === "last") return [await lastHeard(data)];
  const ways = [byDeliveryKey, byMemoryId, byPlatformId, byBeginning];
  for (const way of ways) {
    const found = await way(data, wanted);
    if (found.length > 0) return onePerPlayer(found, wanted);
  }
  return [];
}

async function lastHeard({ store, players }: Data): Promise<FoundMessage> {
  const heard = await Promise.all(
    players.map(async (player) => ({ player, memory: await store.memories.lastHeard(player.agentId) })),
  );
  const newest = heard.sort((a, b) => (b.memory?.createdAt ?? 0) - (a.memory?.createdAt ?? 0))[0];
  if (newest?.memory) return { ...newest, delivery: null };
  throw new TroupeError("not_found", "Nothing was heard yet; say something with: npm start");
}

async function byDeliveryKey({ store, players }: Data, wanted: string): Promise<readonly FoundMessage[]> {
  const found = await Promise.all(
    players.map(async (player): Promise<readonly FoundMessage[]> => {
      const delivery = await store.outbox.get(player.agentId, wanted);
      if (!delivery) return [];
      const { platform, account, target: room, key } = delivery.delivery;
      const message = delivery.platformId ?? key;
      const id = messageMemoryId({ platform, account, room, message });
      const [memory = null] = await store.memories.get(player.agentId, [id]);
      return [{ player, memory, delivery }];
    }),
  );
  return found.flat();
}

async function byMemoryId({ store, players }: Data, wanted: string): Promise<readonly FoundMessage[]> {
  return collect(players, (player) => store.memories.get(player.agentId, [wanted.toLowerCase()]));
}

async function byPlatformId({ store, players }: Data, wanted: string): Promise<readonly FoundMessage[]> {
  return collect(players, (player) => store.memories.byPlatformId(player.agentId, wanted));
}

const shortestBeginning = 4;
/** So many messages of each room are looked through for an id's beginning: the newest ones. */
const lookedThrough = 500;

async function byBeginning(data: Data, wanted: string): Promise<readonly FoundMessage[]> {
  const beginning = wanted.toLowerCase();
  if (beginning.length < shortestBeginning || !/^[0-9a-f-]+$/u.test(beginning)) return [];
  const recent = await recentMemories(data, lookedThrough);
  return recent
    .filter(({ memory }) => memory.id.startsWith(beginning))
    .map(({ player, memory }) => ({ player, memory, delivery: null }));
}

async function collect(
  players: readonly Player[],
  look: (player: Player) => Promise<readonly Memory[]>,
): Promise<readonly FoundMessage[]> {
  const found = await Promise.all(
    players.map(async (player) => (await look(player)).map((memory) => ({ player, memory, delivery: null }))),
  );
  return found.flat();
}

function onePerPlayer(found: readonly FoundMessage[], wanted: string): readonly FoundMessage[] {
  const agents = new Set(found.map(({ player }) => player.agentId));
  if (agents.size === found.length) return found;
  const list = found.map(({ player, memory }) => {
    return `\n  ${memory?.id ?? ""}  ${player.name}, ${memory ? formatLocalTime(memory.createdAt) : ""}`;
  });
  throw new TroupeError(
    "invalid",
    `Several messages are called ${wanted}; write the id of one of them:${list.join("")}`,
  );
}

/** The newest messages of every room, oldest first within a room. */
async function recentMemories(data: Data, perRoom: number): Promise<readonly PlayerMemory[]> {
  const rooms = await allRooms(data);
  const lists = await Promise.all(
    rooms.map(async ({ player, row }) => {
      const memories = await data.store.memories.recent(player.agentId, { roomId: row.room.id, limit: perRoom });
      return memories.map((memory) => ({ player, memory }));
    }),
  );
  return lists.flat();
}

const shownNeighbours = 5;

/** Heard messages whose platform ids are nearest to one that is not known; the newest ones when it is no number. */
export async function findNearby(data: Data, wanted: string): Promise<readonly Memory[]> {
  const recent = await recentMemories(data, 50);
  const memories = recent
    .map(({ memory }) => memory)
    .filter(({ platformId, entityId, agentId }) => platformId !== undefined && entityId !== agentId);
  const target = numberOf(
    wanted
      .replace(/[?#].*$/su, "")
      .replace(/\/+$/u, "")
      .split("/")
      .at(-1) ?? "",
  );
  const ordered = memories.toSorted((a, b) => {
    const near = target === null ? 0 : compare(distance(a, target), distance(b, target));
    return near || b.createdAt - a.createdAt;
  });
  return ordered.slice(0, shownNeighbours);
}

function numberOf(text: string): bigint | null {
  return /^\d{1,40}$/u.test(text) ? BigInt(text) : null;
}

function distance(memory: Memory, target: bigint): bigint | null {
  const number = numberOf(memory.platformId ?? "");
  if (number === null) return null;
  return number > target ? number - target : target - number;
}

function compare(a: bigint | null, b: bigint | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
