import { expect, it } from "vitest";
import type { PluginTables, TableOwner, TableStep } from "../store/plugin-tables.ts";
import type { Store } from "../store/store.ts";

type Reopen = (() => Promise<Store>) | undefined;
type Bench = (test: (store: Store, reopen: Reopen) => Promise<void>) => Promise<void>;

const shop: TableOwner = { plugin: "shop", prefix: "plugin_shop_" };
const shopFloor: TableOwner = { plugin: "shop-floor", prefix: "plugin_shop_floor_" };
const step = (name: string, ...statements: readonly string[]): TableStep => ({ name, statements });
const orders = step(
  "0001-orders",
  "create table plugin_shop_orders(id text primary key, amount integer not null, note text, price real) strict",
  "create index plugin_shop_orders_amount on plugin_shop_orders(amount)",
);
const insert = (id: string, amount: number | null) => ({
  sql: "insert into plugin_shop_orders(id, amount) values(?, ?)",
  parameters: [id, amount],
});

/** What a store that has tables for plugins promises; one without is not asked. */
export function describeTables(inStore: Bench): void {
  const inTables = (test: (tables: PluginTables, store: Store) => Promise<void>) => () =>
    inStore(async (store) => {
      if (store.tables) await test(store.tables, store);
    });

  it(
    "runs the steps that have not run, in order, and says which",
    inTables(async (tables) => {
      expect(await tables.migrate(shop, [orders])).toEqual(["0001-orders"]);
      const column = step("0002-who", "alter table plugin_shop_orders add column who text not null default 'nobody'");
      const first = step("0003-first", "insert into plugin_shop_orders(id, amount) values('a', 1)");
      expect(await tables.migrate(shop, [orders, column, first])).toEqual(["0002-who", "0003-first"]);
      expect(await tables.migrate(shop, [orders, column, first])).toEqual([]);
      const rows = await tables.query(shop, { sql: "select * from plugin_shop_orders" });
      expect(rows).toEqual([{ id: "a", amount: 1, note: null, price: null, who: "nobody" }]);
    }),
  );

  it("knows after opening again what ran, and whose the tables are", () =>
    inStore(async (store, reopen) => {
      if (!store.tables || !reopen) return;
      await store.tables.migrate(shop, [orders]);
      await store.tables.write(shop, [insert("a", 1)]);
      const { tables } = await reopen();
      expect(await tables?.migrate(shop, [orders])).toEqual([]);
      expect(await tables?.query(shop, { sql: "select id from plugin_shop_orders" })).toEqual([{ id: "a" }]);
      const changed = step("0001-orders", "create table plugin_shop_orders(id text) strict");
      await expect(tables?.migrate(shop, [changed])).rejects.toThrow(
        /ran on \d{4}-\d{2}-\d{2} and has other statements now/,
      );
      const reading = tables?.query(
        { plugin: "sho", prefix: "plugin_sho" },
        { sql: "select id from plugin_shop_orders" },
      );
      await expect(reading).rejects.toMatchObject({ code: "invalid" });
    }));

  it(
    "runs all steps or none",
    inTables(async (tables) => {
      const broken = step(
        "0002-broken",
        "create table plugin_shop_more(id text)",
        "insert into plugin_shop_more values(1, 2)",
      );
      await expect(tables.migrate(shop, [orders, broken])).rejects.toMatchObject({ code: "invalid" });
      expect(await tables.migrate(shop, [orders])).toEqual(["0001-orders"]);
      await expect(tables.query(shop, { sql: "select * from plugin_shop_more" })).rejects.toThrow(/plugin_shop_more/);
    }),
  );

  it(
    "refuses a step that ran and is another one now, is gone or has moved",
    inTables(async (tables) => {
      const more = step("0002-more", "create table plugin_shop_more(id text) strict");
      await tables.migrate(shop, [orders, more]);
      const changed = step("0002-more", "create table plugin_shop_more(id text, x text) strict");
      const renamed = { ...more, name: "0002-others" };
      for (const steps of [[orders, changed], [orders, renamed], [more, orders], [orders], []]) {
        const refusal = { code: "conflict", message: expect.stringContaining("of shop") };
        await expect(tables.migrate(shop, steps)).rejects.toMatchObject(refusal);
      }
      expect(await tables.migrate(shop, [orders, more])).toEqual([]);
    }),
  );

  it(
    "refuses whatever could destroy something, however it is called",
    inTables(async (tables, store) => {
      await tables.migrate(shop, [orders]);
      const statements = [
        "drop table plugin_shop_orders",
        "drop index plugin_shop_orders_amount",
        "delete from plugin_shop_orders",
        "update plugin_shop_orders set amount = 0",
        "alter table plugin_shop_orders drop column note",
        "alter table plugin_shop_orders rename to plugin_shop_gone",
        "alter table plugin_shop_orders rename column note to remark",
        "pragma user_version = 0",
        "attach ':memory:' as other",
        "vacuum",
        "commit",
        "create table memory_of_mine(id text)",
        "create view plugin_shop_seen as select 1",
        "create trigger plugin_shop_t after insert on plugin_shop_orders begin select 1; end",
        "create table plugin_shop_copy as select * from memory",
        "insert into plugin_shop_orders(id, amount) select name, 1 from pragma_table_info('memory')",
      ];
      for (const statement of statements) {
        const refusal = tables.migrate(shop, [orders, step("0002", statement)]);
        await expect(refusal, statement).rejects.toMatchObject({ code: "invalid" });
      }
      expect(await tables.query(shop, { sql: "select count(*) as n from plugin_shop_orders" })).toEqual([{ n: 0 }]);
      expect(await store.rooms.room("nobody", "nowhere")).toBeNull();
    }),
  );

  it(
    "writes all statements or none, and tells how many rows each changed",
    inTables(async (tables) => {
      await tables.migrate(shop, [orders]);
      expect(await tables.write(shop, [insert("a", 1), insert("b", 2)])).toEqual([1, 1]);
      const upset = tables.write(shop, [insert("c", 3), insert("a", 4)]);
      await expect(upset).rejects.toMatchObject({ code: "conflict", message: expect.stringMatching(/shop.*UNIQUE/s) });
      await expect(tables.write(shop, [insert("c", null)])).rejects.toMatchObject({ code: "conflict" });
      const change = { sql: "update plugin_shop_orders set price = 1.5 where amount > ?", parameters: [0] };
      const remove = { sql: "delete from plugin_shop_orders where id = 'a'" };
      expect(await tables.write(shop, [change, remove, remove])).toEqual([2, 1, 0]);
      const rows = await tables.query(shop, {
        sql: "select id, price from plugin_shop_orders where id in (?, ?)",
        parameters: ["a", "b"],
      });
      expect(rows).toEqual([{ id: "b", price: 1.5 }]);
    }),
  );

  it(
    "reads only when it is to read, and only the owner's tables, through whatever query",
    inTables(async (tables) => {
      await tables.migrate(shop, [orders]);
      await tables.migrate(shopFloor, [step("1", "create table plugin_shop_floor_tiles(id text) strict")]);
      const reads = [
        "delete from plugin_shop_orders",
        "insert into plugin_shop_orders(id, amount) values('x', 1) returning id",
        "with gone as (select 1) delete from plugin_shop_orders",
        "select * from plugin_shop_orders, plugin_shop_floor_tiles",
        "select (select count(*) from sqlite_schema) from plugin_shop_orders",
        "select * from pragma_table_info('plugin_shop_orders')",
        "with recursive n(i) as (values(1) union all select i + 1 from n) select * from n",
        "select load_extension('x')",
        "select nothing at all",
      ];
      for (const sql of reads)
        await expect(tables.query(shop, { sql }), sql).rejects.toMatchObject({ code: "invalid" });
      const writes = [
        "insert into plugin_shop_floor_tiles values('x')",
        "insert into plugin_shop_orders(id, amount) select id, 1 from plugin_shop_floor_tiles",
        "create table plugin_shop_x(id text)",
        "pragma foreign_keys = off",
      ];
      for (const sql of writes)
        await expect(tables.write(shop, [{ sql }]), sql).rejects.toMatchObject({ code: "invalid" });
      expect(await tables.query(shop, { sql: "select * from plugin_shop_orders" })).toEqual([]);
    }),
  );

  it(
    "lets a statement be used again and again, also after one was refused or undone",
    inTables(async (tables) => {
      await tables.migrate(shop, [orders]);
      const read = { sql: "select count(*) as n from plugin_shop_orders" };
      for (const [at, id] of ["a", "b", "c"].entries()) {
        await tables.write(shop, [insert(id, at)]);
        await expect(tables.write(shop, [insert(id, at)])).rejects.toMatchObject({ code: "conflict" });
        expect(await tables.query(shop, read)).toEqual([{ n: at + 1 }]);
      }
      await expect(tables.query(shopFloor, read)).rejects.toMatchObject({ code: "invalid" });
    }),
  );

  it(
    "gives at most 10,000 rows and no bytes",
    inTables(async (tables) => {
      await tables.migrate(shop, [orders]);
      const ten =
        "(select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9 union all select 10)";
      const thousands = `${ten} a, ${ten} b, ${ten} c, ${ten} d`;
      expect(await tables.query(shop, { sql: `select 1 as n from ${thousands}` })).toHaveLength(10_000);
      const tooMany = tables.query(shop, { sql: `select 1 as n from ${thousands}, (select 1 union all select 2) e` });
      await expect(tooMany).rejects.toThrow(/add a LIMIT/);
      await expect(tables.query(shop, { sql: "select x'00' as bytes" })).rejects.toThrow(/keep them as text/);
      await expect(tables.query(shop, { sql: "select 9007199254740993 as big" })).rejects.toMatchObject({
        code: "invalid",
      });
    }),
  );

  it(
    "leaves everybody else's work in the same moment alone",
    inTables(async (tables, store) => {
      await tables.migrate(shop, [orders]);
      const bad = tables.write(shop, [insert("a", 1), { sql: "delete from memory" }]);
      const good = store.keyValues.set("agent", "n", "k", { value: "v" });
      const settled = await Promise.allSettled([bad, good, tables.write(shop, [insert("b", 1)])]);
      expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
      expect(await tables.query(shop, { sql: "select id from plugin_shop_orders" })).toEqual([{ id: "b" }]);
    }),
  );
}
