import { StoreError } from "../errors.ts";
import type { Relationship, Relationships } from "../store/relationships.ts";
import type { Task, Tasks } from "../store/tasks.ts";
import { roomNow, type TableAccess, type Tables } from "./memory-tables.ts";

/** Relationships of a store in memory. */
export function createMemoryRelationships({ look }: TableAccess): Relationships {
  return {
    of: (agentId, entityId, { tag } = {}) =>
      look(agentId, ({ relationships }) =>
        [...relationships.values()]
          .filter(({ fromId, toId }) => fromId === entityId || toId === entityId)
          .filter(({ tags }) => tag === undefined || tags.includes(tag.toLowerCase()))
          .toSorted((a, b) => b.updatedAt - a.updatedAt || compare(a.fromId, b.fromId) || compare(a.toId, b.toId)),
      ),
  };
}

/** Tasks of a store in memory. */
export function createMemoryTasks({ look }: TableAccess): Tasks {
  return {
    get: (agentId, id) => look(agentId, ({ tasks }) => tasks.get(id) ?? null),
    list: (agentId, { limit, states, kind, roomId, entityId }) =>
      look(agentId, (tables) => {
        const room = roomId === undefined ? undefined : roomNow(tables, roomId);
        return [...tables.tasks.values()]
          .filter((task) => states === undefined || states.includes(task.state))
          .filter((task) => kind === undefined || task.kind === kind)
          .filter((task) => room === undefined || task.roomId === room)
          .filter((task) => entityId === undefined || task.entityId === entityId)
          .toSorted(
            (a, b) => (a.nextAt ?? never) - (b.nextAt ?? never) || a.createdAt - b.createdAt || compare(a.id, b.id),
          )
          .slice(0, limit);
      }),
  };
}

/** The key of what is between two entities. */
export function relationshipKey(fromId: string, toId: string): string {
  return JSON.stringify([fromId, toId]);
}

/** Puts what is between two entities in the place of what was. */
export function putRelationship(tables: Tables, relationship: Relationship): void {
  const { fromId, toId, tags } = relationship;
  const sorted = [...new Set(tags.map((tag) => tag.toLowerCase()))].toSorted();
  tables.relationships.set(relationshipKey(fromId, toId), throughJson({ ...relationship, tags: sorted }));
}

/** Puts a task in the place of the one before. @throws StoreError `invalid` for a time that is none. */
export function putTask(tables: Tables, task: Task): void {
  for (const at of [task.nextAt ?? 0, task.createdAt, task.lastAt ?? 0]) {
    if (Number.isSafeInteger(at)) continue;
    throw new StoreError("invalid", `task ${task.id} has a time ${at}, which is none; give whole epoch milliseconds`);
  }
  const { roomId } = task;
  const here = roomId === undefined ? task : { ...task, roomId: roomNow(tables, roomId) };
  tables.tasks.set(task.id, throughJson(here));
}

/** Later than any time there is. */
const never = Number.MAX_SAFE_INTEGER;

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** What JSON makes of it, without halves of characters. */
function throughJson<Value extends object>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member)),
  );
}
