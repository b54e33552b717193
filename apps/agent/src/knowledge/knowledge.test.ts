import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddingModel, parseCharacter, silentLog } from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { systemClock } from "@troupe/core/clock";
import { createScriptedEmbeddingModel, createScriptedModel } from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openControl } from "../control/open-control.ts";
import { homePaths } from "../home/home.ts";
import { standardCapabilities } from "../standard-capabilities.ts";
import { createPlace, runProgram, startProgram } from "../testing/run-program.ts";
import { type CommandResult, runCommand } from "../view/testing/run-command.ts";
import { createKnowing } from "./knowing.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Scene = {
  readonly path: string;
  run(...args: readonly string[]): Promise<CommandResult>;
  /** Starts Kim on the home, and waits until everything is read; ends her when it is called. */
  work(embedding?: EmbeddingModel): Promise<() => Promise<void>>;
};

const kim = { name: "Kim", bio: "Knows the house.", knowledge: [{ directory: "docs" }] };

function openScene(): Scene {
  const path = mkdtempSync(join(tmpdir(), "troupe-knowing-"));
  closers.push(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(join(path, "docs"));
  mkdirSync(join(path, "home"), { mode: 0o700 });
  const characterPath = join(path, "kim.character.json");
  writeFileSync(characterPath, JSON.stringify(kim));
  writeFileSync(join(path, "docs", "handbook.md"), "# Handbook\n\n## Holidays\n\nThirty days of vacation.\n");
  writeFileSync(join(path, "docs", "broken.pdf"), "%PDF-1.4\nnothing of it is true");
  const home = homePaths(join(path, "home"));
  return {
    path,
    run: (...args) => runCommand(home.path, ["-c", characterPath, ...args]),
    async work(embedding) {
      const reading = parseCharacter(JSON.stringify(kim), { source: "kim" });
      if (!reading.ok) throw new Error("Kim cannot be read");
      const { character } = reading;
      const store = await createSqliteStore({ path: home.databasePath, log: silentLog });
      const parts = { store, clock: systemClock, log: silentLog, owner: "test" };
      const knowing = createKnowing(parts);
      const model = createScriptedModel(() => '{"text":"I see."}');
      const clients: [] = [];
      const agentId = "8b9d2c3e-0000-4000-8000-0000000000aa";
      const agent = createAgent({
        ...{ ...parts, clients, random: () => 0.5, character: { ...character, id: agentId } },
        models: { TEXT_LARGE: model, TEXT_SMALL: model, ...(embedding && { TEXT_EMBEDDING: embedding }) },
        capabilities: standardCapabilities({ agentId, character, path: characterPath, clients, knowing }),
      });
      writeFileSync(characterPath, JSON.stringify({ ...kim, id: agentId }));
      await agent.start();
      const agents = [{ agentId, name: "Kim", clients }];
      const control = await openControl({
        ...parts,
        knowing,
        agents,
        path: home.socketPath,
        random: () => 0.5,
        pid: 1,
      });
      await knowing.check(agentId);
      await agent.idle();
      const close = async (): Promise<void> => {
        await control.close();
        await agent.stop(0);
        await store.admin.close();
      };
      closers.push(close);
      return close;
    },
  };
}

const table = ({ out }: CommandResult): string => out.replaceAll(/ +/gu, " ");

describe("troupe knowledge", () => {
  it("lists what is read and what cannot be, finds it with its place, and says why", async () => {
    const { run, work } = openScene();
    await work();
    const list = table(await run("knowledge"));
    expect(list).toMatch(/read 1 Kim .*docs 1 of 2 files read, 1 cannot be\n/u);
    expect(list).toMatch(/failed 0 Kim broken\.pdf "broken\.pdf"/u);
    const found = table(await run("knowledge", "search", "vacation", "days"));
    expect(found).toMatch(/Handbook \(handbook\.md\), lines 1–5 .*Thirty days of vacation/u);
    const explained = await run("knowledge", "search", "vacation", "--explain");
    expect(table(explained)).toMatch(/fragment score words meaning where text\n\S+ 0\.0\d+ 1\. –/u);
    expect(explained.err).toContain("no embedding model is set up; by words alone");
    const [first] = JSON.parse((await run("knowledge", "search", "vacation", "--json")).out);
    expect(first).toMatchObject({ title: "Handbook", isShared: false, character: "Kim" });
  });

  it("adds to the running agent and takes out again, by path or id", async () => {
    const { path, run, work } = openScene();
    const added = join(path, "more.txt");
    writeFileSync(added, "Parking is free on Sundays.");
    await work();
    const adding = await run("knowledge", "add", added);
    expect(adding.out).toBe(`${added} is added for Kim; it is being read: troupe knowledge list\n`);
    const again = await run("knowledge", "add", added);
    expect(again.out).toContain("was added before");
    const removing = await run("knowledge", "remove", added);
    expect(removing.out).toBe(`${added} is taken out, and what it said is forgotten\n`);
    expect((await run("knowledge", "list")).out).not.toContain("more.txt");
    expect((await run("knowledge", "search", "parking")).out).toContain("Nothing known has anything to do");
  });

  it("notes what is to be read when no agent runs, and shows it waiting", async () => {
    const { path, run, work } = openScene();
    const added = join(path, "more.txt");
    writeFileSync(added, "Parking is free on Sundays.");
    const close = await work();
    await close();
    expect((await run("knowledge", "add", added)).out).toContain("it is read when the agent runs");
    expect((await run("knowledge", "add", path, "--shared")).out).toContain("is added for all characters");
    expect(table(await run("knowledge"))).toMatch(/– waiting 0 all .* added; read when the agent runs/u);
    expect((await run("knowledge", "remove", path)).code).toBe(0);
    await work();
    expect((await run("knowledge", "search", "parking")).out).toContain("Parking is free");
  });

  it("says what is wrong with what it is told", async () => {
    const { path, run, work } = openScene();
    await work();
    const ids = JSON.parse((await run("knowledge", "--json")).out) as { id: string; path?: string }[];
    const child = ids.find((one) => one.path === "handbook.md")?.id ?? "";
    expect((await run("knowledge", "remove", child)).err).toContain("belongs to the directory");
    expect((await run("knowledge", "remove", join(path, "docs"))).err).toContain("stands in Kim's character file");
    expect((await run("knowledge", "remove", "nothing")).err).toContain("Nothing known is called nothing");
    expect((await run("knowledge", "add", join(path, "gone.md"))).err).toContain("There is no file or directory");
    expect((await run("knowledge", "search", " ")).err).toContain("There is nothing to search for");
  });
});

it("embeds own and shared fragments once, and not again at the next start", async () => {
  const { path, run, work } = openScene();
  writeFileSync(join(path, "more.txt"), "Parking is free on Sundays.");
  expect((await run("knowledge", "add", join(path, "more.txt"), "--shared")).code).toBe(0);
  const embedding = createScriptedEmbeddingModel();
  const close = await work(embedding);
  await vi.waitFor(() => expect(embedding.requests.flat()).toHaveLength(2), { timeout: 5_000 });
  await close();
  await (await work(embedding))();
  expect(embedding.requests.flat().toSorted()).toEqual([
    expect.stringContaining("Thirty days"),
    expect.stringContaining("Parking"),
  ]);
});

it("goes on reading after the process was killed, without doubling", async () => {
  const place = createPlace(process.env);
  closers.push(() => place.remove());
  const count = 400;
  mkdirSync(join(place.path, "docs"));
  for (let at = 0; at < count; at++)
    writeFileSync(join(place.path, "docs", `${at}.md`), `# ${at}\n\nAll about ${at}.\n`);
  const path = join(place.path, "kim.character.json");
  writeFileSync(path, JSON.stringify(kim));
  const first = startProgram(place, ["-c", path, "-m", "offline", "start"]);
  await first.said(/"done":100,"of":400/u);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = startProgram(place, ["-c", path, "-m", "offline", "start"]);
  await second.said(/"documents":400,"failed":0/u);
  second.child.kill("SIGTERM");
  const { err, out } = await second.ended;
  const [begun] = /"of":\d+/u.exec(`${err}${out}`) ?? [];
  expect(begun).not.toBe('"of":400');
  const list = await runProgram(place, ["-c", path, "knowledge", "--json", "--limit", "1000"]);
  const files = (JSON.parse(list.out) as { path?: string; fragments: number }[]).filter(
    (one) => one.path !== undefined,
  );
  expect(files).toHaveLength(count);
  expect(files.every(({ fragments }) => fragments === 1)).toBe(true);
});
