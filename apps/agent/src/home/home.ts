import { accessSync, chmodSync, constants, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, errorMessage } from "@troupe/core/errors";

/** Where things stand in an agent's home. All absolute. */
export type HomePaths = {
  readonly path: string;
  readonly databasePath: string;
  /** The local socket of the running agent; a name of its own on Windows. */
  readonly socketPath: string;
  /** The database whose exclusive lock says that an agent runs. */
  readonly lockPath: string;
  /** Who holds the lock, for people. */
  readonly holderPath: string;
  readonly logPath: string;
};

/** The paths in a home; looks at nothing. */
export function homePaths(path: string): HomePaths {
  return {
    path,
    databasePath: join(path, "troupe.db"),
    socketPath:
      process.platform === "win32" ? `\\\\.\\pipe\\${path.replaceAll(/[\\/:]/g, "-")}` : join(path, "agent.sock"),
    lockPath: join(path, "agent.lock"),
    holderPath: join(path, "agent.json"),
    logPath: join(path, "logs", "agent.log"),
  };
}

/**
 * Makes the home and its directory for logs, for their owner alone, where they are missing.
 * @throws ConfigError when it is a file, cannot be made or cannot be written to; it names the remedy.
 */
export function prepareHome(home: HomePaths): void {
  const { path } = home;
  try {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    makeDirectory(join(path, "logs"));
  } catch (error) {
    throw toHomeError(error, path);
  }
}

/** One level after the other: asked to make all, Node never comes back from a place where none can be made, such as /proc. */
function makeDirectory(path: string): void {
  const stats = statOf(path);
  if (stats?.isDirectory()) return;
  const parent = dirname(path);
  if (stats === undefined && parent !== path) {
    if (statOf(parent)?.isFile()) throw Object.assign(new Error(`${parent} is a file`), { code: "ENOTDIR" });
    makeDirectory(parent);
  }
  mkdirSync(path, { mode: 0o700 });
  // The mask of the process may have taken away what the owner needs.
  chmodSync(path, 0o700);
}

/** What is to be said about the rights of a home that others may enter, or undefined when it is the owner's alone. */
export function looseRights(home: HomePaths, stats: Stats | undefined = statOf(home.path)): string | undefined {
  if (stats === undefined || process.platform === "win32" || (stats.mode & 0o077) === 0) return undefined;
  const mode = (stats.mode & 0o777).toString(8);
  return `other users of this machine may enter the home ${home.path} (rights ${mode}); close it with: chmod 700 '${quoted(home.path)}'`;
}

function quoted(path: string): string {
  return path.replaceAll("'", "'\\''");
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** What went wrong with a home, in words with a remedy. */
export function toHomeError(error: unknown, path: string): ConfigError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const other = "or name another home with --home or TROUPE_HOME";
  const reason = {
    EEXIST: `the home ${path} is a file; move it away, ${other}`,
    ENOTDIR: `the home ${path} lies below something that is a file; move that away, ${other}`,
    EACCES: `the home ${path} may not be written by this user; correct its rights (chmod, chown), ${other}`,
    EPERM: `the home ${path} may not be written by this user; correct its rights (chmod, chown), ${other}`,
    EROFS: `the home ${path} is on a disk mounted read-only; mount it writable, ${other}`,
    ENOSPC: `there is no room left on the disk of the home ${path}; make room, ${other}`,
    EDQUOT: `the disk quota of the home ${path} is used up; make room, ${other}`,
    ENAMETOOLONG: `the path of the home is too long: ${path}; name a shorter one with --home or TROUPE_HOME`,
  }[String(code)];
  const details = { cause: error };
  if (reason !== undefined)
    return new ConfigError(String(code) === "ENOSPC" ? "exhausted" : "unavailable", reason, details);
  return new ConfigError(
    "unavailable",
    `the home ${path} cannot be used (${errorMessage(error)}); check it, ${other}`,
    details,
  );
}
