import { join } from "node:path";
import { silentLog } from "@troupe/core";
import { createTaskCapability } from "@troupe/core/task";
import { afterEach, describe, expect, it } from "vitest";
import { openControl } from "../control/open-control.ts";
import { runCommand } from "./testing/run-command.ts";
import { type SeededHome, seedHome } from "./testing/seeded-home.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A home with Ada, who plans, and a room called lobby. */
async function home(): Promise<SeededHome> {
  const seeded = await seedHome({ script: () => "Hello.", capabilities: [createTaskCapability] });
  closers.push(() => seeded.remove());
  await seeded.client.hear("hi");
  await seeded.agent.idle();
  return seeded;
}

/** Opens the home to commands, as the running agent does. */
async function control({ path, agentId, agent, client, clock, store }: SeededHome): Promise<void> {
  const agents = [{ agentId, name: "Ada", clients: [client], tasks: agent.tasks() }];
  const socket = join(path, "agent.sock");
  const opened = await openControl({ path: socket, agents, store, clock, random: () => 0.5, log: silentLog, pid: 1 });
  closers.push(() => opened.close());
}

const add = (path: string, ...args: readonly string[]) =>
  runCommand(path, ["tasks", "add", "Tea", "--when", "every day at 8", "--character", "Ada", ...args]);

describe("troupe tasks", () => {
  it("says when nothing is planned, and how to plan", async () => {
    const { path } = await home();
    expect((await runCommand(path, ["tasks"])).out).toBe(
      "Nothing is planned. Plan something with: troupe tasks add --help\n",
    );
    expect((await runCommand(path, ["tasks", "-s", "done"])).out).toBe("No task is done.\n");
    expect(JSON.parse((await runCommand(path, ["tasks", "--json"])).out)).toEqual([]);
  });

  it("plans through the running agent, which does it", async () => {
    const seeded = await home();
    await control(seeded);
    const { out, code } = await add(
      seeded.path,
      "--say",
      "Tea time!",
      "--room",
      "lobby",
      "--time-zone",
      "Tokyo",
      "--json",
    );
    expect([code, JSON.parse(out)]).toMatchObject([0, { state: "active", character: "Ada" }]);
    const { id } = JSON.parse(out) as { id: string };
    await runCommand(seeded.path, ["tasks", "run", id]);
    await seeded.agent.idle();
    await seeded.agent.idle();
    expect(seeded.client.shown().map(({ text }) => text)).toEqual(["Hello.", "⏰ Tea time!"]);
  });

  it("plans in the data itself when no agent runs, and says when it is done", async () => {
    const seeded = await home();
    await seeded.end();
    const { out } = await add(seeded.path, "--ask", "Say good morning.", "--room", "lobby");
    expect(out).toMatch(
      /^Tea is planned for \w+day, .* 08:00 \(UTC\) as .*; it is done when the agent runs: npm start\n$/u,
    );
    const listed = (await runCommand(seeded.path, ["tasks"])).out;
    expect(listed).toMatch(/ask .*lobby .*Tea .*cron 0 8 \* \* \* \(UTC\)/u);
    const shown = (await runCommand(seeded.path, ["tasks", "show", "tea"])).out;
    expect(shown).toMatch(/state +active[\s\S]*"text": "Say good morning\."[\s\S]*troupe tasks pause/u);
  });

  it("holds back, lets go on and takes away, by name, id or its beginning", async () => {
    const seeded = await home();
    await control(seeded);
    const { id } = JSON.parse((await add(seeded.path, "--say", "Tea!", "--room", "lobby", "--json")).out) as {
      id: string;
    };
    expect((await runCommand(seeded.path, ["tasks", "pause", "tea"])).out).toBe("Tea is held back\n");
    expect((await runCommand(seeded.path, ["tasks", "-s", "paused"])).out).toContain("paused");
    expect((await runCommand(seeded.path, ["tasks", "show", id])).out).toContain("troupe tasks resume");
    expect((await runCommand(seeded.path, ["tasks", "resume", id.slice(0, 8)])).out).toContain("its next turn is");
    expect((await runCommand(seeded.path, ["tasks", "remove", "Tea"])).out).toBe("Tea is taken away\n");
    expect(await runCommand(seeded.path, ["tasks", "pause", "Tea"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no task Tea. There are none yet."),
    });
  });

  it.each([
    [["--say", "x"], "--room ROOM"],
    [["--room", "lobby"], "--say TEXT, --ask TEXT and --kind KIND"],
    [["--room", "lobby", "--say", "x", "--ask", "y"], "one of --say"],
    [["--kind", "digest", "--payload", "[1]"], "no JSON object"],
    [["--room", "lobby", "--say", "x", "--payload", "{}"], "goes with --kind"],
    [["--room", "lobby", "--say", "x", "--time-zone", "Narnia"], "no time zone"],
    [["--room", "lobby", "--say", "x", "--when", "whenever"], "cannot read a time"],
    [["--room", "attic", "--say", "x"], "There is no room attic"],
  ])("refuses %j with the remedy", async (args, why) => {
    const { path } = await home();
    expect(await add(path, ...args)).toMatchObject({ code: 1, err: expect.stringContaining(why) });
  });

  it("plans tasks of plugins, with what they are given", async () => {
    const seeded = await home();
    await control(seeded);
    await add(seeded.path, "--kind", "digest", "--payload", '{"city":"Rome"}', "--catch-up", "skip");
    const [task] = await seeded.store.tasks.list(seeded.agentId, { limit: 1 });
    expect(task).toMatchObject({ kind: "digest", payload: { city: "Rome" }, catchUp: "skip" });
  });
});
