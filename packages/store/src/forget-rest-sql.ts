import type { DatabaseSync } from "node:sqlite";
import { tombstone } from "./forget-journal-sql.ts";
import type { Doomed, ForgetTables } from "./forget-sql.ts";
import type { Results } from "./protocol.ts";
import { prepare } from "./statement.ts";

type Counts = Pick<Results["admin.forget"], "deliveries" | "relationships" | "tasks">;

/** Forgets whatever is no memory and no journal: deliveries, inputs, relationships, tasks, jobs, small values, names. */
export type ForgetRest = (agent: number, doomed: Doomed, now: number) => Counts;

/** Forgetting in the other tables of one database. */
export function createForgetRest(database: DatabaseSync, { moved, jobs }: ForgetTables): ForgetRest {
  const deliveries = createForgetDeliveries(database);
  const inputs = createForgetInputs(database);
  const planned = createForgetPlanned(database);
  const values = createForgetValues(database);
  const names = createForgetNames(database);
  return (agent, doomed, now) => {
    const room = doomed.forgetting.type === "room" ? moved.now(agent, doomed.forgetting.roomId) : null;
    inputs(agent, doomed);
    for (const [id, payload, error] of jobs.texts(agent)) {
      if (isNamed(doomed, payload) || (error !== null && isNamed(doomed, error))) jobs.erase(agent, id, now);
    }
    values(agent, doomed);
    const counts = { deliveries: deliveries(agent, { doomed, room, now }), ...planned(agent, doomed, room) };
    names(agent, doomed, room);
    return counts;
  };
}

function isNamed({ names, mentions }: Doomed, text: string): boolean {
  return names(text) || mentions(text);
}

function createForgetDeliveries(database: DatabaseSync) {
  type Row = readonly [no: number, runId: string, roomId: string, text: string, content: string];
  const all = prepare<Row>(
    database,
    `select no, run_id, room_id, text, content from delivery
     where no > ? and +agent = ? and not (error is '${tombstone}' and text = '') order by no limit 1000`,
  );
  const erase = prepare(
    database,
    `update delivery set text = '', content = '{}', is_open = 0, error = '${tombstone}', updated_at = ?,
       state = iif(state in ('sent', 'failed'), state, 'failed') where no = ?`,
  );
  return (
    agent: number,
    of: { readonly doomed: Doomed; readonly room: string | null; readonly now: number },
  ): number => {
    const { doomed, room, now } = of;
    let count = 0;
    let last = 0;
    for (let page = all.all(last, agent); page.length > 0; page = all.all(last, agent)) {
      for (const [no, runId, roomId, text, content] of page) {
        last = no;
        const isTheirs = doomed.runs.has(runId) || roomId === room || doomed.mentions(text) || doomed.mentions(content);
        if (isTheirs) count += erase.run(now, no);
      }
    }
    return count;
  };
}

/** What waits is ended; what a run that is not over has taken up already is left to it. */
function createForgetInputs(database: DatabaseSync) {
  type Input = readonly [no: number, contextId: string, seq: number, memoryId: string, state: string];
  const ofEntity = prepare<Input>(
    database,
    "select no, context_id, seq, memory_id, state from inbox where agent = ? and entity_id = ?",
  );
  const ofMemory = prepare<Input>(
    database,
    `select no, context_id, seq, memory_id, state from inbox
     where no in (select inbox_no from memory where agent = ? and id in (select value from json_each(?)))`,
  );
  const open = prepare<readonly [contextId: string, body: string]>(
    database,
    `select j.context_id, j.body from run r cross join journal j indexed by journal_run on j.agent = r.agent and j.run_id = r.id
     where r.agent = ? and r.ended_at is null and j.body like '%"inputs":%'`,
  );
  const end = prepare(
    database,
    `update inbox set state = 'done', outcome = 'ignored', reason = '${tombstone}' where no = ?`,
  );
  const clear = prepare(database, `update inbox set reason = null where no = ? and reason is not '${tombstone}'`);
  const unname = prepare(database, "update inbox set entity_id = '' where no = ?");
  const oldest = (column: string): string =>
    `(select ${column} from inbox i where i.agent = lane.agent and i.context_id = lane.context_id and i.state = 'waiting'
      order by i.seq limit 1)`;
  const settle = prepare(
    database,
    `update lane set oldest_at = ${oldest("i.accepted_at")}, oldest_no = ${oldest("i.no")}, waiting = (
       select count(*) from inbox i
       where i.agent = lane.agent and i.context_id = lane.context_id and i.state = 'waiting'
     ) where agent = ? and context_id = ?`,
  );

  return (agent: number, { forgetting, memories }: Doomed): void => {
    const taken = new Set<string>();
    for (const [contextId, body] of open.all(agent)) {
      const { inputs = [] }: { inputs?: readonly { readonly seq: number }[] } = JSON.parse(body);
      for (const { seq } of inputs) taken.add(`${seq} ${contextId}`);
    }
    const theirs = forgetting.type === "entity" ? ofEntity.all(agent, forgetting.entityId) : [];
    const rows = new Map(
      [...theirs, ...ofMemory.all(agent, JSON.stringify([...memories]))].map((row) => [row[0], row]),
    );
    const lanes = new Set<string>();
    for (const [no, contextId, seq, , state] of rows.values()) {
      if (state === "waiting" && !taken.has(`${seq} ${contextId}`)) {
        end.run(no);
        lanes.add(contextId);
      } else clear.run(no);
    }
    for (const [no] of theirs) unname.run(no);
    for (const contextId of lanes) settle.run(agent, contextId);
  };
}

function createForgetPlanned(database: DatabaseSync) {
  type Task = readonly [id: string, roomId: string | null, entityId: string | null, name: string, data: string];
  const tasks = prepare<Task>(database, "select id, room_id, entity_id, name, data from task where agent = ?");
  const deleteTask = prepare(database, "delete from task where agent = ? and id = ?");
  const deleteRelationships = prepare(
    database,
    "delete from relationship where agent = ?1 and (from_id = ?2 or to_id = ?2)",
  );
  return (agent: number, doomed: Doomed, room: string | null): Omit<Counts, "deliveries"> => {
    const entityId = doomed.forgetting.type === "entity" ? doomed.forgetting.entityId : null;
    let count = 0;
    for (const [id, roomId, whose, name, data] of tasks.all(agent)) {
      const isTheirs =
        (entityId !== null && whose === entityId) ||
        (room !== null && roomId === room) ||
        isNamed(doomed, data) ||
        doomed.mentions(name);
      if (isTheirs) count += deleteTask.run(agent, id);
    }
    return { tasks: count, relationships: entityId === null ? 0 : deleteRelationships.run(agent, entityId) };
  };
}

function createForgetValues(database: DatabaseSync) {
  const all = prepare<readonly [string, string, string]>(
    database,
    "select namespace, key, value from kv where agent = ?",
  );
  const remove = prepare(database, "delete from kv where agent = ? and namespace = ? and key = ?");
  return (agent: number, doomed: Doomed): void => {
    for (const [namespace, key, value] of all.all(agent)) {
      if (isNamed(doomed, key) || isNamed(doomed, value)) remove.run(agent, namespace, key);
    }
  };
}

/** The person's row, and the names of rooms that are called after them or were forgotten themselves. */
function createForgetNames(database: DatabaseSync) {
  const unnameRooms = prepare(
    database,
    `update room set name = null, data = null where agent = ?1
     and (id = ?3 or name = (select name from entity where agent = ?1 and id = ?2))`,
  );
  const remove = prepare(database, "delete from entity where agent = ? and id = ?");
  return (agent: number, { forgetting }: Doomed, room: string | null): void => {
    const entityId = forgetting.type === "entity" ? forgetting.entityId : null;
    unnameRooms.run(agent, entityId, room);
    if (entityId !== null) remove.run(agent, entityId);
  };
}
