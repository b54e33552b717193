import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import { type PluginMigration, tableOwner } from "./check-migrations.ts";
import type { Plugin } from "./plugin.ts";
import { readSql } from "./read-sql.ts";
import type { Runtime } from "./runtime.ts";

const orders: PluginMigration = {
  name: "0001-orders",
  sql: "create table plugin_book_shop_orders(id text primary key, isPaid integer not null) strict;",
};
const shop = (...migrations: readonly PluginMigration[]): Plugin => ({ name: "Book-Shop", migrations });

/** The runtime of a plugin. */
async function within(plugin: Plugin, test: (runtime: Runtime) => Promise<unknown>, store?: Store): Promise<void> {
  let own: Runtime | undefined;
  const { close } = await createTestRuntime({
    plugins: [{ ...plugin, init: (_, runtime) => void (own = runtime) }],
    ...(store && { store }),
  });
  if (!own) throw new Error("init runs");
  await test(own);
  await close();
}

describe("a plugin's tables", () => {
  it("are there from init on, and keep what is written", async () => {
    let atInit: unknown;
    const plugin: Plugin = {
      ...shop(orders, { name: "0002-first", sql: ["insert into plugin_book_shop_orders values('a', 0)"] }),
      async init(_, { tables }) {
        atInit = await tables.query("select * from plugin_book_shop_orders");
        const sql = "update plugin_book_shop_orders set isPaid = ? where id = ?";
        expect(await tables.write([{ sql, parameters: [true, "a"] }])).toEqual([1]);
        expect(await tables.query<{ isPaid: number }>("select isPaid from plugin_book_shop_orders")).toEqual([
          { isPaid: 1 },
        ]);
        expect(await tables.write([])).toEqual([]);
      },
    };
    await (await createTestRuntime({ plugins: [plugin] })).close();
    expect(atInit).toEqual([{ id: "a", isPaid: 0 }]);
  });

  it("are reached by one statement at a time, with values that can stand in a cell", () =>
    within(shop(orders), async ({ tables }) => {
      await expect(tables.query("select 1; select 2")).rejects.toThrow(/one statement at a time: 2 were given/);
      await expect(tables.query(" -- nothing")).rejects.toThrow(/0 were given/);
      await expect(tables.query("select ?", [Number.NaN])).rejects.toThrow(/parameter 1 is no text, number/);
      await expect(tables.query("select ?", [{} as never])).rejects.toThrow(/parameter 1 is no text/);
      expect(await tables.query("select ';' as a -- ; b")).toEqual([{ a: ";" }]);
    }));

  it("need a store that has room for them; without tables no store is asked", async () => {
    const { tables: _, ...bare } = createMemoryStore();
    await within(
      { name: "plain" },
      async ({ tables }) => {
        await expect(tables.query("select 1")).rejects.toThrow(/plain has tables, and this store keeps none/);
      },
      bare,
    );
    await expect(createTestRuntime({ plugins: [shop(orders)], store: bare })).rejects.toThrow(
      /use the store on SQLite/,
    );
  });

  it("belong to plugins, not to the program", async () => {
    const { runtime, close } = await createTestRuntime();
    await expect(runtime.tables.query("select 1")).rejects.toThrow(/tables belong to plugins/);
    await close();
  });

  it("that changed behind a migration's back leave the plugin out and the others in", async () => {
    const store = createMemoryStore();
    await createTestRuntime({ plugins: [shop(orders)], store });
    const changed = shop({ ...orders, sql: "create table plugin_book_shop_orders(id text) strict" });
    const refusal = createTestRuntime({ plugins: [changed, { name: "other" }], store });
    await expect(refusal).rejects.toThrow(/^Book-Shop: the migration 0001-orders of Book-Shop ran before/);
  });
});

describe("a migration", () => {
  it.each<[string, string, RegExp]>([
    [
      "drops",
      "DROP TABLE plugin_book_shop_orders",
      /DROP TABLE plugin_book_shop_orders is refused, for it could destroy/,
    ],
    ["deletes", "delete from plugin_book_shop_orders", /may CREATE TABLE, CREATE INDEX/],
    ["updates", "update plugin_book_shop_orders set id = ''", /is refused/],
    ["truncates", "TRUNCATE plugin_book_shop_orders", /is refused/],
    ["attaches", "attach 'x' as y", /is refused/],
    ["sets a pragma", "pragma foreign_keys = off", /is refused/],
    ["drops a column", "alter table plugin_book_shop_orders drop column id", /is refused/],
    ["renames", "alter table plugin_book_shop_orders rename to plugin_book_shop_x", /is refused/],
    ["replaces", "insert or replace into plugin_book_shop_orders values(1, 2)", /is refused/],
    ["replaces, in short", "replace into plugin_book_shop_orders values(1, 2)", /is refused/],
    ["overwrites", "insert into plugin_book_shop_orders values(1, 2) on conflict do update set id = 3", /is refused/],
    ["makes a view", "create view plugin_book_shop_v as select 1", /is refused/],
    ["makes a trigger", "create trigger plugin_book_shop_t after insert on x begin select 1", /is refused/],
    ["makes a table that goes away", "create temp table plugin_book_shop_t(id)", /is refused/],
    ["names a schema", "create table main.plugin_book_shop_t(id)", /is refused/],
    ["hides it behind a comment", "/* create table */ drop table plugin_book_shop_orders", /is refused/],
    ["makes a table of another name", "create table orders(id)", /names orders; .* begin with plugin_book_shop_/],
    ["makes a table of no name", 'create table "plugin_book_shop_"(id)', /must begin with plugin_book_shop_/],
    ["changes a table of ours", "alter table memory add column x", /names memory/],
    ["writes to a table of ours", "insert into memory values(1)", /names memory/],
    ["indexes a table of ours", "create index plugin_book_shop_i on memory(id)", /names memory/],
    ["refers to a table of ours", "create table plugin_book_shop_t(m text references memory(id))", /refers to memory/],
    ["says nothing", " ; -- nothing", /does nothing/],
  ])("that %s is refused before anything runs", async (_, sql, reason) => {
    const store = createMemoryStore();
    const plugin = shop(orders, { name: "0002", sql });
    const refusal = createTestRuntime({ plugins: [plugin], store });
    await expect(refusal).rejects.toThrow(reason);
    await expect(createTestRuntime({ plugins: [plugin], store })).rejects.toThrow(
      /Book-Shop: the migration 0002 of Book-Shop/,
    );
    await within(shop(orders), ({ tables }) => tables.query("select * from plugin_book_shop_orders"), store);
  });

  it("may say its names as SQL allows", async () => {
    const sql = `
      -- orders; all of them
      CREATE TABLE IF NOT EXISTS "plugin_book_shop_a" (id text, other text references [plugin_book_shop_a](id));
      create unique index if not exists Plugin_Book_Shop_i on \`plugin_book_shop_a\`(id);
      alter table plugin_book_shop_a add note text default ';';
      insert or ignore into plugin_book_shop_a(id, note) values ('it''s; fine', 'drop table x');`;
    await within(shop({ name: "1", sql }), async ({ tables }) => {
      const rows = await tables.query("select id, note from plugin_book_shop_a");
      expect(rows).toEqual([{ id: "it's; fine", note: "drop table x" }]);
    });
  });

  it("has a name of its own", async () => {
    await expect(createTestRuntime({ plugins: [shop(orders, orders)] })).rejects.toThrow(
      /0001-orders .* is there twice/,
    );
    await expect(createTestRuntime({ plugins: [shop({ name: " ", sql: "" })] })).rejects.toThrow(/has no name/);
    await expect(createTestRuntime({ plugins: [shop({ name: "x", sql: 7 as never })] })).rejects.toThrow(/has no sql/);
  });

  it("gives its plugin names of its own, whatever the plugin is called", () => {
    expect(tableOwner("@troupe/plugin-shop").prefix).toBe("plugin_troupe_plugin_shop_");
  });
});

describe("readSql", () => {
  const piece = fc.oneof(
    fc.constantFrom("select", "'a;b'", "'it''s'", '"n;m"', "`x`", "[y;z]", "-- c;\n", "/* d; */", "1.5", "(", ")", ","),
    fc.stringMatching(/^[a-z]{1,5}$/),
  );

  it("finds as many statements as were joined, and gives each back as it stands", () => {
    const statement = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `x ${pieces.join(" ")}`);
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), (statements) => {
        const read = readSql(statements.join(";"));
        expect(read.map(({ sql }) => sql)).toEqual(statements.map((text) => text.trim()));
      }),
    );
  });

  it("reads any text to its end without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const total = readSql(text).reduce((sum, { sql }) => sum + sql.length, 0);
        expect(total).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
