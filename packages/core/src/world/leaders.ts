import type { Whereabouts } from "../action/action.ts";
import type { Roles } from "../basic/roles.ts";
import type { Entity, World } from "../room/room.ts";
import type { KeyValues, Rooms } from "../store/store.ts";

/** A server, with a room of it by which it is found again. */
export type LedWorld = { readonly world: World; readonly roomId: string };

/** Which servers somebody leads: for direct messages, which belong to none. */
export interface Leaders {
  /** Whether they are owner or admin there now. */
  leads(world: World, entityId: string): Promise<boolean>;
  /** Those whose settings they have looked at, as far as they still lead them; cheap. */
  known(entityId: string): Promise<readonly LedWorld[]>;
  /** All of them, by looking at every room. */
  all(entityId: string, room: Whereabouts["room"]["room"]): Promise<readonly LedWorld[]>;
  /** They have looked at the settings of a server. */
  note(entityId: string, led: LedWorld): Promise<void>;
}

/** What leaders are found with. */
export type LeadersParts = {
  readonly agentId: string;
  readonly roles: Roles;
  readonly keyValues: Pick<KeyValues, "get" | "set" | "list">;
  readonly rooms: Pick<Rooms, "room" | "rooms" | "entities">;
};

const namespace = "world-leaders";
const mostRooms = 5_000;
const mostNoted = 20;

/** Finds them in the store. Nobody noted costs one look, once. */
export function createLeaders({ agentId, roles, keyValues, rooms }: LeadersParts): Leaders {
  let hasNoted: boolean | null = null;
  const leadsAs = async (world: World, person: Entity | undefined): Promise<boolean> => {
    const rank = person ? (await roles.ranksIn(world)).rankOf(person) : "none";
    return rank === "owner" || rank === "admin";
  };
  const person = async (entityId: string): Promise<Entity | undefined> =>
    (await rooms.entities(agentId, [entityId]))[0];
  const noted = async (entityId: string): Promise<readonly string[]> => {
    hasNoted ??= (await keyValues.list(agentId, namespace, { limit: 1 })).length > 0;
    const kept = hasNoted ? await keyValues.get(agentId, namespace, entityId) : null;
    return kept?.value.split(" ") ?? [];
  };
  const among = async (worlds: readonly LedWorld[], entityId: string): Promise<readonly LedWorld[]> => {
    const who = worlds.length > 0 ? await person(entityId) : undefined;
    const led = await Promise.all(worlds.map(({ world }) => leadsAs(world, who)));
    return worlds.filter((_, at) => led[at] === true);
  };
  return {
    leads: async (world, entityId) => leadsAs(world, await person(entityId)),
    async known(entityId) {
      const rows = await Promise.all((await noted(entityId)).map((roomId) => rooms.room(agentId, roomId)));
      return among(worldsOf(rows.flatMap((row) => row ?? [])), entityId);
    },
    async all(entityId, { platform, account }) {
      const rows = await rooms.rooms(agentId, { limit: mostRooms });
      const here = rows.filter(({ room }) => room.platform === platform && room.account === account);
      return among(worldsOf(here), entityId);
    },
    async note(entityId, { world, roomId }) {
      const [ids, led] = [await noted(entityId), await this.known(entityId)];
      if (led.some((one) => one.world.id === world.id)) return;
      const value = [...ids, roomId].slice(-mostNoted).join(" ");
      await keyValues.set(agentId, namespace, entityId, { value });
      hasNoted = true;
    },
  };
}

/** Every server once. */
function worldsOf(rows: readonly Whereabouts["room"][]): readonly LedWorld[] {
  const found = new Map<string, LedWorld>();
  for (const { world, room } of rows) {
    if (world && !found.has(world.id)) found.set(world.id, { world, roomId: room.id });
  }
  return [...found.values()];
}
