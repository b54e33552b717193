import { constants, type DatabaseSync } from "node:sqlite";
import { Refusal } from "./errors.ts";

/** On what occasion a plugin's statement is compiled: to make tables, to read, to change rows. */
export type Occasion = "define" | "read" | "write";

/** What a statement may do, and whose the tables are. */
export type Guard = { readonly occasion: Occasion; readonly isOwn: (name: string) => boolean };

type Deed = { readonly code: number; readonly first: string; readonly second: string; readonly third: string | null };
type Rule = (deed: Deed, isOwn: Guard["isOwn"]) => boolean;

const always: Rule = () => true;
const firstIsOwn: Rule = ({ first }, isOwn) => isOwn(first);
const secondIsOwn: Rule = ({ second }, isOwn) => isOwn(second);
/** Functions by which SQLite rewrites a schema, or loads code. */
const harmless: Rule = ({ second }) => !second.startsWith("sqlite_") && second !== "load_extension";
/** What SQLite itself does to its list of tables when it makes one. */
const inner: Rule = ({ first }) => first === "sqlite_master" || first === "sqlite_sequence";

const reading: Readonly<Record<number, Rule>> = {
  [constants.SQLITE_SELECT]: always,
  [constants.SQLITE_READ]: firstIsOwn,
  [constants.SQLITE_FUNCTION]: harmless,
};

/** @see https://sqlite.org/c3ref/c_alter_table.html for what the two names of each deed are. */
const rules: Readonly<Record<Occasion, Readonly<Record<number, Rule>>>> = {
  read: reading,
  write: {
    ...reading,
    [constants.SQLITE_INSERT]: firstIsOwn,
    [constants.SQLITE_UPDATE]: firstIsOwn,
    [constants.SQLITE_DELETE]: firstIsOwn,
  },
  define: {
    ...reading,
    // A new column that may not be empty makes SQLite check the table's rows.
    [constants.SQLITE_READ]: (deed, isOwn) =>
      isOwn(deed.first) || inner(deed, isOwn) || deed.first === "pragma_quick_check",
    [constants.SQLITE_PRAGMA]: ({ first, second }, isOwn) => first === "quick_check" && isOwn(second),
    [constants.SQLITE_INSERT]: (deed, isOwn) => isOwn(deed.first) || inner(deed, isOwn),
    [constants.SQLITE_UPDATE]: inner,
    [constants.SQLITE_CREATE_TABLE]: (deed, isOwn) => isOwn(deed.first) || deed.first === "sqlite_sequence",
    [constants.SQLITE_CREATE_INDEX]: secondIsOwn,
    [constants.SQLITE_REINDEX]: always,
    // Dropping a column names it.
    [constants.SQLITE_ALTER_TABLE]: ({ second, third }, isOwn) => third === null && isOwn(second),
  },
};

/**
 * Compiles something of a plugin's under a guard, which SQLite asks about every deed of the statement: which tables it reads and
 * changes, whatever it is called there, through whatever query. Refused is what is not expressly allowed.
 * @throws Refusal `invalid` naming what the statement would have done; whatever compiling throws.
 */
export function guardStatement<Result>(database: DatabaseSync, guard: Guard, compile: () => Result): Result {
  let denied: Deed | undefined;
  database.setAuthorizer((code, first, second, third) => {
    const deed = { code, first: first ?? "", second: second ?? "", third };
    if (rules[guard.occasion][code]?.(deed, guard.isOwn)) return constants.SQLITE_OK;
    denied ??= deed;
    return constants.SQLITE_DENY;
  });
  try {
    return compile();
  } catch (error) {
    if (denied) throw new Refusal("invalid", describe(denied, guard.occasion));
    throw error;
  } finally {
    database.setAuthorizer(null);
  }
}

const occasions = {
  define: "a migration makes tables, indexes and columns of the plugin's own and puts rows into them",
  read: "a query reads tables of the plugin's own",
  write: "a write inserts, updates and deletes in tables of the plugin's own",
} as const;

function describe({ code, first, second }: Deed, occasion: Occasion): string {
  const name =
    Object.entries(constants).find(([key, value]) => value === code && !notDeeds.test(key))?.[0] ?? `${code}`;
  const deed = name.replace("SQLITE_", "").replaceAll("_", " ");
  const what = [first, second].filter((part) => part !== "").join(" ");
  return `a statement of a plugin was refused: it would ${deed}${what === "" ? "" : ` ${what}`}; ${occasions[occasion]}`;
}

/** Constants that have the same numbers and are no deeds. */
const notDeeds = /^SQLITE_(?:OK|DENY|IGNORE|CHANGESET_.*)$/;
