import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlRow, SqlStatement, TableOwner, TableStep } from "@troupe/core";
import { Refusal } from "./errors.ts";
import { prepare } from "./statement.ts";
import { guardStatement, type Occasion } from "./table-guard.ts";

/** Plugins' own tables in SQL. Whatever a statement says, it reaches no table but its owner's; see {@link guardStatement}. */
export interface PluginTablesSql {
  /** Runs what has not run; the names of those steps. */
  migrate(owner: TableOwner, steps: readonly TableStep[], now: number): readonly string[];
  query(owner: TableOwner, statement: SqlStatement): readonly SqlRow[];
  write(owner: TableOwner, statements: readonly SqlStatement[]): readonly number[];
  /** Must be called when a transaction was undone: tables that were made in it are nobody's again. */
  forget(): void;
}

const mostRows = 10_000;
/** So many compiled statements of plugins are kept. */
const mostStatements = 200;

type Ran = readonly [name: string, checksum: string, at: number];

/** Plugins' tables of one database. */
export function createPluginTablesSql(database: DatabaseSync): PluginTablesSql {
  const ran = prepare<Ran>(database, "select name, checksum, at from plugin_step where plugin = ? order by place");
  const record = prepare(database, "insert into plugin_step(plugin, place, name, checksum, at) values(?,?,?,?,?)");
  const owned = prepare<readonly [string, string]>(database, "select name, plugin from plugin_table");
  const claim = prepare(
    database,
    `insert or ignore into plugin_table(name, plugin)
     select lower(name), ?1 from sqlite_schema where type = 'table' and substr(lower(name), 1, ?2) = ?3`,
  );
  const compiled = new Map<string, StatementSync>();
  let owners: ReadonlyMap<string, string> | undefined;
  const guarded = <Result>(owner: TableOwner, occasion: Occasion, compile: () => Result): Result => {
    // Read beforehand: under a guard nothing of ours can be read.
    owners ??= new Map(owned.all());
    const known = owners;
    const isOwn = (name: string): boolean => {
      const plain = name.toLowerCase();
      return plain.startsWith(owner.prefix) && (known.get(plain) ?? owner.plugin) === owner.plugin;
    };
    return blamed(owner, () => guardStatement(database, { occasion, isOwn }, compile));
  };
  /** Setting a guard makes SQLite compile everything anew, so what was compiled under it is kept. */
  const compile = (owner: TableOwner, occasion: Occasion, sql: string): StatementSync => {
    const key = JSON.stringify([owner.plugin, occasion, sql]);
    const statement = compiled.get(key) ?? guarded(owner, occasion, () => database.prepare(sql));
    compiled.delete(key);
    compiled.set(key, statement);
    const [oldest] = compiled.keys();
    if (compiled.size > mostStatements && oldest !== undefined) compiled.delete(oldest);
    return statement;
  };
  return {
    migrate(owner, steps, now) {
      const before = ran.all(owner.plugin);
      checkRan(owner, before, steps);
      const fresh = steps.slice(before.length);
      for (const [at, { name, statements }] of fresh.entries()) {
        for (const sql of statements) guarded(owner, "define", () => database.exec(sql));
        record.run(owner.plugin, before.length + at, name, checksum(statements), now);
      }
      if (fresh.length > 0) claim.run(owner.plugin, owner.prefix.length, owner.prefix);
      owners = undefined;
      return fresh.map(({ name }) => name);
    },
    query(owner, { sql, parameters = [] }) {
      const statement = compile(owner, "read", sql);
      return blamed(owner, () => readRows(statement, parameters));
    },
    write: (owner, statements) =>
      statements.map(({ sql, parameters = [] }) => {
        const statement = compile(owner, "write", sql);
        return blamed(owner, () => Number(statement.run(...parameters).changes));
      }),
    forget() {
      owners = undefined;
      compiled.clear();
    },
  };
}

function readRows(statement: StatementSync, parameters: NonNullable<SqlStatement["parameters"]>): readonly SqlRow[] {
  const rows: SqlRow[] = [];
  for (const row of statement.iterate(...parameters)) {
    if (rows.length === mostRows) throw new Refusal("invalid", `a query gives more than ${mostRows} rows; add a LIMIT`);
    const bytes = Object.entries(row).find(([, cell]) => cell instanceof Uint8Array);
    if (bytes) throw new Refusal("invalid", `the column ${bytes[0]} holds bytes; keep them as text`);
    // Neither bytes nor big integers: those are refused, here and by SQLite's binding.
    rows.push(row as SqlRow);
  }
  return rows;
}

function checkRan({ plugin }: TableOwner, before: readonly Ran[], steps: readonly TableStep[]): void {
  for (const [place, [name, sum, at]] of before.entries()) {
    const step = steps[place];
    if (step && step.name === name && checksum(step.statements) === sum) continue;
    const when = new Date(at).toISOString().slice(0, 10);
    if (!step) {
      const remedy = "use the version of the plugin that has it";
      throw new Refusal(
        "conflict",
        `the tables of ${plugin} are newer than it: its migration ${name} is missing; ${remedy}`,
      );
    }
    const now = step.name === name ? "has other statements now" : `stands in the place of ${step.name} now`;
    const remedy = "put it back as it was, and write what is new as a migration after the last one";
    throw new Refusal("conflict", `the migration ${name} of ${plugin} ran on ${when} and ${now}; ${remedy}`);
  }
}

function checksum(statements: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(statements)).digest("hex");
}

const constraintResult = 19;
const engineResults = new Set([1, constraintResult, 20, 21, 23, 25]);

/** SQLite's word on a plugin's statement: the plugin's own mistake, and not ours or the disk's. */
function blamed<Result>({ plugin }: TableOwner, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Refusal) throw error;
    const result = "errcode" in error ? Number(error.errcode) & 0xff : null;
    const isRange = "code" in error && (error.code === "ERR_OUT_OF_RANGE" || error.code === "ERR_INVALID_ARG_TYPE");
    if (!isRange && (result === null || !engineResults.has(result))) throw error;
    const code = result === constraintResult ? "conflict" : "invalid";
    throw new Refusal(code, `a statement of ${plugin} was refused: ${error.message}`);
  }
}
