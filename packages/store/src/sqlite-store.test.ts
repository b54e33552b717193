import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    close: async () => {
      await store.admin.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
