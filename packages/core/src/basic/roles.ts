import type { World } from "../room/room.ts";
import type { KeyValues } from "../store/store.ts";

/** What somebody may do in a world. `owner` comes from the platform and cannot be given. */
export type Role = "owner" | "admin" | "member" | "none";

/** The roles that can be given. */
export const givenRoles = ["admin", "member", "none"] as const satisfies readonly Role[];

/** Who has which role in which world. */
export interface Roles {
  roleOf(world: World, entity: { readonly id: string; readonly platformId: string }): Promise<Role>;
  give(world: World, entityId: string, role: (typeof givenRoles)[number]): Promise<void>;
}

const namespace = "role";

/** Roles kept by the agent itself. Without one somebody is a member; whom the platform names as owner always is one. */
export function createRoles({
  agentId,
  keyValues,
}: {
  readonly agentId: string;
  readonly keyValues: KeyValues;
}): Roles {
  const key = (world: World, entityId: string): string => JSON.stringify([world.id, entityId]);
  return {
    async roleOf(world, { id, platformId }) {
      if (world.data?.["ownerId"] === platformId) return "owner";
      const kept = await keyValues.get(agentId, namespace, key(world, id));
      return givenRoles.find((role) => role === kept?.value) ?? "member";
    },
    async give(world, entityId, role) {
      await keyValues.set(agentId, namespace, key(world, entityId), { value: role });
    },
  };
}
