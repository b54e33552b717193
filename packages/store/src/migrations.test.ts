import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkSchema, type Migration, migrate, migrations, schemaVersion } from "./migrations.ts";

const path = "home/troupe.db";
const first: Migration = { number: 1, sql: "create table a(x any) strict" };
const second: Migration = { number: 2, sql: "create table b(x any) strict; insert into b values(1)" };
const broken: Migration = { number: 3, sql: "create table c(x any) strict; select nonsense" };

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
});
afterEach(() => database.close());

function tables(): readonly unknown[] {
  const rows = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  return rows.map(({ name }) => name);
}

describe("migrate", () => {
  it("numbers the released migrations from 1 without a gap", () => {
    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  });

  it("runs what is missing, once", () => {
    expect(migrate(database, path, [first])).toEqual({ from: 0, to: 1 });
    expect(migrate(database, path, [first, second])).toEqual({ from: 1, to: 2 });
    expect(migrate(database, path, [first, second])).toEqual({ from: 2, to: 2 });
    expect(tables()).toEqual(["a", "b", "meta"]);
    expect(database.prepare("select count(*) as n from b").get()).toMatchObject({ n: 1 });
  });

  it("runs all that is missing or nothing", () => {
    migrate(database, path, [first]);
    expect(() => migrate(database, path, [first, second, broken])).toThrow("nonsense");
    expect(tables()).toEqual(["a", "meta"]);
    expect(schemaVersion(database)).toBe(1);
    expect(migrate(database, path, [first, second])).toEqual({ from: 1, to: 2 });
  });

  it("refuses a file that a newer Troupe wrote", () => {
    migrate(database, path, [first, second]);
    const refusal = expect.objectContaining({
      code: "conflict",
      message: expect.stringContaining(`${path} was written by a newer Troupe (schema 2, this one knows 1); update`),
    });
    expect(() => migrate(database, path, [first])).toThrow(refusal);
    expect(() => checkSchema(database, path, [first])).toThrow(refusal);
  });

  it("refuses a file whose migrations were others", () => {
    migrate(database, path, [first]);
    const changed = [{ ...first, sql: `${first.sql} ` }, second];
    expect(() => migrate(database, path, changed)).toThrow(/migration:0001 differs from this one's; use the version/);
    expect(() => checkSchema(database, path, changed.slice(0, 1))).toThrow(/migration:0001 differs/);
    expect(tables()).toEqual(["a", "meta"]);
  });

  it("refuses another program's database and leaves it as it was", () => {
    database.exec("create table theirs(x)");
    expect(() => migrate(database, path, [first])).toThrow(/a database of another program/);
    database.exec("pragma user_version = 1");
    expect(() => checkSchema(database, path, [first])).toThrow(/a database of another program/);
    expect(tables()).toEqual(["theirs"]);
  });

  it("tells a reader of an older file what to do", () => {
    migrate(database, path, [first]);
    expect(() => checkSchema(database, path, [first, second])).toThrow(/older Troupe; start the agent once/);
    expect(() => checkSchema(database, path, [first])).not.toThrow();
  });
});
