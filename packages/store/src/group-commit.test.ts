import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toFailure } from "./errors.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Operation } from "./operations.ts";
import type { OperationName, Request } from "./protocol.ts";

let database: DatabaseSync;
let undone: number;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
  database.exec("create table t(value text unique)");
  undone = 0;
});
afterEach(() => database.close());

/** Operations of a table of texts: writes put one, reads count them. */
const operations: Partial<Record<OperationName, Operation>> = {
  "admin.write": {
    isWrite: true,
    run: ([text]) => {
      database.prepare("insert into t values(?)").run(String(text));
      return '"put"';
    },
  },
  "admin.look": { isWrite: false, run: () => JSON.stringify(values().length) },
};

function values(): readonly unknown[] {
  const rows = database.prepare("select value from t order by rowid").all();
  return rows.map(({ value }) => value);
}

function groupCommit() {
  return createGroupCommit({
    database,
    operation: (name) => operations[name] ?? { isWrite: false, run: () => null },
    toFailure: (error) => toFailure(error, { path: "db" }),
    onUndo: () => {
      undone += 1;
    },
  });
}

const put = (id: number, text: string): Request => [id, "admin.write", [text]];
const count = (id: number): Request => [id, "admin.look", []];

describe("group commit", () => {
  it("commits everything that came together once, in its order", () => {
    const commits = groupCommit();
    const replies = commits.answer([put(1, "a"), count(2), put(3, "b"), count(4)]);
    expect(replies).toEqual([
      [1, '"put"'],
      [2, "1"],
      [3, '"put"'],
      [4, "2"],
    ]);
    expect(commits.counts.commits).toBe(1);
    expect(database.isTransaction).toBe(false);
  });

  it("opens no transaction for reading alone", () => {
    const commits = groupCommit();
    expect(commits.answer([count(1), count(2)])).toEqual([
      [1, "0"],
      [2, "0"],
    ]);
    expect(commits.counts.commits).toBe(0);
  });

  it("undoes only the caller that failed", () => {
    const replies = groupCommit().answer([put(1, "a"), put(2, "a"), put(3, "b")]);
    expect(replies.map(([id, , failure]) => [id, failure?.code])).toEqual([
      [1, undefined],
      [2, "invalid"],
      [3, undefined],
    ]);
    expect(values()).toEqual(["a", "b"]);
    expect(undone).toBeGreaterThan(0);
  });

  it("tries everyone alone when the whole transaction is lost, so that only the one to blame fails", () => {
    database.exec("pragma max_page_count = 20");
    const huge = "x".repeat(200_000);
    const replies = groupCommit().answer([put(1, "a"), put(2, huge), put(3, "b"), count(4)]);
    expect(replies.map(([id, , failure]) => [id, failure?.code])).toEqual([
      [1, undefined],
      [2, "exhausted"],
      [3, undefined],
      [4, undefined],
    ]);
    expect(values()).toEqual(["a", "b"]);
    expect(database.isTransaction).toBe(false);
  });

  it("fails a single writer without leaving a transaction open", () => {
    const commits = groupCommit();
    commits.answer([put(1, "a")]);
    expect(commits.answer([put(2, "a")])[0]?.[2]?.code).toBe("invalid");
    expect(database.isTransaction).toBe(false);
    expect(commits.answer([put(3, "b")])).toEqual([[3, '"put"']]);
  });
});
