import { hash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, errorMessage } from "@troupe/core/errors";

/** macOS allows 103 bytes, Linux 107; the same everywhere keeps homes movable. */
const longestPathBytes = 103;

/** Where the wanted path is too long for a socket, this file beside it says where the socket stands instead. */
const noteOf = (path: string): string => `${path}.address`;

const isPipe = (path: string): boolean => path.startsWith("\\\\");
const isShort = (path: string): boolean => isPipe(path) || Buffer.byteLength(path) <= longestPathBytes;

/**
 * The path a server listens on: the wanted one, or, when that is longer than the system allows, a short one in a directory of
 * the user's own among the temporary files, noted in a file beside the wanted one.
 * @throws ConfigError when that directory belongs to somebody else.
 */
export function claimAddress(path: string, temporary: string = tmpdir()): string {
  if (isShort(path)) {
    if (!isPipe(path)) rmSync(noteOf(path), { force: true });
    return path;
  }
  const directory = join(temporary, `troupe-${process.getuid?.() ?? "user"}`);
  makeOwnDirectory(directory);
  const address = join(directory, `${hash("sha256", path, "hex").slice(0, 16)}.sock`);
  if (!isShort(address)) {
    throw new ConfigError(
      "invalid",
      `no local socket can be made: ${path} and ${address} are both longer than ${longestPathBytes} bytes; choose a home with a shorter path (TROUPE_HOME) or a shorter TMPDIR`,
    );
  }
  writeFileSync(noteOf(path), `${address}\n`, { mode: 0o600 });
  return address;
}

/** The path a client connects to; null when no server with a long path has left a note. */
export function findAddress(path: string): string | null {
  if (isShort(path)) return path;
  try {
    return readFileSync(noteOf(path), "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new ConfigError(
      "unavailable",
      `${noteOf(path)} cannot be read (${errorMessage(error)}); correct its rights, or call as the user who runs the agent`,
      { cause: error },
    );
  }
}

/** Takes back what {@link claimAddress} noted. The socket itself goes with its server. */
export function releaseAddress(path: string): void {
  if (!isPipe(path)) rmSync(noteOf(path), { force: true });
}

/** Anybody may make files among the temporary ones: what is there must be a directory of ours. */
function makeOwnDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  const owner = process.getuid?.();
  if (!stats.isDirectory() || (owner !== undefined && stats.uid !== owner)) {
    throw new ConfigError(
      "unavailable",
      `${directory} is not a directory of this user, so no local socket is made there; remove it, or choose a home with a shorter path (TROUPE_HOME)`,
    );
  }
  chmodSync(directory, 0o700);
}
