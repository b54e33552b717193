import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { silentLog } from "@troupe/core";
import { storeContract } from "@troupe/core/testing/contracts";
import { createSqliteStore } from "./sqlite-store.ts";

storeContract("SQLite in memory", async (clock) => {
  const store = await createSqliteStore({ path: ":memory:", log: silentLog, clock });
  return { store, close: () => store.admin.close() };
});

storeContract("SQLite in a file", async (clock) => {
  const directory = await mkdtemp(join(tmpdir(), "troupe-store-"));
  const open = () => createSqliteStore({ path: join(directory, "home", "troupe.db"), log: silentLog, clock });
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.admin.close();
      store = await open();
      return store;
    },
    contents: async () => {
      const files = await readdir(join(directory, "home"));
      const bytes = await Promise.all(files.map((file) => readFile(join(directory, "home", file), "latin1")));
      return [...bytes, cellsOf(join(directory, "home", "troupe.db"))].join("\n");
    },
    close: async () => {
      await store.admin.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});

/** Every column of every table, the search index's own ones and its words included. */
function cellsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec("create virtual table temp.words using fts5vocab(main, memory_text, instance)");
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    return ["temp.words", ...tables.map((row) => `"${row["name"]}"`)]
      .flatMap((table) => database.prepare(`select * from ${table}`).all())
      .flatMap((row) => Object.values(row))
      .map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString("latin1") : String(cell)))
      .join("\n");
  } finally {
    database.close();
  }
}
