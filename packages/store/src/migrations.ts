import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";
import { firstSchema } from "./migrations/0001-first-schema.ts";
import { jobs } from "./migrations/0002-jobs.ts";
import { pluginTables } from "./migrations/0003-plugin-tables.ts";
import { recall } from "./migrations/0004-recall.ts";

/** One step of the schema. Numbers count up from 1; the text never changes once released. */
export type Migration = { readonly number: number; readonly sql: string };

/** All steps, oldest first. */
export const migrations: readonly Migration[] = [
  { number: 1, sql: firstSchema },
  { number: 2, sql: jobs },
  { number: 3, sql: pluginTables },
  { number: 4, sql: recall },
];

/** Marks a file as ours in its header: "Trpe". @see https://sqlite.org/pragma.html#pragma_application_id */
const applicationId = 0x54727065;

/** A file's number of applied migrations; 0 for a new one. */
export function schemaVersion(database: DatabaseSync): number {
  const row = database.prepare("pragma user_version").get();
  return Number(row?.user_version ?? 0);
}

/**
 * Brings a file up to the newest schema in one exclusive transaction: all missing steps or none. What was applied before
 * is checked against its checksum in `meta`.
 * @throws Refusal `conflict` when the file is newer than this program or a step was changed, `corrupt` when it is not ours.
 */
export function migrate(
  database: DatabaseSync,
  path: string,
  steps: readonly Migration[] = migrations,
): { readonly from: number; readonly to: number } {
  if (schemaVersion(database) === steps.length) {
    checkSchema(database, path, steps);
    return { from: steps.length, to: steps.length };
  }
  database.exec("begin exclusive");
  try {
    const from = schemaVersion(database);
    if (from === 0) begin(database, path);
    checkApplied(database, path, steps);
    for (const step of steps.slice(from)) apply(database, step);
    database.exec(`pragma user_version = ${steps.length}`);
    database.exec("commit");
    return { from, to: steps.length };
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/** Checks that a file has exactly the schema this program knows, changing nothing. @throws Refusal as {@link migrate}. */
export function checkSchema(database: DatabaseSync, path: string, steps: readonly Migration[] = migrations): void {
  checkApplied(database, path, steps);
  if (schemaVersion(database) < steps.length) {
    throw new Refusal(
      "conflict",
      `${path} was written by an older Troupe; start the agent once with this version to bring it up to date`,
    );
  }
}

function begin(database: DatabaseSync, path: string): void {
  const foreign = database.prepare("select count(*) as n from sqlite_schema").get();
  if (Number(foreign?.n ?? 0) > 0) {
    throw new Refusal(
      "corrupt",
      `${path} is a database of another program; choose another TROUPE_HOME or move that file away`,
    );
  }
  database.exec(`pragma application_id = ${applicationId}`);
  database.exec("create table meta(key text primary key, value text not null) strict, without rowid");
}

function apply(database: DatabaseSync, step: Migration): void {
  database.exec(step.sql);
  database.prepare("insert into meta(key, value) values(?, ?)").run(metaKey(step), checksum(step));
}

function checkApplied(database: DatabaseSync, path: string, steps: readonly Migration[]): void {
  const version = schemaVersion(database);
  if (version > steps.length) {
    throw new Refusal(
      "conflict",
      `${path} was written by a newer Troupe (schema ${version}, this one knows ${steps.length}); update Troupe, or choose another TROUPE_HOME`,
    );
  }
  const id = database.prepare("pragma application_id").get();
  if (version > 0 && id?.application_id !== applicationId) {
    throw new Refusal(
      "corrupt",
      `${path} is a database of another program; choose another TROUPE_HOME or move that file away`,
    );
  }
  for (const step of steps.slice(0, version)) {
    const row = database.prepare("select value from meta where key = ?").get(metaKey(step));
    if (row?.value === checksum(step)) continue;
    throw new Refusal(
      "conflict",
      `${path} was written by a Troupe whose migration ${metaKey(step)} differs from this one's; use the version that wrote it, or restore a backup`,
    );
  }
}

function metaKey(step: Migration): string {
  return `migration:${String(step.number).padStart(4, "0")}`;
}

function checksum(step: Migration): string {
  return createHash("sha256").update(step.sql).digest("hex");
}
