import { ConfigError } from "../errors.ts";
import type { TableOwner, TableStep } from "../store/plugin-tables.ts";
import { type ReadStatement, readSql, type SqlToken } from "./read-sql.ts";

/** A step of a plugin's own schema. Steps run once, in order; one that ran never changes: write another one. */
export type PluginMigration = {
  /** Says what it is for, e.g. `0001-orders`; unique within the plugin. */
  readonly name: string;
  /** Statements, in a list or in one text with `;` between them. */
  readonly sql: string | readonly string[];
};

/** Whose tables a plugin's are: all names begin with `plugin_<name>_`, in lower case, what is no letter or digit a `_`. */
export function tableOwner(plugin: string): TableOwner {
  const plain = plugin
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return { plugin, prefix: `plugin_${plain}_` };
}

/**
 * A plugin's migrations as steps for the store.
 * @throws ConfigError naming the plugin, the migration, the statement's beginning, what is wrong and what may be done.
 */
export function toTableSteps(owner: TableOwner, migrations: readonly PluginMigration[]): readonly TableStep[] {
  const names = new Set<string>();
  return migrations.map((migration) => {
    const { name, sql } = migration;
    if (typeof name !== "string" || name.trim() === "" || name.length > 200) {
      throw new ConfigError("invalid", `a migration of ${owner.plugin} has no name; give it one, e.g. "0001-orders"`);
    }
    const where = `the migration ${name} of ${owner.plugin}`;
    if (names.has(name)) throw new ConfigError("invalid", `${where} is there twice; give each a name of its own`);
    names.add(name);
    const texts: readonly unknown[] = typeof sql === "string" ? [sql] : sql;
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string")) {
      throw new ConfigError("invalid", `${where} has no sql; write statements, in a text or a list of texts`);
    }
    const statements = texts.flatMap(readSql);
    if (statements.length === 0)
      throw new ConfigError("invalid", `${where} does nothing; write a statement or remove it`);
    for (const statement of statements) {
      const problem = statementProblem(statement, owner);
      if (problem !== null) throw new ConfigError("invalid", `${where}: ${beginning(statement)} ${problem}`);
    }
    return { name, statements: statements.map((statement) => statement.sql) };
  });
}

const may = "a migration may CREATE TABLE, CREATE INDEX, ALTER TABLE … ADD and INSERT";

/** What is wrong with a statement of a migration, as the end of a sentence; null when it only adds. */
function statementProblem({ tokens }: ReadStatement, owner: TableOwner): string | null {
  const foreign = foreignReference(tokens, owner);
  if (foreign !== null) return `refers to ${foreign}, which is no table of its own; those begin with ${owner.prefix}`;
  const target = targetOf(tokens);
  if (target === null) return `is refused, for it could destroy or hide something; ${may}`;
  const names = target.filter((name) => !isOwn(name, owner));
  if (names.length === 0) return null;
  return `names ${names.join(" and ")}; names of tables and indexes must begin with ${owner.prefix}`;
}

/** The tables and indexes a statement that only adds is about; null for any other statement. */
function targetOf(tokens: readonly SqlToken[]): readonly string[] | null {
  const words = cursor(tokens);
  if (words.take("CREATE")) {
    if (words.take("TABLE")) return only(words.skip("IF", "NOT", "EXISTS").name());
    words.take("UNIQUE");
    if (!words.take("INDEX")) return null;
    const index = words.skip("IF", "NOT", "EXISTS").name();
    return words.take("ON") ? only(index, words.name()) : null;
  }
  if (words.take("ALTER")) {
    if (!words.take("TABLE")) return null;
    const table = words.name();
    return words.take("ADD") ? only(table) : null;
  }
  if (words.take("INSERT")) {
    if (words.take("OR") && !words.take("IGNORE") && !words.take("ABORT") && !words.take("FAIL")) return null;
    if (!words.take("INTO") || hasWords(tokens, "DO", "UPDATE")) return null;
    return only(words.name());
  }
  return null;
}

function only(...names: readonly (string | null)[]): readonly string[] | null {
  const found = names.filter((name) => name !== null);
  return found.length === names.length ? found : null;
}

type Cursor = {
  /** Passes this word, if it is next. */
  take(word: string): boolean;
  /** Passes these words, if all of them are next. */
  skip(...words: readonly string[]): Cursor;
  /** The name that is next; null for none, and for one with a schema before it. */
  name(): string | null;
};

function cursor(tokens: readonly SqlToken[]): Cursor {
  let at = 0;
  const isWord = (word: string, offset = 0): boolean => isWordOf(tokens[at + offset], word);
  const self: Cursor = {
    take(word) {
      if (!isWord(word)) return false;
      at += 1;
      return true;
    },
    skip(...words) {
      if (words.every((word, offset) => isWord(word, offset))) at += words.length;
      return self;
    },
    name() {
      const token = tokens[at];
      if (!token || (token.type !== "word" && token.type !== "name")) return null;
      at += 1;
      return tokens[at]?.text === "." ? null : token.text;
    },
  };
  return self;
}

function isWordOf(token: SqlToken | undefined, word: string): boolean {
  return token?.type === "word" && token.text.toUpperCase() === word;
}

function hasWords(tokens: readonly SqlToken[], first: string, second: string): boolean {
  return tokens.some((token, at) => isWordOf(token, first) && isWordOf(tokens[at + 1], second));
}

/** The first table behind REFERENCES that is not the owner's: such a reference would bind rows that are not the plugin's. */
function foreignReference(tokens: readonly SqlToken[], owner: TableOwner): string | null {
  for (const [at, token] of tokens.entries()) {
    if (!isWordOf(token, "REFERENCES")) continue;
    const table = tokens[at + 1]?.text ?? "nothing";
    if (!isOwn(table, owner)) return table;
  }
  return null;
}

function isOwn(name: string, { prefix }: TableOwner): boolean {
  return name.toLowerCase().startsWith(prefix) && name.length > prefix.length;
}

function beginning({ tokens }: ReadStatement): string {
  const words = tokens.slice(0, 4).map(({ text }) => text);
  return `${words.join(" ").slice(0, 80)}${tokens.length > words.length ? " …" : ""}`;
}
