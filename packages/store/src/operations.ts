import type { DatabaseSync } from "node:sqlite";
import { type Agents, createAgents } from "./agents-sql.ts";
import { checkPages } from "./check.ts";
import { createInboxSql } from "./inbox-sql.ts";
import { createJobsSql, type JobsSql } from "./jobs-sql.ts";
import { createJournalSql } from "./journal-sql.ts";
import { createKeyValuesSql } from "./key-values-sql.ts";
import { createMemoriesSql } from "./memories-sql.ts";
import { createOutboxSql } from "./outbox-sql.ts";
import { createPluginTablesSql, type PluginTablesSql } from "./plugin-tables-sql.ts";
import type { EncodedWrite, OperationName, Operations } from "./protocol.ts";
import { createRoomsSql, type RoomsSql } from "./rooms-sql.ts";
import { createSearchSql, type SearchSql } from "./search-sql.ts";

/** One thing that can be asked of the file. `isWrite` ones run inside a transaction. The answer is JSON text or null. */
export type Operation = { readonly isWrite: boolean; run(args: readonly unknown[]): string | null };

type Run<Name extends OperationName> = (args: Operations[Name]) => string | null;
type Group<Prefix extends string> = {
  readonly [Name in OperationName & `${Prefix}.${string}`]: { readonly isWrite: boolean; readonly run: Run<Name> };
};

/** Everything that can be asked of one open database. */
export type Database = {
  readonly operation: (name: OperationName) => Operation;
  /** Must be called when a transaction, or a part of one, was undone. */
  readonly forget: () => void;
  readonly search: SearchSql;
};

type Tables = {
  readonly agents: Agents;
  readonly rooms: RoomsSql;
  readonly memories: ReturnType<typeof createMemoriesSql>;
  readonly inbox: ReturnType<typeof createInboxSql>;
  readonly journal: ReturnType<typeof createJournalSql>;
  readonly outbox: ReturnType<typeof createOutboxSql>;
  readonly jobs: JobsSql;
};

const read = <R>(run: R): { readonly isWrite: false; readonly run: R } => ({ isWrite: false, run });
const write = <R>(run: R): { readonly isWrite: true; readonly run: R } => ({ isWrite: true, run });
const nothing = (_: void): null => null;

/** All operations of a database. `look` answers `admin.look`. */
export function createOperations(database: DatabaseSync, look: () => string): Database {
  const agents = createAgents(database);
  const search = createSearchSql(database);
  const plugins = createPluginTablesSql(database);
  const tables: Tables = {
    agents,
    rooms: createRoomsSql(database),
    memories: createMemoriesSql(database),
    inbox: createInboxSql(database),
    journal: createJournalSql(database),
    outbox: createOutboxSql(database),
    jobs: createJobsSql(database),
  };
  const all = {
    ...inboxOperations(tables),
    ...journalOperations(tables),
    ...memoryOperations(tables, search),
    ...roomOperations(tables),
    ...keyValueOperations(agents, database),
    ...jobOperations(tables),
    ...tableOperations(plugins),
    "admin.write": write<Run<"admin.write">>(([agentId, writes, now]) =>
      nothing(applyWrites(tables, agents.number(agentId), { writes, now })),
    ),
    "admin.look": read<Run<"admin.look">>(look),
    "admin.check": read<Run<"admin.check">>(([deep]) => JSON.stringify(checkPages(database, deep))),
  } satisfies { readonly [Name in OperationName]: { readonly isWrite: boolean; readonly run: Run<Name> } };
  const operations = new Map<string, Operation>();
  for (const [name, { isWrite, run }] of Object.entries(all)) {
    // The asking side builds each name's arguments from the same `Operations` type.
    operations.set(name, { isWrite, run: run as (args: readonly unknown[]) => string | null });
  }
  return {
    forget: () => {
      agents.forget();
      plugins.forget();
    },
    search,
    operation: (name) => {
      const found = operations.get(name);
      if (!found) throw new Error(`there is no operation ${name}`);
      return found;
    },
  };
}

function inboxOperations({ agents, rooms, memories, inbox }: Tables): Group<"inbox"> {
  return {
    "inbox.accept": write(([agentId, accept]) => {
      const [eventId, kind, platform, account, at, owner, world, room, entity, memory, contextId] = accept;
      const agent = agents.number(agentId);
      const [memoryId, roomId, entityId] = memory;
      const platformId = memory[5];
      const isDuplicate =
        inbox.isKnown(agent, { platform, account, eventId }) ||
        (platformId !== null && memories.isEcho(agent, roomId, platformId));
      if (isDuplicate) return '{"type":"duplicate"}';
      if (world) rooms.putWorld(agent, world);
      const isNewRoom = !rooms.isKnown(agent, room[0]);
      rooms.putRoom(agent, room);
      rooms.putEntity(agent, entity);
      const event = { contextId, isNewRoom, platform, account, eventId, kind };
      const { json, no } = inbox.add(agentId, agent, { ...event, memoryId, entityId, at, owner });
      memories.put(agent, memory, no);
      return json;
    }),
    "inbox.claim": write(([agentId, owner, limit]) => inbox.claim(agentId, agents.known(agentId), { owner, limit })),
    "inbox.waiting": read((fence) => inbox.waiting(agents.known(fence[0]), fence)),
    "inbox.release": write((fence) => nothing(inbox.release(agents.known(fence[0]), fence))),
    "inbox.recover": write(([agentId]) => JSON.stringify({ freed: inbox.recover(agents.known(agentId)) })),
    "inbox.find": read(([agentId, memoryId]) => inbox.find(agents.known(agentId), memoryId)),
    "inbox.counts": read(([agentId]) => inbox.counts(agents.known(agentId))),
  };
}

function journalOperations(tables: Tables): Group<"journal"> {
  const { agents, inbox, journal } = tables;
  return {
    "journal.append": write(([fence, entries, runs, writes, done, now]) => {
      const [agentId, contextId] = fence;
      const agent = agents.known(agentId);
      const last = inbox.check(agent, fence);
      const next = journal.append(agent, contextId, last, entries);
      if (next !== last) inbox.setLastEntry(agent, fence, next);
      journal.changeRuns(agent, contextId, runs);
      applyWrites(tables, agent, { writes, now });
      return done ? inbox.finish(agent, fence, done) : null;
    }),
    "journal.entries": read(([agentId, runId]) => journal.entries(agents.known(agentId), runId)),
    "journal.parts": read(([agentId, hashes]) => journal.parts(agents.known(agentId), hashes)),
    "journal.run": read(([agentId, id]) => journal.run(agents.known(agentId), id)),
    "journal.runs": read(([agentId, limit, contextId]) => journal.runs(agents.known(agentId), limit, contextId)),
  };
}

function memoryOperations({ agents, memories }: Tables, search: SearchSql): Group<"memories"> {
  return {
    "memories.get": read(([agentId, ids]) => memories.get(agentId, agents.known(agentId), ids)),
    "memories.recent": read(([agentId, recent]) => memories.recent(agentId, agents.known(agentId), recent)),
    "memories.search": read(([agentId, text, limit, roomId, types]) =>
      search.search(agentId, agents.known(agentId), { text, limit, roomId, types }),
    ),
    "memories.byPlatformId": read(([agentId, platformId]) =>
      memories.byPlatformId(agentId, agents.known(agentId), platformId),
    ),
    "memories.lastHeard": read(([agentId, roomId]) => memories.lastHeard(agentId, agents.known(agentId), roomId)),
  };
}

function roomOperations({ agents, rooms, outbox }: Tables): Group<"rooms"> & Group<"outbox"> {
  return {
    "rooms.room": read(([agentId, id]) => rooms.room(agents.known(agentId), id)),
    "rooms.rooms": read(([agentId, limit]) => rooms.rooms(agents.known(agentId), limit)),
    "rooms.entities": read(([agentId, ids]) => rooms.entities(agents.known(agentId), ids)),
    "outbox.get": read(([agentId, key]) => outbox.get(agentId, agents.known(agentId), key)),
    "outbox.list": read(([agentId, states, limit, newestFirst, runId]) =>
      outbox.list(agentId, agents.known(agentId), { states, limit, newestFirst, runId }),
    ),
  };
}

function keyValueOperations(agents: Agents, database: DatabaseSync): Group<"keyValues"> {
  const values = createKeyValuesSql(database);
  return {
    "keyValues.get": read(([agentId, namespace, key, now]) =>
      values.get({ agent: agents.known(agentId), namespace, key, now }),
    ),
    "keyValues.set": write(([agentId, namespace, key, value, ifVersion, expiresAt, now]) => {
      const place = { agent: agents.number(agentId), namespace, key, now };
      return String(values.set(place, { value, ifVersion, expiresAt }));
    }),
    "keyValues.delete": write(([agentId, namespace, key, now]) =>
      String(values.delete({ agent: agents.known(agentId), namespace, key, now })),
    ),
    "keyValues.increment": write(([agentId, namespace, key, amount, expiresAt, now]) => {
      const place = { agent: agents.number(agentId), namespace, key, now };
      return String(values.increment(place, { amount, expiresAt }));
    }),
  };
}

function jobOperations({ agents, jobs }: Tables): Group<"jobs"> {
  return {
    "jobs.claim": write(([agentId, owner, dueBy, limit, kinds, now]) =>
      jobs.claim(agentId, agents.known(agentId), { owner, dueBy, limit, kinds, now }),
    ),
    "jobs.finish": write(([fence, outcome, now]) =>
      nothing(jobs.finish(agents.known(fence[0]), fence, { outcome, now })),
    ),
    "jobs.recover": write(([agentId, now]) => JSON.stringify({ freed: jobs.recover(agents.known(agentId), now) })),
    "jobs.nextAt": read(([agentId]) => jobs.nextAt(agents.known(agentId))),
    "jobs.list": read(([agentId, states, limit]) => jobs.list(agents.known(agentId), states, limit)),
    "jobs.remove": write(([agentId, id, now]) => String(jobs.remove(agents.known(agentId), id, now))),
    "jobs.revive": write(([agentId, id, now]) => String(jobs.revive(agents.known(agentId), id, now))),
  };
}

function tableOperations(tables: PluginTablesSql): Group<"tables"> {
  return {
    "tables.migrate": write(([owner, steps, now]) => JSON.stringify(tables.migrate(owner, steps, now))),
    "tables.query": read(([owner, statement]) => JSON.stringify(tables.query(owner, statement))),
    "tables.write": write(([owner, statements]) => JSON.stringify(tables.write(owner, statements))),
  };
}

function applyWrites(
  tables: Tables,
  agent: number,
  list: { readonly writes: readonly EncodedWrite[]; readonly now: number },
): void {
  for (const one of list.writes) applyWrite(tables, agent, { one, now: list.now });
}

function applyWrite(
  { rooms, memories, journal, outbox, jobs }: Tables,
  agent: number,
  { one, now }: { readonly one: EncodedWrite; readonly now: number },
): void {
  switch (one[0]) {
    case "world.put":
      return rooms.putWorld(agent, one[1]);
    case "room.put":
      return rooms.putRoom(agent, one[1]);
    case "room.stance":
      return rooms.setStance(agent, one[1], one[2]);
    case "entity.put":
      return rooms.putEntity(agent, one[1]);
    case "memory.put":
      return memories.put(agent, one[1], null);
    case "memory.remove":
      return memories.remove(agent, one[1], now);
    case "part.put":
      return journal.putPart(agent, one[1], one[2]);
    case "delivery.put":
      return outbox.put(agent, one[1], now);
    case "delivery.set":
      return outbox.set(agent, one[1], now);
    case "job.put":
      return jobs.put(agent, one[1], now);
  }
}
