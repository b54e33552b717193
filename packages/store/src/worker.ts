import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openDatabase } from "./database.ts";
import { toFailure } from "./errors.ts";
import { createGroupCommit } from "./group-commit.ts";
import { schemaVersion } from "./migrations.ts";
import { createOperations } from "./operations.ts";
import type { Failure, HostMessage, OpenOptions, Request, WorkerMessage } from "./protocol.ts";

/** So many questions at most share one transaction: enough to hide the disk, few enough to answer soon. */
const maxBatch = 512;
/** Notes are taken into the search index when nothing was asked for this long … */
const indexAfterMs = 25;
/** … or when so many writes have come since, this many at a time. */
const indexAfterWrites = 256;
const indexAtOnce = 128;

if (parentPort) serve(parentPort, workerData);

/**
 * Owns the file. Takes whatever questions have arrived, answers them in order in one transaction, and only then looks
 * for the next: the longer a commit takes, the more share the next one.
 */
function serve(port: MessagePort, options: OpenOptions): void {
  const failureOf = (error: unknown): Failure => toFailure(error, options);
  const post = (message: WorkerMessage): void => port.postMessage(message);
  let opened: ReturnType<typeof open>;
  try {
    opened = open(options, failureOf);
  } catch (error) {
    post({ type: "failed", failure: failureOf(error) });
    port.close();
    return;
  }
  const { database, commits, indexer } = opened;
  const warn = (error: unknown): void =>
    post({ type: "warning", message: "the search index could not be brought up to date", failure: failureOf(error) });
  const queue: Request[] = [];
  let isClosing = false;

  const take = (message: HostMessage): void => {
    if (message === "close") isClosing = true;
    else queue.push(...message);
  };
  const drain = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) take(next.message);
  };
  const close = (): void => {
    try {
      if (!options.readOnly) {
        indexer.finish();
        database.exec("pragma wal_checkpoint(truncate)");
      }
      database.close();
      post({ type: "closed" });
    } catch (error) {
      post({ type: "closed", failure: failureOf(error) });
    }
    port.close();
  };

  port.on("message", (message: HostMessage) => {
    take(message);
    drain();
    while (queue.length > 0) {
      const before = commits.counts.writes;
      post(commits.answer(queue.splice(0, maxBatch)));
      indexer.wrote(commits.counts.writes - before, warn);
      drain();
    }
    if (isClosing) close();
  });
  post({ type: "ready" });
}

function open(options: OpenOptions, failureOf: (error: unknown) => Failure) {
  const database = openDatabase(options);
  const number = (pragma: string): number => Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
  const look = (): string =>
    JSON.stringify({
      sqlite: String(database.prepare("select sqlite_version() as version").get()?.version),
      schema: schemaVersion(database),
      sizeBytes: number("page_count") * number("page_size"),
      freeBytes: number("freelist_count") * number("page_size"),
      unindexed: Number(database.prepare("select count(*) as n from unindexed").get()?.n),
      commits: commits.counts.commits,
      writes: commits.counts.writes,
    });
  const { operation, agents, search } = createOperations(database, look);
  const commits = createGroupCommit({ database, operation, toFailure: failureOf, onUndo: agents.forget });
  const indexSome = (): number => {
    if (!search.hasNotes()) return 0;
    database.exec("begin immediate");
    try {
      const count = search.index(indexAtOnce);
      database.exec("commit");
      return count;
    } catch (error) {
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  };
  return { database, commits, indexer: createIndexer(indexSome) };
}

/** Brings the search index up to date when there is time. `indexSome` returns how many notes it took, 0 when none are left. */
function createIndexer(indexSome: () => number) {
  let writes = 0;
  let timer: NodeJS.Timeout | undefined;
  let warn: (error: unknown) => void = () => undefined;
  const step = (): void => {
    writes = 0;
    try {
      if (indexSome() > 0) timer?.refresh();
    } catch (error) {
      // The notes are kept: the next write tries again, and searches look at them as they are.
      warn(error);
    }
  };
  return {
    wrote: (count: number, onError: (error: unknown) => void): void => {
      if (count === 0) return;
      warn = onError;
      writes += count;
      if (writes >= indexAfterWrites) return step();
      timer ??= setTimeout(step, indexAfterMs);
      timer.refresh();
    },
    finish: (): void => {
      clearTimeout(timer);
      while (indexSome() > 0);
    },
  };
}
