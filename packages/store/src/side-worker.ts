import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { checkPages } from "./check.ts";
import { openDatabase } from "./database.ts";
import { Refusal, toFailure } from "./errors.ts";
import type { SideResult, SideTask } from "./protocol.ts";

/** Tells SQLite to copy everything in one step: one view of the data, however much is written meanwhile. */
const allPages = 0x7fffffff;

if (parentPort) parentPort.postMessage(await perform(workerData));

async function perform(task: SideTask): Promise<SideResult> {
  try {
    const database = openDatabase({ path: task.path, readOnly: true });
    try {
      if (task.type === "check") return { problems: checkPages(database, task.deep) };
      await copy(database, task.toPath);
      return { problems: [] };
    } finally {
      database.close();
    }
  } catch (error) {
    return { failure: toFailure(error, { path: task.type === "backup" ? task.toPath : task.path }) };
  }
}

/** Copies under another name first: what stands under `toPath` is always whole. */
async function copy(database: sqlite.DatabaseSync, toPath: string): Promise<void> {
  if (existsSync(toPath)) {
    throw new Refusal("invalid", `there is a file at ${toPath} already; name another for the backup, or move it away`);
  }
  const partial = `${toPath}.partial`;
  rmSync(partial, { force: true });
  try {
    await sqlite.backup(database, partial, { rate: allPages });
    chmodSync(partial, 0o600);
    renameSync(partial, toPath);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
