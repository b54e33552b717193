import { Worker } from "node:worker_threads";
import { StoreError } from "@troupe/core/errors";
import type { SideResult, SideTask } from "./protocol.ts";
import { toStoreError } from "./worker-link.ts";

/** Runs a task on a thread and connection of its own and ends them. Returns what is wrong with the pages. @throws StoreError */
export function runSideTask(task: SideTask): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./side-worker.ts", import.meta.url), {
      workerData: task,
      name: "store-side",
      execArgv: [],
    });
    worker.on("message", (result: SideResult) => {
      if ("failure" in result) reject(toStoreError(result.failure));
      else resolve(result.problems);
    });
    worker.on("error", (cause) => reject(ended(cause)));
    worker.on("exit", () => reject(ended()));
  });

  function ended(cause?: unknown): StoreError {
    return new StoreError(
      "unavailable",
      `the thread for a ${task.type} of ${task.path} ended unexpectedly; try again`,
      {
        cause,
      },
    );
  }
}
