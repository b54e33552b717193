import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { prepare } from "./statement.ts";

/** A place among the small values, and the moment it is looked at. */
type Place = {
  readonly agent: number;
  readonly namespace: string;
  readonly key: string;
  readonly now: number;
};

/**
 * Small values in SQL. An expired value is not there, but its version is counted on from, so that whoever held it before
 * cannot mistake the next one for its own.
 */
export interface KeyValuesSql {
  get(place: Place): string | null;
  list(place: Omit<Place, "key">, page: { readonly limit: number; readonly after: string | null }): string;
  set(
    place: Place,
    put: { readonly value: string; readonly ifVersion: number | null; readonly expiresAt: number | null },
  ): boolean;
  delete(place: Place): boolean;
  increment(place: Place, by: { readonly amount: number; readonly expiresAt: number | null }): number;
}

type Row = readonly [value: string, version: number, expiresAt: number | null];

/** How long an expired row keeps its version: longer than anybody holds on to one. */
const keepExpiredMs = 24 * 60 * 60 * 1000;

/** The small values of one database. */
export function createKeyValuesSql(database: DatabaseSync): KeyValuesSql {
  const get = prepare<Row>(
    database,
    "select value, version, expires_at from kv where agent = ? and namespace = ? and key = ?",
  );
  const list = prepare<readonly [key: string, value: string, version: number]>(
    database,
    `select key, value, version from kv where agent = ? and namespace = ? and key > ?
     and (expires_at is null or expires_at > ?) order by key limit ?`,
  );
  const listAll = prepare<readonly [key: string, value: string, version: number]>(
    database,
    `select key, value, version from kv where agent = ? and namespace = ?
     and (expires_at is null or expires_at > ?) order by key limit ?`,
  );
  const put = prepare(
    database,
    `insert into kv(agent, namespace, key, value, version, expires_at) values(?,?,?,?,?,?)
     on conflict(agent, namespace, key) do update set value = excluded.value, version = excluded.version,
       expires_at = excluded.expires_at`,
  );
  const remove = prepare(database, "delete from kv where agent = ? and namespace = ? and key = ?");
  const purge = prepare(database, "delete from kv where agent = ? and namespace = ? and expires_at < ?");

  const read = ({ agent, namespace, key, now }: Place): { live: Row | undefined; version: number } => {
    const row = get.get(agent, namespace, key);
    const isLive = row !== undefined && (row[2] === null || row[2] > now);
    return { live: isLive ? row : undefined, version: row?.[1] ?? 0 };
  };
  const write = (place: Place, value: string, version: number, expiresAt: number | null): void => {
    const { agent, namespace, key, now } = place;
    // A namespace's new keys pay for clearing away what expired in it long ago.
    if (version === 1 && expiresAt !== null) purge.run(agent, namespace, now - keepExpiredMs);
    put.run(agent, namespace, key, value, version, expiresAt);
  };

  return {
    get: (place) => {
      const { live } = read(place);
      return live ? JSON.stringify({ value: live[0], version: live[1] }) : null;
    },
    list: ({ agent, namespace, now }, { limit, after }) => {
      const rows =
        after === null ? listAll.all(agent, namespace, now, limit) : list.all(agent, namespace, after, now, limit);
      return JSON.stringify(rows.map(([key, value, version]) => ({ key, value, version })));
    },
    set: (place, { value, ifVersion, expiresAt }) => {
      const { live, version } = read(place);
      if (ifVersion !== null && ifVersion !== (live?.[1] ?? 0)) return false;
      write(place, value, version + 1, expiresAt);
      return true;
    },
    delete: (place) => {
      const { live } = read(place);
      if (live) remove.run(place.agent, place.namespace, place.key);
      return live !== undefined;
    },
    increment: (place, { amount, expiresAt }) => {
      const { live, version } = read(place);
      const sum = Number(live?.[0] ?? "0") + amount;
      if (!Number.isSafeInteger(sum)) {
        throw new Refusal(
          "invalid",
          `${place.namespace}/${place.key} cannot be counted: it or the sum is not a whole number within 2^53; delete it or count elsewhere`,
        );
      }
      write(place, String(sum), version + 1, expiresAt ?? live?.[2] ?? null);
      return sum;
    },
  };
}
