import { TroupeError } from "../errors.ts";
import type { TaskWorker, TaskWorkers } from "./task-worker.ts";

/** Workers by kind, and of whole families by the part before the slash: `choice` does `choice/post`. */
export function createTaskWorkers(): TaskWorkers {
  const workers = new Map<string, { readonly worker: TaskWorker; readonly owner: string }>();
  return {
    of: (kind) => (workers.get(kind) ?? workers.get(kind.split("/", 1)[0] ?? ""))?.worker ?? null,
    add(kind, worker, owner) {
      const holder = workers.get(kind);
      if (holder) {
        throw new TroupeError(
          "conflict",
          `${owner} wants to do the tasks of kind ${kind}, which ${holder.owner} does already; call one of the two differently`,
        );
      }
      const entry = { worker, owner };
      workers.set(kind, entry);
      return () => {
        if (workers.get(kind) === entry) workers.delete(kind);
      };
    },
  };
}
