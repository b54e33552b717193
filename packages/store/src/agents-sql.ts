import type { DatabaseSync } from "node:sqlite";
import { prepare } from "./statement.ts";

/**
 * Agents by their number: every table and key begins with it, and a number is an eighth of an id's size.
 * Numbers are remembered; a transaction that was undone may have undone a number too, so it calls `forget`.
 */
export interface Agents {
  /** The agent's number, given now if it has none. */
  number(agentId: string): number;
  /** The agent's number, or 0, which no agent has. */
  known(agentId: string): number;
  forget(): void;
}

/** Agents of one database. */
export function createAgents(database: DatabaseSync): Agents {
  const select = prepare<readonly [number]>(database, "select no from agent where id = ?");
  const insert = prepare(database, "insert into agent(id) values(?)");
  const numbers = new Map<string, number>();

  const known = (agentId: string): number => {
    const remembered = numbers.get(agentId);
    if (remembered !== undefined) return remembered;
    const found = select.get(agentId)?.[0];
    if (found === undefined) return 0;
    numbers.set(agentId, found);
    return found;
  };

  return {
    known,
    number: (agentId) => {
      const found = known(agentId);
      if (found !== 0) return found;
      insert.run(agentId);
      return known(agentId);
    },
    forget: () => numbers.clear(),
  };
}
