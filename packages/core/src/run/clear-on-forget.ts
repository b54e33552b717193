import type { Store } from "../store/store.ts";

/**
 * The store, whose forgetting also clears what the engine itself holds of texts: a part that became a tombstone is written anew
 * when it is needed, and nothing forgotten stays in memory.
 */
export function clearOnForget(store: Store, clear: () => void): Store {
  return {
    ...store,
    admin: {
      ...store.admin,
      async forget(agentId, forgetting) {
        const forgotten = await store.admin.forget(agentId, forgetting);
        clear();
        return forgotten;
      },
    },
  };
}
