import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { DoneTuple, FenceTuple } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** An event that becomes an input of a context. */
type Arrival = {
  readonly contextId: string;
  readonly isNewRoom: boolean;
  readonly platform: string;
  readonly account: string;
  readonly eventId: string;
  readonly kind: string;
  readonly memoryId: string;
  readonly entityId: string;
  readonly at: number;
  readonly owner: string | null;
};

/**
 * Contexts and their waiting inputs in SQL.
 *
 * A lane is a context's serial queue: free (`owner` null) → held (by `owner`, with the next `epoch`) → free. Its counters
 * live in its own row, so that the order of numbers is the order of commits and no wake-up is lost: `last_seq` numbers
 * inputs, `last_entry` journal entries, `waiting` counts open inputs, `oldest_*` names the first of them.
 */
export interface InboxSql {
  /** Whether this event was accepted before. */
  isKnown(agent: number, event: Pick<Arrival, "platform" | "account" | "eventId">): boolean;
  /** Adds an input and claims its lane when that is free and an owner is named. Answers an `Accepted` and the input's number. */
  add(agentId: string, agent: number, arrival: Arrival): { readonly json: string; readonly no: number };
  claim(agentId: string, agent: number, claim: { readonly owner: string; readonly limit: number }): string;
  waiting(agent: number, fence: FenceTuple): string;
  release(agent: number, fence: FenceTuple): void;
  recover(agent: number): number;
  find(agent: number, memoryId: string): string | null;
  counts(agent: number): string;
  /** The last entry's number of a held lane. @throws Refusal `conflict` when the fence is outdated. */
  check(agent: number, fence: FenceTuple): number;
  setLastEntry(agent: number, fence: FenceTuple, seq: number): void;
  /** Gives inputs their outcome; the lease on what waits next, or null when the lane was given back. */
  finish(agent: number, fence: FenceTuple, done: DoneTuple): string | null;
}

type Lane = readonly [epoch: number, owner: string | null, lastSeq: number, lastEntry: number, waiting: number];
type Input = readonly [
  seq: number,
  contextId: string,
  eventId: string,
  kind: string,
  memoryId: string,
  entityId: string,
  acceptedAt: number,
  attempts: number,
  state: string,
  outcome: string | null,
  reason: string | null,
  runId: string | null,
  no: number,
];
type Held = { readonly fence: FenceTuple; readonly inputs: readonly Input[]; readonly lastEntry: number };

const inputColumns =
  "seq, context_id, event_id, kind, memory_id, entity_id, accepted_at, attempts, state, outcome, reason, run_id, no from inbox";

/** The inbox of one database. */
export function createInboxSql(database: DatabaseSync): InboxSql {
  const sql = prepareInbox(database);
  return {
    isKnown: (agent, event) => sql.known.get(agent, event.platform, event.account, event.eventId) !== undefined,
    add: (agentId, agent, arrival) => add(sql, { agentId, agent, arrival }),
    claim: (agentId, agent, { owner, limit }) =>
      listJson(sql.ready.all(agent, limit), ([contextId, epoch, lastEntry]) => {
        sql.own.run(owner, epoch + 1, agent, contextId);
        const fence: FenceTuple = [agentId, contextId, epoch + 1];
        return leaseJson(sql, agent, { fence, inputs: sql.inputs.all(agent, contextId), lastEntry });
      }),
    waiting: (agent, fence) => {
      held(sql, agent, fence);
      return listJson(sql.inputs.all(agent, fence[1]), inputJson);
    },
    release: (agent, fence) => {
      const [epoch] = held(sql, agent, fence);
      sql.own.run(null, epoch, agent, fence[1]);
    },
    recover: (agent) => {
      sql.countAttempts.run(agent);
      return sql.free.run(agent);
    },
    find: (agent, memoryId) => {
      const row = sql.byMemory.get(agent, memoryId);
      return row ? inputJson(row) : null;
    },
    counts: (agent) => {
      const [waiting, holding, oldestAt] = sql.count.get(agent) ?? [0, 0, null];
      return JSON.stringify({ waiting, held: holding, oldestAt });
    },
    check: (agent, fence) => held(sql, agent, fence)[3],
    setLastEntry: (agent, fence, seq) => void sql.setLastEntry.run(seq, agent, fence[1]),
    finish: (agent, fence, done) => finish(sql, { agent, fence, done }),
  };
}

type InboxStatements = ReturnType<typeof prepareInbox>;

function add(
  sql: InboxStatements,
  { agentId, agent, arrival }: { readonly agentId: string; readonly agent: number; readonly arrival: Arrival },
): { readonly json: string; readonly no: number } {
  const { contextId, owner, at, platform, account, eventId, kind, memoryId, entityId } = arrival;
  const lane = sql.lane.get(agent, contextId);
  const [epoch, holder, lastSeq, lastEntry, waiting]: Lane = lane ?? [0, null, 0, 0, 0];
  const seq = lastSeq + 1;
  const event = [platform, account, eventId, kind, memoryId, entityId];
  const no = sql.insert.get(agent, contextId, seq, ...event, at)?.[0] ?? 0;
  const isClaimed = owner !== null && holder === null;
  const nextEpoch = isClaimed ? epoch + 1 : epoch;
  const nextHolder = isClaimed ? owner : holder;
  if (lane) sql.addToLane.run(nextEpoch, nextHolder, at, no, agent, contextId);
  else sql.openLane.run(agent, contextId, nextEpoch, nextHolder, at, no);
  const news = arrival.isNewRoom ? ',"isNewRoom":true' : "";
  if (!isClaimed) return { no, json: `{"type":"accepted","seq":${seq}${news}}` };
  const input: Input = [seq, contextId, eventId, kind, memoryId, entityId, at, 0, "waiting", null, null, null, no];
  const inputs = waiting === 0 ? [input] : sql.inputs.all(agent, contextId);
  const lease = leaseJson(sql, agent, { fence: [agentId, contextId, nextEpoch], inputs, lastEntry });
  return { no, json: `{"type":"accepted","seq":${seq},"lease":${lease}${news}}` };
}

function finish(
  sql: InboxStatements,
  { agent, fence, done }: { readonly agent: number; readonly fence: FenceTuple; readonly done: DoneTuple },
): string | null {
  const [runId, seqs, outcome, reason] = done;
  const contextId = fence[1];
  const [, owner, lastSeq, lastEntry, waiting] = held(sql, agent, fence);
  let finished = 0;
  for (const seq of seqs) {
    if (!(seq >= 1 && seq <= lastSeq)) {
      throw new Refusal("invalid", `context ${contextId} has no input ${seq}; its last is ${lastSeq}`);
    }
    finished += sql.setDone.run(outcome, reason, runId, agent, contextId, seq);
  }
  const left = waiting - finished;
  const inputs = left === 0 ? [] : sql.inputs.all(agent, contextId);
  const oldest = inputs[0];
  sql.setLane.run(oldest ? owner : null, left, oldest?.[6] ?? null, oldest?.[12] ?? null, agent, contextId);
  return oldest ? leaseJson(sql, agent, { fence, inputs, lastEntry }) : null;
}

function held(sql: InboxStatements, agent: number, [, contextId, epoch]: FenceTuple): Lane {
  const lane = sql.lane.get(agent, contextId);
  if (lane && lane[0] === epoch && lane[1] !== null) return lane;
  throw new Refusal(
    "conflict",
    `the lease on context ${contextId} (epoch ${epoch}) is over: it was given back or somebody else goes on with it; claim it again`,
  );
}

function leaseJson(sql: InboxStatements, agent: number, { fence, inputs, lastEntry }: Held): string {
  const [agentId, contextId, epoch] = fence;
  return objectJson(
    field("fence", JSON.stringify({ agentId, contextId, epoch })),
    field("inputs", listJson(inputs, inputJson)),
    field("lastEntry", quote(lastEntry)),
    field("openRunId", quote(sql.openRun.get(agent, contextId)?.[0] ?? null)),
  );
}

function prepareInbox(database: DatabaseSync) {
  return {
    known: prepare(database, "select 1 from inbox where agent = ? and platform = ? and account = ? and event_id = ?"),
    lane: prepare<Lane>(
      database,
      "select epoch, owner, last_seq, last_entry, waiting from lane where agent = ? and context_id = ?",
    ),
    openLane: prepare(
      database,
      `insert into lane(agent, context_id, epoch, owner, last_seq, last_entry, waiting, oldest_at, oldest_no)
     values(?,?,?,?,1,0,1,?,?)`,
    ),
    addToLane: prepare(
      database,
      `update lane set epoch = ?, owner = ?, last_seq = last_seq + 1, waiting = waiting + 1,
       oldest_at = iif(waiting = 0, ?, oldest_at), oldest_no = iif(waiting = 0, ?, oldest_no)
     where agent = ? and context_id = ?`,
    ),
    insert: prepare<readonly [number]>(
      database,
      `insert into inbox(agent, context_id, seq, platform, account, event_id, kind, memory_id, entity_id, accepted_at)
     values(?,?,?,?,?,?,?,?,?,?) returning no`,
    ),
    inputs: prepare<Input>(
      database,
      `select ${inputColumns} where agent = ? and context_id = ? and state = 'waiting' order by seq`,
    ),
    ready: prepare<readonly [string, number, number]>(
      database,
      `select context_id, epoch, last_entry from lane where agent = ? and waiting > 0 and owner is null
     order by oldest_at, oldest_no limit ?`,
    ),
    own: prepare(database, "update lane set owner = ?, epoch = ? where agent = ? and context_id = ?"),
    free: prepare(database, "update lane set owner = null where agent = ? and owner is not null"),
    countAttempts: prepare(
      database,
      `update inbox set attempts = attempts + 1
     where no in (select oldest_no from lane where agent = ? and owner is not null and waiting > 0)`,
    ),
    count: prepare<readonly [number, number, number | null]>(
      database,
      `select coalesce(sum(waiting), 0), count(owner), min(iif(waiting > 0, oldest_at, null)) from lane where agent = ?`,
    ),
    byMemory: prepare<Input>(
      database,
      `select ${inputColumns} where no = (select inbox_no from memory where agent = ? and id = ?)`,
    ),
    setLastEntry: prepare(database, "update lane set last_entry = ? where agent = ? and context_id = ?"),
    setDone: prepare(
      database,
      `update inbox set state = 'done', outcome = ?, reason = ?, run_id = ?
     where agent = ? and context_id = ? and seq = ? and state = 'waiting'`,
    ),
    setLane: prepare(
      database,
      `update lane set owner = ?, waiting = ?, oldest_at = ?, oldest_no = ? where agent = ? and context_id = ?`,
    ),
    openRun: prepare<readonly [string]>(
      database,
      "select id from run where agent = ? and context_id = ? and ended_at is null order by no limit 1",
    ),
  };
}

function inputJson(row: Input): string {
  const [seq, contextId, eventId, kind, memoryId, entityId, acceptedAt, ...rest] = row;
  const [attempts, state, outcome, reason, runId] = rest;
  return objectJson(
    field("seq", quote(seq)),
    field("contextId", quote(contextId)),
    field("eventId", quote(eventId)),
    field("kind", quote(kind)),
    field("memoryId", quote(memoryId)),
    field("entityId", quote(entityId)),
    field("acceptedAt", quote(acceptedAt)),
    field("attempts", quote(attempts)),
    field("state", quote(state)),
    field("outcome", quote(outcome)),
    field("reason", quote(reason)),
    field("runId", quote(runId)),
  );
}
