import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** A statement that is compiled when it is first used. `Row` is the tuple of its select list. */
export interface Statement<Row> {
  get(...values: readonly SQLInputValue[]): Row | undefined;
  all(...values: readonly SQLInputValue[]): readonly Row[];
  /** Returns how many rows were changed. */
  run(...values: readonly SQLInputValue[]): number;
}

/** Prepares a statement whose rows come as tuples; `Row` must say what its select list says. */
export function prepare<Row = readonly []>(database: DatabaseSync, sql: string): Statement<Row> {
  let compiled: StatementSync | undefined;
  const statement = (): StatementSync => {
    if (!compiled) {
      compiled = database.prepare(sql);
      compiled.setReturnArrays(true);
    }
    return compiled;
  };
  return {
    // The tuple's shape is the select list's beside it: node:sqlite cannot know it.
    get: (...values) => statement().get(...values) as Row | undefined,
    all: (...values) => statement().all(...values) as unknown as readonly Row[],
    run: (...values) => Number(statement().run(...values).changes),
  };
}
