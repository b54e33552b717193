import { spawn } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { type Memory, type Store, silentLog, type Write } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAtLeast } from "./database.ts";
import { migrate, migrations } from "./migrations.ts";
import { createSqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";

const agentId = "agent-1";
let directory: string;
let path: string;
let stores: Store[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "troupe-store-"));
  path = join(directory, "home", "troupe.db");
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.admin.close();
  await rm(directory, { recursive: true, force: true });
});

async function openStore(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await createSqliteStore({ path, log: silentLog, ...options });
  stores.push(store);
  return store;
}

function put(id: string, text: string): Write {
  const memory: Memory = {
    id,
    agentId,
    roomId: "room",
    entityId: "ann",
    type: "message",
    content: { text },
    createdAt: 1,
  };
  return { type: "memory.put", memory };
}

async function textsIn(store: Store): Promise<readonly string[]> {
  const memories = await store.memories.recent(agentId, { roomId: "room", limit: 10_000 });
  return memories.map(({ content }) => content.text);
}

/** Runs a program that has `createSqliteStore`, `silentLog` and `path`; its lines come one by one. */
function program(code: string) {
  const source = `
    import { writeSync } from "node:fs";
    import { createSqliteStore } from ${JSON.stringify(import.meta.resolve("./index.ts"))};
    const line = () => undefined;
    const silentLog = { error: line, warn: line, info: line, debug: line, child: () => silentLog };
    const path = ${JSON.stringify(path)};
    const say = (text) => writeSync(1, text + "\\n");
    ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("exit", (status, signal) => resolve(signal ?? status));
  });
  return { child, exit, lines: createInterface({ input: child.stdout }) };
}

async function say(code: string): Promise<{ readonly lines: readonly string[]; readonly exit: unknown }> {
  const { lines, exit } = program(code);
  const said: string[] = [];
  for await (const line of lines) said.push(line);
  return { lines: said, exit: await exit };
}

describe("a store in a file", () => {
  it("makes directory and files for their owner alone, also where they were open before", async () => {
    const store = await openStore();
    await store.admin.write(agentId, [put("m1", "hello")]);
    const modes = async () =>
      Promise.all([join(directory, "home"), path, `${path}-wal`].map(async (file) => (await stat(file)).mode & 0o777));
    expect(await modes()).toEqual([0o700, 0o600, 0o600]);
    await store.admin.close();
    await chmod(path, 0o644);
    await (await openStore()).admin.write(agentId, [put("m2", "again")]);
    expect(await modes()).toEqual([0o700, 0o600, 0o600]);
  });

  it("shares commits between callers and counts them", async () => {
    const store = await openStore();
    await store.admin.write(agentId, []);
    const before = (await store.admin.health()).details;
    await Promise.all(Array.from({ length: 400 }, (_, index) => store.admin.write(agentId, [put(`m${index}`, "x")])));
    const { details } = await store.admin.health();
    expect(Number(details.writes) - Number(before.writes)).toBe(400);
    expect(Number(details.commits) - Number(before.commits)).toBeLessThan(40);
    expect(await textsIn(store)).toHaveLength(400);
  });

  it("loses nothing it acknowledged when the process is killed", async () => {
    const { child, exit, lines } = program(`
      const store = await createSqliteStore({ path, log: silentLog });
      let last = 0;
      const write = async () => {
        for (;;) {
          const id = "m" + (last += 1);
          const memory = { id, agentId: "agent-1", roomId: "room", entityId: "e", type: "message", content: { text: id }, createdAt: 1 };
          await store.admin.write("agent-1", [{ type: "memory.put", memory }]);
          say(id);
        }
      };
      await Promise.all(Array.from({ length: 8 }, write));`);
    const acknowledged: string[] = [];
    for await (const id of lines) {
      acknowledged.push(id);
      if (acknowledged.length === 300) child.kill("SIGKILL");
    }
    expect(await exit).toBe("SIGKILL");
    const store = await openStore();
    const kept = new Set(await textsIn(store));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true });
    expect(await store.memories.search(agentId, { text: acknowledged[0] ?? "", limit: 1 })).toHaveLength(1);
  });

  it("neither loses a job nor lets a done one run again when the process is killed", async () => {
    const { child, exit, lines } = program(`
      const store = await createSqliteStore({ path, log: silentLog });
      let last = 0;
      const work = async () => {
        for (;;) {
          const job = { id: "j" + (last += 1), kind: "k", payload: {}, runAt: 0, queue: "q" + (last % 5) };
          await store.admin.write("agent-1", [{ type: "job.put", job }]);
          say("put " + job.id);
          const leases = await store.jobs.claim("agent-1", "process-1", { now: 0, limit: 2 });
          for (const { fence } of leases.slice(0, 1)) {
            await store.jobs.finish(fence, { type: "done" });
            say("done " + fence.id);
          }
        }
      };
      await Promise.all(Array.from({ length: 4 }, work));`);
    const said: Record<string, string[]> = { put: [], done: [] };
    for await (const line of lines) {
      const [what = "", id = ""] = line.split(" ");
      said[what]?.push(id);
      if (said.put?.length === 200) child.kill("SIGKILL");
    }
    expect(await exit).toBe("SIGKILL");
    const store = await openStore();
    await store.jobs.recover(agentId);
    const left = new Map((await store.jobs.list(agentId, { limit: 10_000 })).map((row) => [row.id, row]));
    expect([...left.values()].filter(({ state }) => state !== "waiting")).toEqual([]);
    expect(said.done?.filter((id) => left.has(id))).toEqual([]);
    // Only an end that was on its way to us when the process died is in neither list: at most one for each of four workers.
    const lost = said.put?.filter((id) => !left.has(id) && !said.done?.includes(id)) ?? [];
    expect(lost.length).toBeLessThanOrEqual(4);
    expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true });
  });

  it("is read by another process while it is written", async () => {
    const store = await openStore();
    await store.admin.write(agentId, [put("m1", "from the writer")]);
    const { lines, exit } = await say(`
      const store = await createSqliteStore({ path, log: silentLog, readOnly: true });
      const [memory] = await store.memories.recent("agent-1", { roomId: "room", limit: 1 });
      const [hit] = await store.memories.search("agent-1", { text: "writer", limit: 1 });
      const refusal = await store.admin.write("agent-1", []).catch((error) => error.code + " " + error.message);
      const { ok } = await store.admin.health({ deep: true });
      await store.admin.close();
      say(JSON.stringify([memory.content.text, hit.memory.id, ok]));
      say(refusal);`);
    expect(exit).toBe(0);
    expect(JSON.parse(lines[0] ?? "")).toEqual(["from the writer", "m1", true]);
    expect(lines[1]).toMatch(/^invalid .*open for reading only: admin.write must go through the agent/);
    await store.admin.write(agentId, [put("m2", "after the reader")]);
    expect(await textsIn(store)).toHaveLength(2);
  });

  it("does not keep a process alive, open or closed", async () => {
    const { lines, exit } = await say(`
      const store = await createSqliteStore({ path, log: silentLog });
      await store.keyValues.set("agent-1", "n", "k", { value: "v" });
      const closed = await createSqliteStore({ path: ":memory:", log: silentLog });
      await closed.admin.close();
      say("end");`);
    expect([lines, exit]).toEqual([["end"], 0]);
    expect(await (await openStore()).keyValues.get(agentId, "n", "k")).toMatchObject({ value: "v" });
  });

  it("waits for an answer that is owed although nothing else keeps the process alive", async () => {
    const { lines } = await say(`
      const store = await createSqliteStore({ path, log: silentLog });
      void store.keyValues.set("agent-1", "n", "k", { value: "v" }).then(() => say("kept"));`);
    expect(lines).toEqual(["kept"]);
  });

  it("refuses writes while the disk is full and goes on when there is room", async () => {
    const store = await openStore({ maxPages: 400 });
    const fill = async (count: number): Promise<void> => {
      const value = "x".repeat(100_000);
      for (let index = 0; index < count; index += 1) await store.keyValues.set(agentId, "n", `${index}`, { value });
    };
    await expect(fill(100)).rejects.toMatchObject({ code: "exhausted", message: expect.stringContaining("make room") });
    expect((await store.keyValues.get(agentId, "n", "0"))?.value).toHaveLength(100_000);
    await expect(fill(100)).rejects.toMatchObject({ code: "exhausted" });
    await store.keyValues.delete(agentId, "n", "0");
    await store.admin.write(agentId, [put("m1", "there is room again")]);
    expect(await textsIn(store)).toEqual(["there is room again"]);
    expect(await store.admin.health({ deep: true })).toMatchObject({ ok: true });
  });

  it("fails every call as soon as its thread has died", async () => {
    const started = new Promise<Worker>((resolve) => process.once("worker", resolve));
    const store = await openStore();
    const pending = Array.from({ length: 3 }, () => store.keyValues.increment(agentId, "n", "k", { amount: 1 }));
    const results = Promise.allSettled(pending);
    await (await started).terminate();
    for (const result of await results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "unavailable", name: "StoreError" } });
    }
    await expect(store.inbox.counts(agentId)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("restart the program"),
    });
    await store.admin.close();
  });

  it("refuses what is no data without harming what was asked beside it", async () => {
    const store = await openStore();
    const name = (() => "a function") as unknown as string;
    const entity = { id: "e", platform: "p", account: "a", platformId: "1", name };
    const bad = store.admin.write(agentId, [{ type: "entity.put", entity }]);
    const good = store.admin.write(agentId, [put("m1", "fine")]);
    await expect(bad).rejects.toMatchObject({ code: "invalid" });
    await good;
    expect(await textsIn(store)).toEqual(["fine"]);
  });

  it("indexes in the end what was written in a hurry", async () => {
    const store = await openStore();
    await Promise.all(
      Array.from({ length: 900 }, (_, index) => store.admin.write(agentId, [put(`m${index}`, `w${index}`)])),
    );
    expect(await store.memories.search(agentId, { text: "w899", limit: 2 })).toHaveLength(1);
    await store.admin.close();
    const again = await openStore();
    expect((await again.admin.health()).details.unindexed).toBe(0);
    for (const word of ["w0", "w450", "w899"]) {
      expect(await again.memories.search(agentId, { text: word, limit: 2 })).toHaveLength(1);
    }
  });

  it("forgets a removed memory that is indexed already", async () => {
    const store = await openStore();
    await store.admin.write(agentId, [put("m1", "secret word"), put("m2", "other word")]);
    await store.admin.close();
    const again = await openStore();
    await again.admin.write(agentId, [{ type: "memory.remove", id: "m1" }]);
    const hits = await again.memories.search(agentId, { text: "word", limit: 9 });
    expect(hits.map(({ memory }) => memory.id)).toEqual(["m2"]);
    expect(await again.admin.health({ deep: true })).toMatchObject({ ok: true });
  });
});

describe("a backup", () => {
  it("is a whole store of its own, for its owner alone, made while it is written", async () => {
    const store = await openStore();
    await store.admin.write(agentId, [put("m1", "before")]);
    const copy = join(directory, "copy.db");
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, index) => store.admin.write(agentId, [put(`during${index}`, "during")])),
    );
    await store.admin.backup(copy);
    await writing;
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const restored = await openStore({ path: copy });
    expect((await textsIn(restored))[0]).toBe("before");
    expect(await restored.admin.health({ deep: true })).toMatchObject({ ok: true });
  });

  it("replaces no file and says what it cannot do", async () => {
    const store = await openStore();
    await expect(store.admin.backup(path)).rejects.toMatchObject({ code: "invalid" });
    const nowhere = join(directory, "missing", "copy.db");
    await expect(store.admin.backup(nowhere)).rejects.toMatchObject({ code: "unavailable" });
    const inMemory = await openStore({ path: ":memory:" });
    await expect(inMemory.admin.backup(join(directory, "c.db"))).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("opening", () => {
  it("says that there is nothing to read yet", async () => {
    await expect(openStore({ readOnly: true })).rejects.toMatchObject({
      code: "not_found",
      name: "StoreError",
      message: expect.stringContaining("start an agent once"),
    });
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("refuses what is no database", async () => {
    await mkdir(join(directory, "home"));
    await writeFile(path, "this is a letter, not a database\n".repeat(100));
    for (const readOnly of [false, true]) {
      await expect(openStore({ readOnly })).rejects.toMatchObject({
        code: "corrupt",
        message: expect.stringContaining(`${path} is damaged or is not a database`),
      });
    }
    expect(await readFile(path, "utf8")).toMatch(/^this is a letter/);
  });

  it("refuses a home that a newer Troupe wrote", async () => {
    await (await openStore()).admin.close();
    const database = new DatabaseSync(path);
    database.exec("pragma user_version = 999");
    database.close();
    for (const readOnly of [false, true]) {
      await expect(openStore({ readOnly })).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("written by a newer Troupe (schema 999"),
      });
    }
  });

  it("brings a home of the first schema up to date with all that is in it", async () => {
    await mkdir(join(directory, "home"));
    const database = new DatabaseSync(path);
    database.exec("pragma auto_vacuum = incremental; pragma journal_mode = wal");
    expect(migrate(database, path, migrations.slice(0, 1))).toEqual({ from: 0, to: 1 });
    database.exec(`
      insert into agent(id) values('${agentId}');
      insert into memory(agent, id, room_id, entity_id, type, created_at, text, content)
        values(1, 'm1', 'room', 'ann', 'message', 1, 'from before', '{}');
      insert into kv(agent, namespace, key, value, version) values(1, 'n', 'k', 'v', 3);`);
    database.close();
    await expect(openStore({ readOnly: true })).rejects.toMatchObject({ code: "conflict" });
    const store = await openStore();
    expect((await store.admin.health({ deep: true })).details.schema).toBe(migrations.length);
    expect(await textsIn(store)).toEqual(["from before"]);
    expect(await store.keyValues.get(agentId, "n", "k")).toEqual({ value: "v", version: 3 });
    await store.admin.write(agentId, [{ type: "job.put", job: { id: "j", kind: "k", payload: {}, runAt: 0 } }]);
    expect(await store.jobs.claim(agentId, "process-1", { now: 0, limit: 9 })).toMatchObject([{ attempts: 1 }]);
    const reader = await openStore({ readOnly: true });
    expect(await reader.jobs.list(agentId, { limit: 9 })).toMatchObject([{ id: "j", state: "running" }]);
    await expect(reader.jobs.remove(agentId, "j")).rejects.toMatchObject({ code: "invalid" });
  });

  it("refuses places where nothing can be written", async () => {
    await expect(openStore({ path: directory })).rejects.toMatchObject({ code: "unavailable" });
    await expect(openStore({ path: "/sys/troupe/home.db" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("choose another TROUPE_HOME"),
    });
    await writeFile(join(directory, "file"), "");
    await expect(openStore({ path: join(directory, "file", "troupe.db") })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("finds damaged pages when it looks deeply, and fails reads of them as corrupt", async () => {
    const store = await openStore();
    await store.admin.write(
      agentId,
      Array.from({ length: 300 }, (_, index) => put(`m${index}`, `text ${index} `.repeat(40))),
    );
    await store.admin.close();
    const damaged = join(directory, "damaged.db");
    await copyFile(path, damaged);
    const file = await open(damaged, "r+");
    for (let at = 80 * 4096; at < 130 * 4096; at += 4096) await file.write(Buffer.alloc(4096, 0x7f), 0, 4096, at);
    await file.close();
    const broken = await openStore({ path: damaged });
    const health = await broken.admin.health({ deep: true });
    expect(health.ok).toBe(false);
    expect(health.problems.join()).toMatch(/damaged.*restore a backup/);
    await expect(textsIn(broken)).rejects.toMatchObject({ code: "corrupt" });
  });

  it("knows which SQLite is safe", () => {
    expect(isAtLeast("3.51.3", "3.51.3")).toBe(true);
    expect(isAtLeast("3.53.0", "3.51.3")).toBe(true);
    expect(isAtLeast("4.0", "3.51.3")).toBe(true);
    expect(isAtLeast("3.51.2", "3.51.3")).toBe(false);
    expect(isAtLeast("3.9.9", "3.51.3")).toBe(false);
  });
});
