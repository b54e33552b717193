import type { DatabaseSync } from "node:sqlite";
import type { Operation } from "./operations.ts";
import type { Failure, OperationName, Reply, Request } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** What group commit needs of its surroundings. */
export type GroupCommitParts = {
  readonly database: DatabaseSync;
  readonly operation: (name: OperationName) => Operation;
  readonly toFailure: (error: unknown) => Failure;
  /** Called whenever a transaction or a part of one was undone. */
  readonly onUndo: () => void;
};

/** How much was done: commits that carried writes, and writes they carried. */
type CommitCounts = { commits: number; writes: number };

/**
 * Answers requests in their order, all of a batch in one transaction.
 *
 * Every writer stands on its own savepoint: when one fails, the others do not notice. When the transaction as a whole is
 * lost (a full disk, a failed commit), nothing of it was told to anybody, so everyone is tried again alone and gets an
 * answer of its own.
 */
export interface GroupCommit {
  answer(requests: readonly Request[]): readonly Reply[];
  readonly counts: Readonly<CommitCounts>;
}

/** Group commit on one open database. */
export function createGroupCommit({ database, operation, toFailure, onUndo }: GroupCommitParts): GroupCommit {
  const begin = prepare(database, "begin immediate");
  const commit = prepare(database, "commit");
  const rollback = prepare(database, "rollback");
  const savepoint = prepare(database, "savepoint caller");
  const release = prepare(database, "release caller");
  const undo = prepare(database, "rollback to caller");
  const counts: CommitCounts = { commits: 0, writes: 0 };

  const isWrite = ([, name]: Request): boolean => operation(name).isWrite;

  const read = ([id, name, args]: Request): Reply => {
    try {
      return [id, operation(name).run(args)];
    } catch (error) {
      return [id, null, toFailure(error)];
    }
  };

  /** Throws when the transaction is gone; any other failure is the caller's own. */
  const write = ([id, name, args]: Request): Reply => {
    savepoint.run();
    try {
      const result = operation(name).run(args);
      release.run();
      return [id, result];
    } catch (error) {
      onUndo();
      if (!database.isTransaction) throw error;
      undo.run();
      release.run();
      return [id, null, toFailure(error)];
    }
  };

  const abandon = (): void => {
    onUndo();
    if (database.isTransaction) rollback.run();
  };

  const alone = (request: Request): Reply => {
    if (!isWrite(request)) return read(request);
    const [id, name, args] = request;
    try {
      begin.run();
      const result = operation(name).run(args);
      commit.run();
      counts.commits += 1;
      counts.writes += 1;
      return [id, result];
    } catch (error) {
      abandon();
      return [id, null, toFailure(error)];
    }
  };

  const together = (requests: readonly Request[]): readonly Reply[] => {
    try {
      begin.run();
    } catch (error) {
      const failure = toFailure(error);
      return requests.map((request) => (isWrite(request) ? [request[0], null, failure] : read(request)));
    }
    try {
      const replies = requests.map((request) => (isWrite(request) ? write(request) : read(request)));
      commit.run();
      counts.commits += 1;
      counts.writes += requests.length;
      return replies;
    } catch {
      // Nobody was told anything yet: each is tried again alone, and whoever is to blame gets the error then.
      abandon();
      return requests.map(alone);
    }
  };

  return {
    counts,
    answer: (requests) => {
      const first = requests[0];
      if (first && requests.length === 1) return [alone(first)];
      return requests.some(isWrite) ? together(requests) : requests.map(read);
    },
  };
}
