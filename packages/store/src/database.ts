import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import * as sqlite from "node:sqlite";
import { Refusal } from "./errors.ts";
import { checkSchema, migrate } from "./migrations.ts";
import { inMemory, type OpenOptions } from "./protocol.ts";

/** The first release without the defect that could damage a file when two connections wrote a checkpoint at once. @see https://sqlite.org/wal.html#walresetbug */
const oldestSafeSqlite = "3.51.3";
const waitForLockMs = 5000;
const cacheKibibytes = 8192;
const journalLimitBytes = 64 * 1024 * 1024;
/** Pages the journal may grow to before a commit itself has to take them into the file; the worker does it earlier, when idle. */
const checkpointPages = 8000;

/** Later releases of Node call it `Database` and keep the old name for a while. @see https://nodejs.org/api/deprecations.html */
const Database: typeof sqlite.DatabaseSync = Reflect.get(sqlite, "DatabaseSync") ?? Reflect.get(sqlite, "Database");

/**
 * Opens a file, or a database in memory, with our settings, and brings its schema up to date unless it is opened for
 * reading only. Directory and file are made for their owner alone.
 * @throws Refusal `not_found` when there is nothing to read, `conflict` for another schema; SQLite's and the system's errors.
 */
export function openDatabase({ path, readOnly, maxPages }: OpenOptions): sqlite.DatabaseSync {
  if (readOnly) checkReadable(path);
  else if (path !== inMemory) prepareFile(path);
  const database = new Database(path, { readOnly, timeout: waitForLockMs });
  try {
    checkVersion(database);
    if (readOnly) {
      database.exec(`pragma query_only = on; pragma cache_size = -${cacheKibibytes}`);
      checkSchema(database, path);
    } else {
      configure(database);
      migrate(database, path);
      if (maxPages !== undefined) database.exec(`pragma max_page_count = ${maxPages}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: sqlite.DatabaseSync): void {
  database.exec(`
    pragma auto_vacuum = incremental;
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma wal_autocheckpoint = ${checkpointPages};
    pragma secure_delete = on;
    pragma trusted_schema = off;
    pragma temp_store = memory;
    pragma cache_size = -${cacheKibibytes};
    pragma journal_size_limit = ${journalLimitBytes};
  `);
}

function checkReadable(path: string): void {
  if (path === inMemory) {
    throw new Refusal("invalid", "a store in memory cannot be opened for reading only; name a file");
  }
  if (existsSync(path)) return;
  throw new Refusal(
    "not_found",
    `there is no database at ${path} yet; start an agent once, or name another TROUPE_HOME`,
  );
}

/** SQLite gives -wal and -shm the rights of the file itself. */
function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

function checkVersion(database: sqlite.DatabaseSync): void {
  const version = String(database.prepare("select sqlite_version() as version").get()?.version ?? "0");
  if (isAtLeast(version, oldestSafeSqlite)) return;
  throw new Refusal(
    "unavailable",
    `this Node brings SQLite ${version}, which can damage a database; use Node 24.15 or newer (SQLite ${oldestSafeSqlite})`,
  );
}

/** Compares versions of numbers separated by dots. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of least.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
