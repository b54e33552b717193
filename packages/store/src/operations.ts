import type { DatabaseSync } from "node:sqlite";
import { type Agents, createAgents } from "./agents-sql.ts";
import { applyWrites, inRoom, type WriteTables } from "./apply-write.ts";
import { checkPages } from "./check.ts";
import { createEmbeddingsSql } from "./embeddings-sql.ts";
import { createForget } from "./forget-sql.ts";
import { createInboxSql, type InboxSql } from "./inbox-sql.ts";
import { createJobsSql } from "./jobs-sql.ts";
import { createJournalSql } from "./journal-sql.ts";
import { createKeyValuesSql } from "./key-values-sql.ts";
import { createMemoriesSql } from "./memories-sql.ts";
import { createMovedRooms } from "./moved-rooms-sql.ts";
import { createOutboxSql } from "./outbox-sql.ts";
import { createParticipants } from "./participants-sql.ts";
import { createPluginTablesSql, type PluginTablesSql } from "./plugin-tables-sql.ts";
import type { OperationName, Operations } from "./protocol.ts";
import { createRelationshipsSql } from "./relationships-sql.ts";
import { createRoomsSql } from "./rooms-sql.ts";
import { createFindPlaces, type FindPlaces } from "./scope-sql.ts";
import { createSearchSql, type SearchSql } from "./search-sql.ts";
import { createStaleness, type IsStale } from "./staleness.ts";
import { createTasksSql } from "./tasks-sql.ts";

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

type Tables = WriteTables & {
  readonly agents: Agents;
  readonly places: FindPlaces;
  readonly inbox: InboxSql;
};

const read = <R>(run: R): { readonly isWrite: false; readonly run: R } => ({ isWrite: false, run });
const write = <R>(run: R): { readonly isWrite: true; readonly run: R } => ({ isWrite: true, run });
const nothing = (_: void): null => null;

/** All operations of a database. `look` answers `admin.look`. */
export function createOperations(
  database: DatabaseSync,
  { look, readOnly }: { readonly look: () => string; readonly readOnly: boolean },
): Database {
  const tables = createTables(database, readOnly);
  const { agents, search } = tables;
  const plugins = createPluginTablesSql(database);
  const forget = createForget(database, tables);
  const all = {
    ...inboxOperations(tables),
    ...journalOperations(tables),
    ...memoryOperations(tables),
    ...embeddingOperations(tables),
    ...roomOperations(tables),
    ...plannedOperations(tables),
    ...keyValueOperations(agents, database),
    ...jobOperations(tables),
    ...tableOperations(plugins),
    "admin.write": write<Run<"admin.write">>(([agentId, writes, now]) =>
      nothing(applyWrites(tables, agents.number(agentId), { writes, now })),
    ),
    "admin.forget": write<Run<"admin.forget">>(([agentId, forgetting, now]) =>
      JSON.stringify(forget(agents.known(agentId), forgetting, now)),
    ),
    "admin.scrub": write<Run<"admin.scrub">>(() => String(search.scrub())),
    "admin.settle": read<Run<"admin.settle">>(() => String(search.settle())),
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
      tables.moved.forget();
    },
    search,
    operation: (name) => {
      const found = operations.get(name);
      if (!found) throw new Error(`there is no operation ${name}`);
      return found;
    },
  };
}

function createTables(database: DatabaseSync, readOnly: boolean): Tables {
  const isStale = (): IsStale => createStaleness(database, readOnly);
  const rooms = createRoomsSql(database);
  const moved = createMovedRooms(database, isStale(), rooms.putRoom);
  return {
    agents: createAgents(database),
    rooms,
    moved,
    search: createSearchSql(database),
    places: createFindPlaces(database, moved),
    participants: createParticipants(database, isStale()),
    embeddings: createEmbeddingsSql(database, isStale()),
    relationships: createRelationshipsSql(database),
    tasks: createTasksSql(database),
    memories: createMemoriesSql(database),
    inbox: createInboxSql(database),
    journal: createJournalSql(database),
    outbox: createOutboxSql(database),
    jobs: createJobsSql(database),
  };
}

function inboxOperations({ agents, rooms, moved, memories, inbox }: Tables): Group<"inbox"> {
  return {
    "inbox.accept": write(([agentId, accept]) => {
      const [eventId, kind, platform, account, at, owner, world, room, entity, memory, context] = accept;
      const agent = agents.number(agentId);
      const [memoryId, , entityId] = memory;
      const roomId = moved.now(agent, room[0]);
      const isMoved = roomId !== room[0];
      const platformId = memory[5];
      const isDuplicate =
        inbox.isKnown(agent, { platform, account, eventId }) ||
        (platformId !== null && memories.isEcho(agent, roomId, platformId));
      if (isDuplicate) return '{"type":"duplicate"}';
      if (world) rooms.putWorld(agent, world);
      const isNewRoom = !rooms.isKnown(agent, roomId);
      if (!isMoved) rooms.putRoom(agent, room);
      rooms.putEntity(agent, entity);
      const event = { contextId: moved.now(agent, context), isNewRoom, platform, account, eventId, kind };
      const { json, no } = inbox.add(agentId, agent, { ...event, memoryId, entityId, at, owner });
      memories.put(agent, isMoved ? inRoom(memory, roomId) : memory, no);
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
  const { agents, moved, inbox, journal } = tables;
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
    "journal.runs": read(([agentId, limit, contextId]) => {
      const agent = agents.known(agentId);
      const contexts = contextId === null ? null : moved.names(agent, moved.now(agent, contextId));
      return journal.runs(agent, limit, contexts);
    }),
  };
}

function memoryOperations({ agents, memories, moved, places, search }: Tables): Group<"memories"> {
  return {
    "memories.get": read(([agentId, ids]) => memories.get(agentId, agents.known(agentId), ids)),
    "memories.recent": read(([agentId, recent]) => {
      const agent = agents.known(agentId);
      return memories.recent(agentId, agent, { ...recent, roomId: moved.now(agent, recent.roomId) });
    }),
    "memories.list": read(([agentId, list]) => {
      const agent = agents.known(agentId);
      return memories.list(agentId, agent, { ...list, places: places(agent, list.scope) });
    }),
    "memories.search": read(([agentId, query]) => {
      const agent = agents.known(agentId);
      return search.search(agentId, agent, { ...query, places: places(agent, query.scope) });
    }),
    "memories.byPlatformId": read(([agentId, platformId]) =>
      memories.byPlatformId(agentId, agents.known(agentId), platformId),
    ),
    "memories.lastHeard": read(([agentId, roomId]) => {
      const agent = agents.known(agentId);
      return memories.lastHeard(agentId, agent, roomId === null ? null : moved.now(agent, roomId));
    }),
  };
}

function embeddingOperations({ agents, embeddings, places }: Tables): Group<"embeddings"> {
  return {
    "embeddings.missing": read(([agentId, model, limit, types]) =>
      embeddings.missing(agents.known(agentId), { model, limit, types }),
    ),
    "embeddings.put": write(([agentId, model, embedded]) =>
      nothing(embeddings.put(agents.number(agentId), model, embedded)),
    ),
    "embeddings.nearest": read(([agentId, query]) => {
      const agent = agents.known(agentId);
      return embeddings.nearest(agentId, agent, { ...query, places: places(agent, query.scope) });
    }),
    "embeddings.counts": read(([agentId]) => embeddings.counts(agents.known(agentId))),
    "embeddings.dropSome": write(([agentId, model]) => String(embeddings.dropSome(agents.known(agentId), model))),
  };
}

function plannedOperations({ agents, moved, relationships, tasks }: Tables): Group<"relationships"> & Group<"tasks"> {
  return {
    "relationships.of": read(([agentId, entityId, tag]) => relationships.of(agents.known(agentId), entityId, tag)),
    "tasks.get": read(([agentId, id]) => tasks.get(agents.known(agentId), id)),
    "tasks.list": read(([agentId, [states, kind, roomId, entityId, limit]]) => {
      const agent = agents.known(agentId);
      const room = roomId === null ? null : moved.now(agent, roomId);
      return tasks.list(agent, [states, kind, room, entityId, limit]);
    }),
  };
}

function roomOperations({ agents, rooms, moved, participants, outbox }: Tables): Group<"rooms"> & Group<"outbox"> {
  return {
    "rooms.room": read(([agentId, id]) => {
      const agent = agents.known(agentId);
      return rooms.room(agent, moved.now(agent, id));
    }),
    "rooms.rooms": read(([agentId, limit]) => rooms.rooms(agents.known(agentId), limit)),
    "rooms.entities": read(([agentId, ids]) => rooms.entities(agents.known(agentId), ids, ids.length)),
    "rooms.participants": read(([agentId, roomId, limit]) => {
      const agent = agents.known(agentId);
      return rooms.entities(agent, participants.of(agent, moved.now(agent, roomId)), limit);
    }),
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
    "keyValues.list": read(([agentId, namespace, limit, after, now]) =>
      values.list({ agent: agents.known(agentId), namespace, now }, { limit, after }),
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
