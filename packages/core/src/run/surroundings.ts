import type { Roles } from "../basic/roles.ts";
import type { Surroundings } from "../state/surroundings.ts";
import type { Store } from "../store/store.ts";

/** What the built-in providers see of an agent's world: its store, and who has which role. */
export function createSurroundings(parts: {
  readonly agentId: string;
  readonly store: Pick<Store, "rooms" | "memories">;
  readonly roles: Roles;
}): Surroundings {
  const { agentId, store, roles } = parts;
  return {
    room: (roomId) => store.rooms.room(agentId, roomId),
    people: (roomId, limit) => store.rooms.participants(agentId, { roomId, limit }),
    ranksIn: (world) => roles.ranksIn(world),
    recent: (roomId, limit) => store.memories.recent(agentId, { roomId, limit }),
  };
}
