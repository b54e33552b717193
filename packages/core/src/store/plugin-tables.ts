/** What stands in a cell. A switch is 0 or 1; bytes are kept as text. */
export type SqlValue = string | number | null;

/** One statement with what stands for its `?`s, in order. */
export type SqlStatement = { readonly sql: string; readonly parameters?: readonly SqlValue[] };

/** A row by its columns' names. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Whose tables. All names of tables and indexes begin with `prefix`; they are the plugin's, not one agent's. */
export type TableOwner = { readonly plugin: string; readonly prefix: string };

/** One step of a plugin's schema, known by its place and its name. Its statements never change once it ran. */
export type TableStep = { readonly name: string; readonly statements: readonly string[] };

/**
 * Tables of plugins' own. An engine lets a statement touch no table but its owner's, whatever the statement says; nothing of a
 * plugin's runs inside a transaction but statements.
 */
export interface PluginTables {
  /**
   * Runs the steps that have not run, in order, all or none, and returns their names. Steps make tables, indexes and columns and
   * put first rows; what could destroy something is refused.
   * @throws StoreError `conflict` when a step that ran is another one now or is missing, `invalid` for one that cannot be run.
   */
  migrate(owner: TableOwner, steps: readonly TableStep[]): Promise<readonly string[]>;
  /** Reads, at most 10,000 rows. @throws StoreError `invalid` for a statement that cannot be run or does anything but read. */
  query(owner: TableOwner, statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Inserts, updates and deletes, all or none; how many rows each changed.
   * @throws StoreError `conflict` when a row contradicts the table's rules, `invalid` for a statement that cannot be run.
   */
  write(owner: TableOwner, statements: readonly SqlStatement[]): Promise<readonly number[]>;
}
