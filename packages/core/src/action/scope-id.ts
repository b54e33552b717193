import type { Scope } from "./policy.ts";

/** Who speaks, where, and to whom. */
export type ScopeIds = { readonly agentId: string; readonly roomId: string; readonly entityId: string };

/** The name of whom a limit or lock counts for, e.g. `room:4f…`. */
export function scopeId(scope: Scope, { agentId, roomId, entityId }: ScopeIds): string {
  switch (scope) {
    case "entity":
      return `entity:${entityId}`;
    case "room":
      return `room:${roomId}`;
    case "agent":
      return `agent:${agentId}`;
  }
}
