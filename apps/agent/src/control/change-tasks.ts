import type { Clock, Store, Task, TaskBook } from "@troupe/core";
import { createTaskBook } from "@troupe/core/task";
import type { ControlHandlers } from "./control-server.ts";
import type { ChangedTask, ControlRequest } from "./protocol.ts";

/** What an operator wants done with tasks. */
export type TaskRequest = Extract<ControlRequest, { type: "tasks.put" | "tasks.set" }>;

/** What tasks of a running process are changed with. */
export type TaskHandlersParts = {
  readonly store: Store;
  readonly clock: Clock;
  /** The tasks of each agent of the process, by its id. */
  readonly books: ReadonlyMap<string, TaskBook>;
};

/** Changes tasks inside the running process; those of a character that does not run here are done at its next start. */
export function taskHandlers(parts: TaskHandlersParts): Pick<ControlHandlers, TaskRequest["type"]> {
  const bookOf = (agentId: string): TaskBook => parts.books.get(agentId) ?? bookIn(agentId, parts);
  return {
    "tasks.put": (request) => changeTask(bookOf(request.agentId), request),
    "tasks.set": (request) => changeTask(bookOf(request.agentId), request),
  };
}

/** The tasks of an agent that nobody plays at this moment. */
export function bookIn(agentId: string, { store, clock }: Pick<TaskHandlersParts, "store" | "clock">): TaskBook {
  return createTaskBook({ agentId, store, clock, wakeJobs: () => undefined });
}

/** Carries out what an operator wants. @throws TroupeError when there is no such task, or it cannot be changed so. */
export async function changeTask(book: TaskBook, request: TaskRequest): Promise<ChangedTask> {
  if (request.type === "tasks.put") return toChanged(await book.put(request.draft));
  const { id, as } = request;
  switch (as) {
    case "pause":
      return toChanged(await book.pause(id));
    case "resume":
      return toChanged(await book.resume(id));
    case "run":
      return toChanged(await book.runNow(id));
    case "remove":
      await book.remove(id);
      return { id, state: "removed" };
  }
}

function toChanged({ id, state, nextAt }: Task): ChangedTask {
  return { id, state, ...(nextAt !== undefined && { nextAt }) };
}
