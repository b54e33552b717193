import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import { openDatabase } from "./database.ts";
import { toFailure } from "./errors.ts";
import { createGroupCommit } from "./group-commit.ts";
import { schemaVersion } from "./migrations.ts";
import { createOperations } from "./operations.ts";
import type { Failure, HostMessage, OpenOptions, Request, WorkerMessage } from "./protocol.ts";

/** So many questions at most share one transaction: enough to hide the disk, few enough to answer soon. */
const maxBatch = 512;
/** What can wait is done when nothing was written for this long. */
const idleMs = 25;
/** The search index does not fall further behind than this, and goes on by so many at a time. */
const indexAfterWrites = 256;
const indexAtOnce = 256;
/** So many writes are worth taking the journal into the file for. */
const checkpointAfterWrites = 200;

type IdleParts = {
  /** Takes the next memories into the search index; how many. */
  indexSome(): number;
  /** Goes on with what forgetting has left to do in the index; whether there is more. */
  scrubSome(): boolean;
  checkpoint(): void;
  warn(error: unknown): void;
};

if (parentPort) awaitFile(parentPort);

/** Says nothing and does nothing until it is told which file to open. */
function awaitFile(port: MessagePort): void {
  port.once("message", (options: OpenOptions) => serve(port, options));
}

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
  const { database, commits, indexSome, scrubSome } = opened;
  const idleWork = createIdleWork({
    indexSome,
    scrubSome,
    checkpoint: () => database.exec("pragma wal_checkpoint(passive)"),
    warn: (error) => post({ type: "warning", message: "the store's idle work failed", failure: failureOf(error) }),
  });
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
        idleWork.finish();
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
      idleWork.wrote(commits.counts.writes - before);
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
      unindexed: search.behind(),
      commits: commits.counts.commits,
      writes: commits.counts.writes,
    });
  const { operation, forget, search } = createOperations(database, { look, readOnly: options.readOnly });
  const commits = createGroupCommit({ database, operation, toFailure: failureOf, onUndo: forget });
  const inTransaction = <Result>(work: () => Result): Result => {
    database.exec("begin immediate");
    try {
      const result = work();
      database.exec("commit");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  };
  const indexSome = (): number => {
    if (options.readOnly || search.behind() === 0) return 0;
    return inTransaction(() => search.index(indexAtOnce));
  };
  const scrubSome = (): boolean => {
    if (options.readOnly) return false;
    if (search.isScrubbed()) return false;
    const hasMore = inTransaction(() => search.scrub());
    if (!hasMore) search.settle();
    return hasMore;
  };
  return { database, commits, indexSome, scrubSome };
}

/** What is done when nothing is asked for: the search index goes on, the journal is taken into the file. */
function createIdleWork({ indexSome, scrubSome, checkpoint, warn }: IdleParts) {
  let unindexed = 0;
  let unsettled = 0;
  let soon: NodeJS.Immediate | undefined;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      // Nothing is lost: searches look at what is not indexed, the journal is part of the data, the next pause tries again.
      warn(error);
    }
  };
  /** Goes on with the index until it is no more than a slice behind what was written. */
  const index = (): void => {
    let behind = unindexed;
    unindexed = 0;
    attempt(() => {
      let taken = indexAtOnce;
      for (; taken === indexAtOnce && behind > 0; behind -= taken) taken = indexSome();
      // More than was counted: left over from an earlier process. Whoever asks meanwhile comes first.
      if (taken === indexAtOnce) soon = setImmediate(rest);
    });
  };
  const rest = (): void => {
    unindexed += 1;
    index();
    attempt(() => {
      if (!scrubSome()) return;
      clearImmediate(soon);
      soon = setImmediate(rest);
    });
    if (unsettled < checkpointAfterWrites) return;
    unsettled = 0;
    attempt(checkpoint);
  };
  const timer = setTimeout(rest, idleMs);
  return {
    wrote: (count: number): void => {
      if (count === 0) return;
      unindexed += count;
      unsettled += count;
      if (unindexed >= indexAfterWrites) index();
      timer.refresh();
    },
    finish: (): void => {
      clearTimeout(timer);
      clearImmediate(soon);
      while (indexSome() > 0);
      while (scrubSome());
    },
  };
}
