import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { JobFenceTuple, JobOutcomeTuple, JobTuple } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Which jobs to claim; see the contract. */
type JobClaim = {
  readonly owner: string;
  readonly dueBy: number;
  readonly limit: number;
  readonly kinds: readonly string[] | null;
  readonly now: number;
};

/**
 * Durable jobs in SQL.
 *
 * States: waiting → running → done, waiting or dead; `behind` is a waiting job that another one of its queue stands before.
 * A queue's first is the only one of it that is `waiting` or `running`, so that a claim never looks at those behind. Whoever
 * changes a queue sets its first anew. Done jobs keep their row for a while, without payload, so that their ids are known.
 */
export interface JobsSql {
  /** The first one with an id wins. */
  put(agent: number, job: JobTuple, now: number): void;
  claim(agentId: string, agent: number, claim: JobClaim): string;
  finish(agent: number, fence: JobFenceTuple, end: { readonly outcome: JobOutcomeTuple; readonly now: number }): void;
  recover(agent: number, now: number): number;
  nextAt(agent: number): string;
  list(agent: number, states: readonly string[] | null, limit: number): string;
  remove(agent: number, id: string, now: number): boolean;
  revive(agent: number, id: string, now: number): boolean;
  /** What jobs that are not done carry and why they failed. */
  texts(agent: number): readonly (readonly [id: string, payload: string, error: string | null])[];
  /** Empties a job; one that is not running will not be done. */
  erase(agent: number, id: string, now: number): void;
}

type Row = readonly [
  no: number,
  id: string,
  kind: string,
  payload: string,
  runAt: number,
  queue: string | null,
  dueAt: number,
  state: string,
  owner: string | null,
  epoch: number,
  attempts: number,
  error: string | null,
  createdAt: number,
  updatedAt: number,
];
type Place = readonly [no: number, runAt: number];
type Stored = readonly [no: number, queue: string | null, state: string, epoch: number];

const columns =
  "no, id, kind, payload, run_at, queue, due_at, state, owner, epoch, attempts, error, created_at, updated_at from job";
/** What the contract's states are in the table. */
const storedStates: ReadonlyMap<string, readonly string[]> = new Map([
  ["waiting", ["waiting", "behind"]],
  ["running", ["running"]],
  ["dead", ["dead"]],
]);
/** As core says; the suite of all engines checks it. Not imported: the thread that owns the file would load all of core for it. */
const doneJobsKeptMs = 7 * 24 * 60 * 60 * 1000;
/** So many remembered ids at most are forgotten whenever a job is done: more than one, so that they do not pile up. */
const forgetAtOnce = 4;

/** The jobs of one database. */
export function createJobsSql(database: DatabaseSync): JobsSql {
  const sql = prepareJobs(database);
  return {
    put: (agent, [id, kind, payload, runAt, queue], now) => {
      sql.forgetId.run(agent, id, now - doneJobsKeptMs);
      const state = queue === null ? "waiting" : "behind";
      sql.insert.run(agent, id, kind, payload, runAt, queue, runAt, state, now, now);
      advance(sql, agent, queue);
    },
    claim: (agentId, agent, claim) => {
      const rows = dueRows(sql, agent, claim);
      for (const [no] of rows) sql.own.run(claim.owner, claim.now, no);
      return listJson(rows, (row) => leaseJson(agentId, row));
    },
    finish: (agent, fence, end) => finish(sql, agent, { fence, ...end }),
    recover: (agent, now) => {
      const running = sql.inState.all(agent, "running", -1);
      for (const [no, , , , , queue] of running) {
        sql.putBack.run(queue === null ? "waiting" : "behind", null, null, 0, now, no);
        advance(sql, agent, queue);
      }
      return running.length;
    },
    nextAt: (agent) => JSON.stringify(kindsOf(sql, agent).map((kind) => [kind, sql.nextOfKind.get(agent, kind)?.[0]])),
    list: (agent, states, limit) => {
      const wanted = (states ?? [...storedStates.keys()]).flatMap((state) => storedStates.get(state) ?? []);
      const rows = [...new Set(wanted)].flatMap((state) => sql.inState.all(agent, state, limit));
      return listJson(rows.toSorted((left, right) => left[0] - right[0]).slice(0, limit), rowJson);
    },
    remove: (agent, id, now) => {
      const [no, queue, state] = sql.find.get(agent, id) ?? [0, null, "done"];
      if (state === "done") return false;
      if (state === "running") {
        throw new Refusal("conflict", `job ${id} is running; wait until it ends, or stop the agent first`);
      }
      sql.setDone.run(now, no);
      advance(sql, agent, queue);
      return true;
    },
    revive: (agent, id, now) => {
      const [no, queue, state] = sql.find.get(agent, id) ?? [0, null, "done"];
      if (state !== "dead") return false;
      sql.revive.run(queue === null ? "waiting" : "behind", now, now, no);
      advance(sql, agent, queue);
      return true;
    },
    texts: (agent) => sql.texts.all(agent),
    erase: (agent, id, now) => {
      const [no, queue, state] = sql.find.get(agent, id) ?? [0, null, "done"];
      if (state === "running") {
        sql.empty.run(no);
      } else {
        sql.setDone.run(now, no);
        advance(sql, agent, queue);
      }
    },
  };
}

type JobStatements = ReturnType<typeof prepareJobs>;

function finish(
  sql: JobStatements,
  agent: number,
  end: { readonly fence: JobFenceTuple; readonly outcome: JobOutcomeTuple; readonly now: number },
): void {
  const { fence, outcome, now } = end;
  const [no, queue] = held(sql, agent, fence);
  const [type, at, error] = outcome;
  const waiting = queue === null ? "waiting" : "behind";
  switch (type) {
    case "done":
      sql.setDone.run(now, no);
      sql.forgetOld.run(agent, now - doneJobsKeptMs, forgetAtOnce);
      break;
    case "retry":
      sql.putBack.run(waiting, at, error, 0, now, no);
      break;
    case "dead":
      sql.putBack.run("dead", null, error, 0, now, no);
      break;
    case "released":
      sql.putBack.run(waiting, null, null, 1, now, no);
      break;
  }
  advance(sql, agent, queue);
}

function held(sql: JobStatements, agent: number, [, id, epoch]: JobFenceTuple): Stored {
  const stored = sql.find.get(agent, id);
  if (stored && stored[2] === "running" && stored[3] === epoch) return stored;
  throw new Refusal(
    "conflict",
    `the lease on job ${id} (epoch ${epoch}) is over: it was given back, or somebody else goes on with it; claim it again`,
  );
}

/** Sets a queue's first: nobody while one is running, else the earliest of those that are left. */
function advance(sql: JobStatements, agent: number, queue: string | null): void {
  if (queue === null || sql.firstOfQueue.get(agent, queue, "running")) return;
  const next = sql.firstOfQueue.get(agent, queue, "behind");
  if (!next) return;
  const first = sql.firstOfQueue.get(agent, queue, "waiting");
  if (first && !isBefore(next, first)) return;
  if (first) sql.setState.run("behind", first[0]);
  sql.setState.run("waiting", next[0]);
}

function isBefore([no, runAt]: Place, [otherNo, otherRunAt]: Place): boolean {
  return runAt < otherRunAt || (runAt === otherRunAt && no < otherNo);
}

function dueRows(sql: JobStatements, agent: number, { kinds, dueBy, limit }: JobClaim): readonly Row[] {
  const rows = [...new Set(kinds ?? kindsOf(sql, agent))].flatMap((kind) => sql.due.all(agent, kind, dueBy, limit));
  return rows.toSorted((left, right) => left[6] - right[6] || left[0] - right[0]).slice(0, limit);
}

/** The kinds of waiting jobs, each found by one step in the index, however many jobs there are. */
function kindsOf(sql: JobStatements, agent: number): readonly string[] {
  const kinds: string[] = [];
  for (let next = sql.kindAfter.get(agent, ""); next?.[0] != null; next = sql.kindAfter.get(agent, next[0])) {
    kinds.push(next[0]);
  }
  return kinds;
}

function prepareJobs(database: DatabaseSync) {
  return {
    insert: prepare(
      database,
      `insert into job(agent, id, kind, payload, run_at, queue, due_at, state, created_at, updated_at)
       values(?,?,?,?,?,?,?,?,?,?) on conflict(agent, id) do nothing`,
    ),
    find: prepare<Stored>(database, "select no, queue, state, epoch from job where agent = ? and id = ?"),
    due: prepare<Row>(
      database,
      `select ${columns} where agent = ? and kind = ? and state = 'waiting' and due_at <= ? order by due_at, no limit ?`,
    ),
    kindAfter: prepare<readonly [string | null]>(
      database,
      "select min(kind) from job where agent = ? and state = 'waiting' and kind > ?",
    ),
    nextOfKind: prepare<readonly [number]>(
      database,
      "select min(due_at) from job where agent = ? and kind = ? and state = 'waiting'",
    ),
    own: prepare(
      database,
      "update job set state = 'running', owner = ?, epoch = epoch + 1, attempts = attempts + 1, updated_at = ? where no = ?",
    ),
    putBack: prepare(
      database,
      `update job set state = ?, owner = null, due_at = coalesce(?, due_at), error = coalesce(?, error),
         attempts = attempts - ?, updated_at = ? where no = ?`,
    ),
    setState: prepare(database, "update job set state = ? where no = ?"),
    setDone: prepare(
      database,
      "update job set state = 'done', owner = null, payload = '{}', error = null, updated_at = ? where no = ?",
    ),
    texts: prepare<readonly [string, string, string | null]>(
      database,
      "select id, payload, error from job where agent = ? and state <> 'done'",
    ),
    empty: prepare(database, "update job set payload = '{}', error = null where no = ?"),
    revive: prepare(database, "update job set state = ?, attempts = 0, due_at = ?, updated_at = ? where no = ?"),
    firstOfQueue: prepare<Place>(
      database,
      `select no, run_at from job where agent = ? and queue = ? and state = ? and state <> 'done'
       order by run_at, no limit 1`,
    ),
    inState: prepare<Row>(
      database,
      `select ${columns} where agent = ? and state = ? and state <> 'done' order by no limit ?`,
    ),
    forgetId: prepare(database, "delete from job where agent = ? and id = ? and state = 'done' and updated_at <= ?"),
    forgetOld: prepare(
      database,
      `delete from job where no in (
         select no from job where agent = ? and state = 'done' and updated_at <= ? order by updated_at limit ?
       )`,
    ),
  };
}

function leaseJson(agentId: string, row: Row): string {
  const [, id, , , , , , , , epoch, attempts] = row;
  return objectJson(
    field("fence", JSON.stringify({ agentId, id, epoch: epoch + 1 })),
    field("job", objectJson(...jobFields(row))),
    field("attempts", quote(attempts + 1)),
  );
}

function rowJson(row: Row): string {
  const [, , , , , , dueAt, state, owner, , attempts, error, createdAt, updatedAt] = row;
  return objectJson(
    ...jobFields(row),
    field("state", quote(state === "behind" ? "waiting" : state)),
    field("dueAt", quote(dueAt)),
    field("attempts", quote(attempts)),
    field("owner", quote(owner)),
    field("error", quote(error)),
    field("createdAt", quote(createdAt)),
    field("updatedAt", quote(updatedAt)),
  );
}

function jobFields([, id, kind, payload, runAt, queue]: Row): readonly string[] {
  return [
    field("id", quote(id)),
    field("kind", quote(kind)),
    field("payload", payload),
    field("runAt", quote(runAt)),
    field("queue", quote(queue)),
  ];
}
