import { entityIdOf } from "../memory/message-id.ts";
import type { Entity, World } from "../room/room.ts";
import type { KeyValues, Rooms } from "../store/store.ts";

/** What somebody may do in a world. `owner` comes from the platform and cannot be given. */
export type Role = "owner" | "admin" | "member" | "none";

/** The roles that can be given. */
export const givenRoles = ["admin", "member", "none"] as const satisfies readonly Role[];

type GivenRole = (typeof givenRoles)[number];

/** Who has which role in one world, as it is known now. */
type WorldRoles = {
  rankOf(entity: Pick<Entity, "id" | "platformId">): Role;
  /** The owner and the admins that are known by name, the owner first, at most `limit`. */
  leaders(limit: number): Promise<readonly { readonly person: Entity; readonly rank: Role }[]>;
};

/** Who has which role in which world. */
export interface Roles {
  ranksIn(world: World): Promise<WorldRoles>;
  give(world: World, entityId: string, role: GivenRole): Promise<void>;
  /** Who was given a role keeps it when the platform gives the world another id. */
  move(fromWorldId: string, toWorldId: string): Promise<void>;
}

/** What roles are kept with. */
export type RoleParts = {
  readonly agentId: string;
  readonly keyValues: Pick<KeyValues, "get" | "set">;
  readonly rooms: Pick<Rooms, "entities">;
};

const namespace = "roles";
/** Somebody else may give a role in the same world at the same time. */
const giveAttempts = 10;

/**
 * The one place that says where a rank comes from: whom the platform names as owner (`data.ownerId` of the world) always is one;
 * else what somebody was given counts, else whether the platform names them as admin (`data.adminIds`); all others are members.
 * The ids are the platform's own.
 */
export function createRoles({ agentId, keyValues, rooms }: RoleParts): Roles {
  const read = async (
    world: Pick<World, "id" | "name">,
  ): Promise<{ readonly given: Given; readonly version: number }> => {
    const kept = await keyValues.get(agentId, namespace, world.id);
    return { given: readGiven(kept?.value), version: kept?.version ?? 0 };
  };
  const change = async (
    world: Pick<World, "id" | "name">,
    by: (given: Given) => readonly (readonly [string, GivenRole])[],
  ): Promise<void> => {
    for (let attempt = 0; attempt < giveAttempts; attempt++) {
      const { given, version } = await read(world);
      const value = JSON.stringify(Object.fromEntries(by(given)));
      if (await keyValues.set(agentId, namespace, world.id, { value, ifVersion: version })) return;
    }
    throw new Error(`the roles of ${world.name ?? world.id} changed all the while; try again`);
  };
  return {
    async ranksIn(world) {
      const { given } = await read(world);
      const rankOf = rankIn(world, given);
      return { rankOf, leaders: (limit) => findLeaders(limit, { world, given, rankOf, agentId, rooms }) };
    },
    give: (world, entityId, role) => change(world, (given) => [...given, [entityId, role]]),
    async move(fromWorldId, toWorldId) {
      if (fromWorldId === toWorldId) return;
      const { given: moved } = await read({ id: fromWorldId });
      if (moved.size > 0) await change({ id: toWorldId }, (given) => [...moved, ...given]);
    },
  };
}

/** By entity id. */
type Given = ReadonlyMap<string, GivenRole>;

function readGiven(value: string | undefined): Given {
  if (value === undefined) return new Map();
  const kept: unknown = JSON.parse(value);
  if (typeof kept !== "object" || kept === null) return new Map();
  return new Map(
    Object.entries(kept).flatMap(([id, role]) => {
      const known = givenRoles.find((one) => one === role);
      return known ? [[id, known] as const] : [];
    }),
  );
}

function rankIn(world: World, given: Given): WorldRoles["rankOf"] {
  const adminIds = new Set(platformAdmins(world));
  const ownerId = world.data?.["ownerId"];
  return ({ id, platformId }) => {
    if (ownerId === platformId) return "owner";
    return given.get(id) ?? (adminIds.has(platformId) ? "admin" : "member");
  };
}

function platformAdmins({ data }: World): readonly string[] {
  const ids = data?.["adminIds"];
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string") : [];
}

type Looking = Pick<RoleParts, "agentId" | "rooms"> & {
  readonly world: World;
  readonly given: Given;
  readonly rankOf: WorldRoles["rankOf"];
};

async function findLeaders(
  limit: number,
  { world, given, rankOf, agentId, rooms }: Looking,
): ReturnType<WorldRoles["leaders"]> {
  const { platform, account, data } = world;
  const ownerId = data?.["ownerId"];
  const fromPlatform = [...(typeof ownerId === "string" ? [ownerId] : []), ...platformAdmins(world)];
  const wanted = new Set([
    ...fromPlatform.map((platformId) => entityIdOf(platform, account, platformId)),
    ...[...given].flatMap(([id, role]) => (role === "admin" ? [id] : [])),
  ]);
  if (wanted.size === 0) return [];
  const order = [...wanted];
  const people = await rooms.entities(agentId, order.slice(0, 4 * limit));
  return people
    .map((person) => ({ person, rank: rankOf(person) }))
    .filter(({ rank }) => rank === "owner" || rank === "admin")
    .toSorted((a, b) => order.indexOf(a.person.id) - order.indexOf(b.person.id))
    .slice(0, limit);
}
