import { ConfigError, StoreError } from "../errors.ts";
import type { PluginTables, SqlRow, SqlStatement, SqlValue } from "../store/plugin-tables.ts";
import { type PluginMigration, tableOwner, toTableSteps } from "./check-migrations.ts";
import { readSql } from "./read-sql.ts";
import type { Tables } from "./runtime.ts";

/**
 * Brings a plugin's tables up to date; does nothing for a plugin without any.
 * @throws ConfigError for migrations that are not usable, or a store without tables; StoreError as {@link PluginTables.migrate}.
 */
export async function migrateTables(
  plugin: string,
  migrations: readonly PluginMigration[] | undefined,
  tables: PluginTables | undefined,
): Promise<readonly string[]> {
  if (!migrations || migrations.length === 0) return [];
  const owner = tableOwner(plugin);
  const steps = toTableSteps(owner, migrations);
  return requireTables(tables, plugin).migrate(owner, steps);
}

/** A plugin's own tables over the store's; `plugin` is absent for the program itself, which has none. */
export function createTables(tables: PluginTables | undefined, plugin: string | undefined): Tables {
  const find = (): { readonly kept: PluginTables; readonly owner: ReturnType<typeof tableOwner> } => {
    if (plugin === undefined) {
      throw new ConfigError("invalid", "tables belong to plugins; use the runtime a plugin was given");
    }
    return { kept: requireTables(tables, plugin), owner: tableOwner(plugin) };
  };
  return {
    async query<Row extends SqlRow = SqlRow>(sql: string, parameters: readonly (SqlValue | boolean)[] = []) {
      const { kept, owner } = find();
      const rows = await kept.query(owner, toStatement({ sql, parameters }));
      // The caller names the columns; only it knows what it selects.
      return rows as readonly Row[];
    },
    async write(statements) {
      const { kept, owner } = find();
      return statements.length === 0 ? [] : kept.write(owner, statements.map(toStatement));
    },
  };
}

function requireTables(tables: PluginTables | undefined, plugin: string): PluginTables {
  if (tables) return tables;
  throw new ConfigError(
    "invalid",
    `${plugin} has tables, and this store keeps none for plugins; use the store on SQLite, or one whose contract has tables`,
  );
}

type GivenStatement = { readonly sql: string; readonly parameters?: readonly (SqlValue | boolean)[] };

/** @throws StoreError `invalid` for what is not exactly one statement, and for values that cannot stand in a cell. */
function toStatement({ sql, parameters = [] }: GivenStatement): SqlStatement {
  const count = typeof sql === "string" ? readSql(sql).length : 0;
  if (count !== 1) {
    throw new StoreError("invalid", `one statement at a time: ${count} were given; give write a list of them`);
  }
  return { sql, parameters: parameters.map(toCell) };
}

function toCell(value: SqlValue | boolean, at: number): SqlValue {
  if (typeof value === "boolean") return Number(value);
  const isCell = typeof value === "string" || value === null || (typeof value === "number" && Number.isFinite(value));
  if (isCell) return value;
  throw new StoreError("invalid", `parameter ${at + 1} is no text, number, boolean or null; write it as one of these`);
}
