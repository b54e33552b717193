import { once } from "node:events";
import { silentLog } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { createSqliteStore } from "./sqlite-store.ts";
import { startStoreThread } from "./store-thread.ts";

describe("a thread that was started beforehand", () => {
  it("serves the store that takes it", async () => {
    const store = await createSqliteStore({ path: ":memory:", log: silentLog, thread: startStoreThread() });
    await store.keyValues.set("agent", "names", "first", { value: "Ada" });
    expect(await store.keyValues.get("agent", "names", "first")).toEqual({ value: "Ada", version: 1 });
    await store.admin.close();
  });

  it("is refused once it has ended", async () => {
    const thread = startStoreThread();
    thread.ref();
    await once(thread, "online");
    await thread.terminate();
    const opening = createSqliteStore({ path: ":memory:", log: silentLog, thread });
    await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  });
});
