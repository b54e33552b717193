import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { ValidationError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store, StoreAdmin } from "../store/store.ts";
import { currentWork, nextOccurrence } from "./current-work.ts";
import type { PluginMemories } from "./runtime.ts";

/** What memories are read and kept with. */
export type MemoriesParts = {
  readonly agentId: string;
  readonly memories: Store["memories"];
  readonly admin: Pick<StoreAdmin, "write">;
  readonly clock: Clock;
  /** Ids for what is written outside any piece of work. */
  readonly newId: () => string;
};

/** The agent's memories as plugins use them. */
export function createPluginMemories(parts: MemoriesParts): PluginMemories {
  const { agentId, memories, admin, clock } = parts;
  return {
    get: (ids) => memories.get(agentId, ids),
    recent: (query) => memories.recent(agentId, query),
    search: (query) => memories.search(agentId, query),
    async create(given) {
      if (typeof given.content?.text !== "string") {
        throw new ValidationError('a memory has no text; create it with content: { text: "…" }');
      }
      const runId = given.runId ?? currentWork(agentId)?.runId;
      const id = given.id ?? newMemoryId(parts, given);
      const memory: Memory = { ...given, id, agentId, createdAt: clock.now(), ...(runId !== undefined && { runId }) };
      await admin.write(agentId, [{ type: "memory.put", memory }]);
      // The first one wins, and may be there already.
      return (await memories.get(agentId, [id]))[0] ?? memory;
    },
  };
}

/** Within a piece of work the same memory has the same id each time the work is done; outside every one is new. */
function newMemoryId({ agentId, newId }: MemoriesParts, given: Parameters<PluginMemories["create"]>[0]): string {
  const work = currentWork(agentId);
  if (!work) return newId();
  const { roomId, entityId, type, content, metadata } = given;
  const print = hash("sha256", JSON.stringify([roomId, entityId, type, content, metadata ?? null]), "hex");
  return deriveId("memory", agentId, work.runId ?? "", work.workId, print, String(nextOccurrence(agentId, print)));
}
