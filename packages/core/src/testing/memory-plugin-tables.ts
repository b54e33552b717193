import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errorMessage, StoreError } from "../errors.ts";
import type { PluginTables, SqlRow, SqlStatement, TableOwner, TableStep } from "../store/plugin-tables.ts";

const mostRows = 10_000;

type Ran = { readonly name: string; readonly checksum: string };
type Kept = {
  readonly database: DatabaseSync;
  readonly constants: typeof import("node:sqlite").constants;
  readonly ran: Map<string, readonly Ran[]>;
  readonly owners: Map<string, string>;
};

/** Plugins' tables in memory, on an engine of their own that is opened when a plugin first needs it. */
export function createMemoryPluginTables(): PluginTables & { close(): Promise<void> } {
  let opening: Promise<Kept> | undefined;
  const open = (): Promise<Kept> => (opening ??= openTables());
  return {
    migrate: async (owner, steps) => migrate(await open(), owner, steps),
    query: async (owner, statement) => query(await open(), owner, statement),
    write: async (owner, statements) => {
      const kept = await open();
      return atomically(kept, () => statements.map((statement) => write(kept, owner, statement)));
    },
    async close() {
      (await opening)?.database.close();
    },
  };
}

async function openTables(): Promise<Kept> {
  const { DatabaseSync: Database, constants } = await import("node:sqlite");
  return { database: new Database(":memory:"), constants, ran: new Map(), owners: new Map() };
}

function migrate(kept: Kept, owner: TableOwner, steps: readonly TableStep[]): readonly string[] {
  const before = kept.ran.get(owner.plugin) ?? [];
  const now = steps.map(({ name, statements }) => ({
    name,
    checksum: hash("sha256", JSON.stringify(statements), "hex"),
  }));
  for (const [at, { name, checksum }] of before.entries()) {
    if (now[at]?.name !== name || now[at].checksum !== checksum) {
      throw new StoreError("conflict", `the migration ${name} of ${owner.plugin} ran before and is another one now`);
    }
  }
  const fresh = steps.slice(before.length);
  atomically(kept, () => {
    for (const statement of fresh.flatMap(({ statements }) => statements)) {
      guarded(kept, { owner, mode: "define" }, () => kept.database.exec(statement));
    }
  });
  for (const { name } of kept.database.prepare("select name from sqlite_schema where type = 'table'").iterate()) {
    const table = String(name).toLowerCase();
    if (table.startsWith(owner.prefix) && !kept.owners.has(table)) kept.owners.set(table, owner.plugin);
  }
  kept.ran.set(owner.plugin, now);
  return fresh.map(({ name }) => name);
}

function query(kept: Kept, owner: TableOwner, { sql, parameters = [] }: SqlStatement): readonly SqlRow[] {
  const statement = prepare(kept, { owner, mode: "read" }, sql);
  return blamed(owner, () => {
    // What the engine gives for texts and numbers; bytes are refused below.
    const rows = statement.all(...parameters) as unknown as SqlRow[];
    if (rows.length > mostRows)
      throw new StoreError("invalid", `a query gives more than ${mostRows} rows; add a LIMIT`);
    if (rows.some((row) => Object.values<unknown>(row).some((cell) => typeof cell === "object" && cell !== null))) {
      throw new StoreError("invalid", "a query gives bytes; keep them as text");
    }
    return rows.map((row) => ({ ...row }));
  });
}

function write(kept: Kept, owner: TableOwner, { sql, parameters = [] }: SqlStatement): number {
  const statement = prepare(kept, { owner, mode: "write" }, sql);
  return blamed(owner, () => Number(statement.run(...parameters).changes));
}

type Mode = "define" | "read" | "write";
type Asking = { readonly owner: TableOwner; readonly mode: Mode };

function prepare(kept: Kept, asking: Asking, sql: string): StatementSync {
  return guarded(kept, asking, () => kept.database.prepare(sql));
}

/** Lets a statement be compiled only when it keeps to its owner's tables and to what the occasion allows. */
function guarded<Result>(kept: Kept, asking: Asking, compile: () => Result): Result {
  const { database, constants } = kept;
  database.setAuthorizer((code, first, second) =>
    isAllowed(kept, asking, { code, first, second }) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  );
  try {
    return blamed(asking.owner, compile);
  } finally {
    database.setAuthorizer(null);
  }
}

type Deed = { readonly code: number; readonly first: string | null; readonly second: string | null };

function isAllowed({ constants: c, owners }: Kept, { owner, mode }: Asking, { code, first, second }: Deed): boolean {
  const isOwn = (name: string | null): boolean => {
    const plain = name?.toLowerCase() ?? "";
    return plain.startsWith(owner.prefix) && (owners.get(plain) ?? owner.plugin) === owner.plugin;
  };
  const isInner = mode === "define" && (first?.startsWith("sqlite_") === true || first === "pragma_quick_check");
  switch (code) {
    case c.SQLITE_SELECT:
      return true;
    case c.SQLITE_FUNCTION:
      return second?.startsWith("sqlite_") === false && second !== "load_extension";
    case c.SQLITE_READ:
      return isOwn(first) || isInner;
    case c.SQLITE_INSERT:
      return mode !== "read" && (isOwn(first) || isInner);
    case c.SQLITE_UPDATE:
      return (mode === "write" && isOwn(first)) || isInner;
    case c.SQLITE_DELETE:
      return mode === "write" && isOwn(first);
    case c.SQLITE_CREATE_TABLE:
      return mode === "define" && (isOwn(first) || first === "sqlite_sequence");
    case c.SQLITE_CREATE_INDEX:
    case c.SQLITE_ALTER_TABLE:
      return mode === "define" && isOwn(second);
    case c.SQLITE_REINDEX:
      return mode === "define";
    case c.SQLITE_PRAGMA:
      return mode === "define" && first === "quick_check" && isOwn(second);
    default:
      return false;
  }
}

function atomically<Result>({ database }: Kept, work: () => Result): Result {
  database.exec("begin");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function blamed<Result>({ plugin }: TableOwner, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const result = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
    const message = `a statement of ${plugin} was refused: ${errorMessage(error)}`;
    throw new StoreError(result === 19 ? "conflict" : "invalid", message, { cause: error });
  }
}
