import { Worker } from "node:worker_threads";

/**
 * A thread that will own a file. It begins by loading what it needs, and then waits, without keeping the process alive, until a
 * store takes it (`createSqliteStore({ thread })`). A thread serves one store.
 */
export type StoreThread = Worker;

/** Starts a thread; a program that does so first has it ready by the time it knows the file. */
export function startStoreThread(): StoreThread {
  const thread = new Worker(new URL("./worker.ts", import.meta.url), { name: "store", execArgv: [] });
  thread.unref();
  return thread;
}
