import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import { type HomePaths, toHomeError } from "./home.ts";

/** Who works in a home. */
export type Holder = {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly characters: readonly string[];
  readonly command: string;
};

/** A home that is held: by nobody else until `release`, or until this process ends in whatever way. */
export type HomeLock = { release(): void };

/** A look at a home's lock. `holder` is absent when its note cannot be read. */
export type LockState = { readonly isHeld: false } | { readonly isHeld: true; readonly holder?: Holder };

/** Whoever only looks at the lock has it for a moment; it is waited for this long. */
const waitMs = 400;

/** Later releases of Node call it `Database`. @see https://nodejs.org/api/deprecations.html */
const Database: typeof sqlite.DatabaseSync = Reflect.get(sqlite, "DatabaseSync") ?? Reflect.get(sqlite, "Database");

/** A database that nothing refers to any more is closed by the collector, and its lock with it: these are kept. */
const held = new Set<sqlite.DatabaseSync>();

/**
 * Holds the home for this process: an exclusive transaction on a database of its own, which the system ends with the
 * process, `kill -9` included. Who holds it is noted beside it.
 * @throws ConfigError `conflict` naming who holds it; other codes when the home cannot be written.
 */
export function holdHome(home: HomePaths, holder: Holder): HomeLock {
  const database = openLock(home, waitMs);
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (isBusy(error)) throw toHeldError(home, holder);
    throw toLockError(error, home);
  }
  noteHolder(home, holder, () => database.close());
  held.add(database);
  return {
    release() {
      if (!database.isOpen) return;
      rmSync(home.holderPath, { force: true });
      held.delete(database);
      database.close();
    },
  };
}

/** Whether somebody holds the home now. Does not disturb them. */
export function lookAtLock(home: HomePaths): LockState {
  const database = openExisting(home);
  if (database === undefined) return { isHeld: false };
  try {
    database.prepare("select count(*) from sqlite_schema").get();
    return { isHeld: false };
  } catch (error) {
    if (!isBusy(error)) throw toLockError(error, home);
    const holder = readHolder(home);
    return { isHeld: true, ...(holder && { holder }) };
  } finally {
    database.close();
  }
}

function openLock(home: HomePaths, timeout: number): sqlite.DatabaseSync {
  try {
    // Made for its owner alone. It must not be opened so while it is held: closing it would end the lock.
    closeSync(openSync(home.lockPath, "a", 0o600));
    return new Database(home.lockPath, { timeout });
  } catch (error) {
    throw toLockError(error, home);
  }
}

function openExisting(home: HomePaths): sqlite.DatabaseSync | undefined {
  try {
    return new Database(home.lockPath, { readOnly: true, timeout: 0 });
  } catch (error) {
    // Nobody ever held a home without a lock file.
    if (errorMessage(error).includes("unable to open")) return undefined;
    throw toLockError(error, home);
  }
}

function noteHolder(home: HomePaths, holder: Holder, release: () => void): void {
  const draft = `${home.holderPath}.${holder.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(draft, home.holderPath);
  } catch (error) {
    release();
    throw toHomeError(error, home.path);
  }
}

function readHolder(home: HomePaths): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(home.holderPath, "utf8"));
    return isHolder(value) ? value : undefined;
  } catch {
    // The note is for people only; without it the lock still tells that somebody is there.
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "startedAt" in value &&
    typeof value.startedAt === "string" &&
    "characters" in value &&
    Array.isArray(value.characters) &&
    "command" in value &&
    typeof value.command === "string"
  );
}

/** Says in one line who a holder is. */
export function describeHolder({ pid, startedAt, characters, command }: Holder): string {
  return `process ${pid}, "${command}" with ${characters.join(", ") || "no character"}, since ${startedAt}`;
}

function toHeldError(home: HomePaths, self: Holder): ConfigError {
  const holder = readHolder(home);
  const who = holder ? describeHolder(holder) : "its note cannot be read";
  const stop = holder && holder.pid !== self.pid ? `stop it (Ctrl-C there, or: kill ${holder.pid})` : "stop it";
  return new ConfigError(
    "conflict",
    `another agent works in the home ${home.path} (${who}); ${stop}, or name another home with --home or TROUPE_HOME`,
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

function toLockError(error: unknown, home: HomePaths): ConfigError {
  return new ConfigError(
    "unavailable",
    `the lock ${home.lockPath} cannot be used (${errorMessage(error)}); check the rights of the home and its disk, and remove that file if it is damaged and no agent runs`,
    { cause: error },
  );
}
