import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { contentJson, field, objectJson, quote } from "./json-text.ts";
import type { DeliveryChange, DeliveryTuple } from "./protocol.ts";
import { prepare, type Statement } from "./statement.ts";

/** Which deliveries to list; see the contract. */
type DeliveryQuery = {
  readonly states: readonly string[] | null;
  readonly limit: number;
  readonly newestFirst: boolean;
  readonly runId: string | null;
};

/** Deliveries in SQL. A change says what is so now: its error replaces the last one. */
export interface OutboxSql {
  /** The first one with a key wins. */
  put(agent: number, delivery: DeliveryTuple, now: number): void;
  set(agent: number, change: DeliveryChange, now: number): void;
  get(agentId: string, agent: number, key: string): string | null;
  list(agentId: string, agent: number, query: DeliveryQuery): string;
}

type Row = readonly [
  no: number,
  key: string,
  runId: string,
  roomId: string,
  state: string,
  isOpen: number,
  text: string,
  content: string,
  data: string,
  attempts: number,
  platformId: string | null,
  error: string | null,
  createdAt: number,
  updatedAt: number,
];

const everyState = ["pending", "sending", "sent", "uncertain", "failed"];
const columns =
  "no, key, run_id, room_id, state, is_open, text, content, data, attempts, platform_id, error, created_at, updated_at from delivery";

/** The outbox of one database. */
export function createOutboxSql(database: DatabaseSync): OutboxSql {
  const insert = prepare(
    database,
    `insert into delivery(agent, key, run_id, room_id, state, is_open, text, content, data, created_at, updated_at)
     values(?,?,?,?,?,?,?,?,?,?,?) on conflict(agent, key) do nothing`,
  );
  const change = prepare(
    database,
    `update delivery set state = ?, attempts = attempts + ?, is_open = iif(?3 is null, is_open, 0),
       text = coalesce(?3, text), platform_id = coalesce(?, platform_id), error = ?, updated_at = ?
     where agent = ? and key = ?`,
  );
  const get = prepare<Row>(database, `select ${columns} where agent = ? and key = ?`);
  const oldest = prepare<Row>(database, `select ${columns} where agent = ? and state = ? order by no limit ?`);
  const newest = prepare<Row>(database, `select ${columns} where agent = ? and state = ? order by no desc limit ?`);
  const ofRun = prepare<Row>(database, `select ${columns} where agent = ? and run_id = ? order by no`);

  const rowsOf = (agent: number, query: DeliveryQuery): readonly Row[] => {
    const states = new Set(query.states ?? everyState);
    if (query.runId !== null) return ofRun.all(agent, query.runId).filter((row) => states.has(row[4]));
    const statement: Statement<Row> = query.newestFirst ? newest : oldest;
    return [...states].flatMap((state) => statement.all(agent, state, query.limit));
  };

  return {
    put: (agent, delivery, now) => void insert.run(agent, ...delivery, now, now),
    set: (agent, [state, isAttempt, text, platformId, error, key], now) => {
      if (change.run(state, isAttempt, text, platformId, error, now, agent, key) === 1) return;
      throw new Refusal("not_found", `there is no delivery ${key} to change; put the delivery first`);
    },
    get: (agentId, agent, key) => {
      const row = get.get(agent, key);
      return row ? rowJson(row, agentId) : null;
    },
    list: (agentId, agent, query) => {
      const direction = query.newestFirst ? -1 : 1;
      const rows = rowsOf(agent, query).toSorted((left, right) => (left[0] - right[0]) * direction);
      return `[${rows
        .slice(0, query.limit)
        .map((row) => rowJson(row, agentId))
        .join(",")}]`;
    },
  };
}

function rowJson(row: Row, agentId: string): string {
  const [, key, runId, roomId, state, isOpen, text, content, data, attempts, ...rest] = row;
  const [platformId, error, createdAt, updatedAt] = rest;
  const delivery = objectJson(
    field("key", quote(key)),
    field("agentId", quote(agentId)),
    field("runId", quote(runId)),
    field("roomId", quote(roomId)),
    field("content", contentJson(text, content)),
  );
  return objectJson(
    field("delivery", `${delivery.slice(0, -1)},${data.slice(1)}`),
    field("state", quote(state)),
    field("isOpen", isOpen === 1 ? "true" : "false"),
    field("attempts", quote(attempts)),
    field("platformId", quote(platformId)),
    field("error", quote(error)),
    field("createdAt", quote(createdAt)),
    field("updatedAt", quote(updatedAt)),
  );
}
