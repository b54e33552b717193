import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { EncodedEntry, RunChange } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Entries, runs and parts in SQL. A run's row is kept up to date from what its entries add to it. */
export interface JournalSql {
  /** Appends entries behind number `last`; the new last number. @throws Refusal `conflict` when they do not follow it. */
  append(agent: number, contextId: string, last: number, entries: readonly EncodedEntry[]): number;
  changeRuns(agent: number, contextId: string, runs: readonly RunChange[]): void;
  putPart(agent: number, hash: string, text: string): void;
  entries(agent: number, runId: string): string;
  parts(agent: number, hashes: readonly string[]): string;
  run(agent: number, id: string): string | null;
  /** Those of any of the contexts. */
  runs(agent: number, limit: number, contextIds: readonly string[] | null): string;
}

type Run = readonly [
  id: string,
  contextId: string,
  startedAt: number,
  endedAt: number | null,
  outcome: string | null,
  reason: string | null,
  inputTokens: number,
  outputTokens: number,
  cost: number,
  forgotten: number,
];

/** The shortest beginning of a run's id that is looked up as one. */
const minPrefixLength = 8;
const runColumns =
  "id, context_id, started_at, ended_at, outcome, reason, input_tokens, output_tokens, cost_microusd, forgotten from run";

/** The journal of one database. */
export function createJournalSql(database: DatabaseSync): JournalSql {
  const insert = prepare(database, "insert into journal(agent, context_id, seq, run_id, at, body) values(?,?,?,?,?,?)");
  const changeRun = prepare(
    database,
    `insert into run(agent, context_id, id, started_at, input_tokens, output_tokens, cost_microusd, ended_at, outcome, reason)
     values(?,?,?,?,?,?,?,?,?,?)
     on conflict(agent, id) do update set input_tokens = input_tokens + excluded.input_tokens,
       output_tokens = output_tokens + excluded.output_tokens, cost_microusd = cost_microusd + excluded.cost_microusd,
       ended_at = coalesce(ended_at, excluded.ended_at), outcome = coalesce(outcome, excluded.outcome),
       reason = coalesce(reason, excluded.reason)`,
  );
  const putPart = prepare(
    database,
    "insert into part(agent, hash, text) values(?,?,?) on conflict(agent, hash) do update set text = excluded.text where part.text is null",
  );
  const entries = prepare<EncodedEntry>(
    database,
    "select seq, run_id, at, body from journal where agent = ? and run_id = ? order by seq",
  );
  const parts = prepare<readonly [string, string]>(
    database,
    `select hash, text from part where agent = ? and hash in (select value from json_each(?)) and text is not null`,
  );
  const run = prepare<Run>(database, `select ${runColumns} where agent = ? and id = ?`);
  const runsFrom = prepare<Run>(
    database,
    `select ${runColumns} where agent = ? and id >= ? and id < ? || char(1114111) limit 2`,
  );
  const runs = prepare<Run>(database, `select ${runColumns} where agent = ? order by no desc limit ?`);
  const runsOf = prepare<Run>(
    database,
    `select ${runColumns} where agent = ? and context_id = ? order by no desc limit ?`,
  );
  const runsOfAll = prepare<Run>(
    database,
    `select ${runColumns} where agent = ? and context_id in (select value from json_each(?)) order by no desc limit ?`,
  );

  return {
    append: (agent, contextId, last, list) => {
      let previous = last;
      for (const entry of list) {
        if (!(entry[0] > previous)) {
          throw new Refusal(
            "conflict",
            `entry ${entry[0]} does not follow entry ${previous} of context ${contextId}; read its journal again`,
          );
        }
        insert.run(agent, contextId, ...entry);
        previous = entry[0];
      }
      return previous;
    },
    changeRuns: (agent, contextId, changes) => {
      for (const change of changes) changeRun.run(agent, contextId, ...change);
    },
    putPart: (agent, hash, text) => void putPart.run(agent, hash, text),
    entries: (agent, runId) =>
      listJson(
        entries.all(agent, runId),
        ([seq, id, at, body]) => `{"seq":${seq},"runId":${JSON.stringify(id)},"at":${at},"body":${body}}`,
      ),
    parts: (agent, hashes) => JSON.stringify(parts.all(agent, JSON.stringify(hashes))),
    run: (agent, id) => {
      const exact = run.get(agent, id);
      if (exact) return runJson(exact);
      const found = id.length < minPrefixLength ? [] : runsFrom.all(agent, id, id);
      if (found.length > 1) {
        throw new Refusal("invalid", `several runs begin with ${id}; give more of the id`);
      }
      return found[0] ? runJson(found[0]) : null;
    },
    runs: (agent, limit, contextIds) => {
      if (contextIds === null) return listJson(runs.all(agent, limit), runJson);
      const [only = "", ...others] = contextIds;
      const ofOne = others.length === 0;
      return listJson(
        ofOne ? runsOf.all(agent, only, limit) : runsOfAll.all(agent, JSON.stringify(contextIds), limit),
        runJson,
      );
    },
  };
}

function runJson(row: Run): string {
  const [id, contextId, startedAt, endedAt, outcome, reason, inputTokens, outputTokens, cost, forgotten] = row;
  return objectJson(
    field("id", quote(id)),
    field("contextId", quote(contextId)),
    field("startedAt", quote(startedAt)),
    field("endedAt", quote(endedAt)),
    field("outcome", quote(outcome)),
    field("reason", quote(reason)),
    field("inputTokens", quote(inputTokens)),
    field("outputTokens", quote(outputTokens)),
    field("costMicrousd", quote(cost)),
    field("isForgotten", forgotten === 1 ? "true" : null),
  );
}
