import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "./testing/run-command.ts";
import { type SeededHome, seedHome } from "./testing/seeded-home.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A home of Ada, who keeps two contexts, and an episode in one of them. */
async function home(): Promise<SeededHome> {
  const seeded = await seedHome({ script: () => "Hello." });
  closers.push(() => seeded.remove());
  const { store, agentId } = seeded;
  for (const [id, key, at] of [
    ["aaaa1111-0000-8000-8000-000000000000", "ada", 1_000],
    ["bbbb2222-0000-8000-8000-000000000000", "bob", 2_000],
  ] as const) {
    const record = { type: "user", key, args: { name: key }, state: { likes: ["tea"] }, createdAt: at, updatedAt: at };
    await store.keyValues.set(agentId, "context", id, { value: JSON.stringify(record) });
  }
  const roomId = "aaaa1111-0000-8000-8000-000000000000";
  await store.admin.write(agentId, [
    {
      type: "room.put",
      room: { id: roomId, platform: "context", account: "troupe", platformId: "user/ada", channelType: "dm" },
    },
    {
      type: "memory.put",
      memory: {
        id: "e1",
        agentId,
        roomId,
        entityId: agentId,
        type: "episode",
        content: { text: "Ada asked for tea." },
        createdAt: 3_000,
        runId: "run-1",
        metadata: { contextId: roomId, seqs: [1, 2] },
      },
    },
  ]);
  return seeded;
}

const run = (path: string, ...args: readonly string[]) => runCommand(path, ["contexts", ...args, "--character", "Ada"]);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "troupe-contexts-"));
  closers.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("troupe contexts", () => {
  it("lists them, lately changed first, and by type", async () => {
    const { path } = await home();
    const { out } = await run(path);
    expect(out).toMatch(/context +changed +type +key +state[\s\S]*bob[\s\S]*ada/);
    const listed = JSON.parse((await run(path, "list", "--json")).out);
    expect(listed).toMatchObject([
      { key: "bob", character: "Ada" },
      { key: "ada", state: { likes: ["tea"] } },
    ]);
    expect((await run(path, "list", "--type", "goal")).out).toBe("There are no contexts of type goal.\n");
  });

  it("shows one whole by its id, a beginning of it, its key, or type and key", async () => {
    const { path } = await home();
    for (const wanted of ["aaaa1111-0000-8000-8000-000000000000", "aaaa1111", "ada", "user/ada"]) {
      const { out, code } = await run(path, "show", wanted);
      expect([code, out]).toEqual([0, expect.stringMatching(/key +ada[\s\S]*"tea"[\s\S]*Ada asked for tea\./)]);
    }
    expect(JSON.parse((await run(path, "show", "ada", "--json")).out)).toMatchObject({
      key: "ada",
      episodes: [{ id: "e1" }],
    });
  });

  it("names what it may be when several or none are meant", async () => {
    const { path } = await home();
    expect(await run(path, "show", "user")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Several.*\n.*user\/bob/),
    });
    expect(await run(path, "show", "eve")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no context eve.*\n.*user\/bob/),
    });
  });

  it("exports to standard output, or to a new file that only its owner may read", async () => {
    const { path } = await home();
    const { out } = await run(path, "export");
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["troupe-contexts", "context", "context", "room", "episode"]);
    const file = join(folder(), "out.jsonl");
    expect((await run(path, "export", file, "--no-episodes")).out).toContain("3 lines are written");
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(3);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(path, "export", file)).toMatchObject({ code: 2, err: expect.stringContaining("exists already") });
  });

  it("imports what was exported, once, and says what could not be taken", async () => {
    const from = await home();
    const file = join(folder(), "out.jsonl");
    await run(from.path, "export", file);
    const empty = await seedHome({ script: () => "Hello." });
    closers.push(() => empty.remove());
    await empty.end();
    expect(await run(empty.path, "import", file)).toMatchObject({
      code: 0,
      out: "Ada: 2 contexts and 1 episodes are taken\n",
    });
    expect((await run(empty.path, "import", file)).out).toContain("3 were there already");
    writeFileSync(file, `${readFileSync(file, "utf8")}{"type":"context"}\n`);
    const again = await run(empty.path, "import", file, "--replace");
    expect(again).toMatchObject({ code: 1, out: expect.stringMatching(/2 contexts[\s\S]*line 6: contextId/) });
    expect((await run(empty.path, "show", "ada")).out).toContain("Ada asked for tea.");
    expect(await run(empty.path, "import", join(folder(), "none"))).toMatchObject({ code: 1 });
  });
});
