import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Store } from "@troupe/core";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import { type HomePaths, looseRights, toHomeError } from "../home/home.ts";
import { describeHolder, lookAtLock } from "../home/lock.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

const lowDiskBytes = 500 * 2 ** 20;

/** Looks at the home: that it can be used, by its owner alone, with room on its disk, and who works in it. */
export async function checkHome(home: HomePaths): Promise<readonly Finding[]> {
  const stats = statSync(home.path, { throwIfNoEntry: false });
  if (stats === undefined) return [await checkNewHome(home), await checkSpace(existingParent(home.path))];
  if (!stats.isDirectory()) {
    return [broken("home", `the home ${home.path} is not a directory; name another one with --home or TROUPE_HOME`)];
  }
  const loose = looseRights(home, stats);
  return [
    checkAccess(home.path),
    ...(loose === undefined ? [] : [doubtful("home", ...splitRemedy(loose))]),
    await checkSpace(home.path),
    checkLock(home),
  ];
}

function checkAccess(path: string): Finding {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return fine("home", path);
  } catch (error) {
    return broken("home", toHomeError(error, path).message);
  }
}

async function checkNewHome(home: HomePaths): Promise<Finding> {
  const parent = existingParent(home.path);
  const access = checkAccess(parent);
  return access.state === "fine" ? fine("home", `${home.path} will be made at the first start`) : access;
}

function existingParent(path: string): string {
  let parent = dirname(path);
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  return parent;
}

async function checkSpace(path: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(path);
    const freeBytes = bavail * bsize;
    const shown =
      freeBytes > 2 ** 30 ? `${(freeBytes / 2 ** 30).toFixed(1)} GiB` : `${Math.floor(freeBytes / 2 ** 20)} MiB`;
    if (freeBytes > lowDiskBytes) return fine("disk", `${shown} free`);
    return doubtful("disk", `only ${shown} free at ${path}`, "make room before the disk is full");
  } catch (error) {
    return doubtful("disk", `the free room at ${path} cannot be told (${errorMessage(error)})`, "check the disk");
  }
}

function checkLock(home: HomePaths): Finding {
  try {
    const lock = lookAtLock(home);
    if (!lock.isHeld) return fine("agent", "none is running in this home");
    return fine("agent", `running: ${lock.holder ? describeHolder(lock.holder) : "who it is cannot be read"}`);
  } catch (error) {
    return broken("agent", errorMessage(error));
  }
}

/** Opens the database beside whoever uses it and asks it how it is; `isDeep` reads every page. */
export async function checkDatabase(
  home: HomePaths,
  open: () => Promise<Store>,
  isDeep: boolean,
): Promise<readonly Finding[]> {
  if (!existsSync(home.databasePath)) return [fine("database", "not there yet; the first start makes it")];
  try {
    const store = await open();
    const { problems, details } = await store.admin.health({ deep: isDeep });
    if (problems.length > 0) return problems.map((problem) => broken("database", problem));
    const sizeMib = Number(details["sizeBytes"] ?? 0) / 2 ** 20;
    const shown = `schema ${details["schema"] ?? "unknown"}, ${sizeMib.toFixed(1)} MiB`;
    return [fine("database", `${isDeep ? "every page is sound" : "sound"} (${shown})`)];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return [broken("database", errorMessage(error))];
  }
}

function splitRemedy(text: string): readonly [message: string, remedy: string] {
  const at = text.indexOf("; ");
  return [text.slice(0, at), text.slice(at + 2)];
}
