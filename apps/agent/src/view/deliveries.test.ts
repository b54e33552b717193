import { join } from "node:path";
import { silentLog } from "@troupe/core";
import { afterEach, describe, expect, it } from "vitest";
import { openControl } from "../control/open-control.ts";
import { homePaths } from "../home/home.ts";
import { holdHome } from "../home/lock.ts";
import { runCommand } from "./testing/run-command.ts";
import { type SeededHome, seedHome } from "./testing/seeded-home.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A home with one answer of which nobody knows whether it arrived. */
async function uncertain(): Promise<SeededHome & { readonly key: string; readonly sent: Promise<void> }> {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const onSend = (point: "before" | "after"): void => {
    if (point === "after") resolve();
  };
  const home = await seedHome({ script: ["Hello Bo."], client: { guarantee: "none", onSend } });
  closers.push(() => home.remove());
  home.client.failNext({ type: "unknown", isApplied: false });
  home.client.failNext({ type: "unknown", isApplied: false });
  await home.client.hear("hi", { eventId: "41" });
  let isIdle = false;
  const idle = home.agent.idle().then(() => {
    isIdle = true;
  });
  // One sleeper is the run's own deadline; a second one waits to try again.
  for (let turn = 0; !isIdle; turn++) {
    if (turn > 2_000) throw new Error("the agent never came to rest");
    await (home.clock.sleepers() > 1 ? home.clock.advance(2_000) : new Promise((resolve) => setTimeout(resolve, 2)));
  }
  await idle;
  const [row] = await home.store.outbox.list(home.agentId, { states: ["uncertain"], limit: 1 });
  if (!row) throw new Error("no delivery is uncertain");
  return { ...home, key: row.delivery.key, sent };
}

/** Opens the home to commands, as the running agent does. */
async function run({ path, agentId, client, clock, store }: SeededHome): Promise<void> {
  const agents = [{ agentId, name: "Ada", clients: [client] }];
  const socket = join(path, "agent.sock");
  const control = await openControl({ path: socket, agents, store, clock, random: () => 0.5, log: silentLog, pid: 1 });
  closers.push(() => control.close());
}

const shown = ({ client }: SeededHome): readonly string[] => client.shown().map(({ text }) => text);

describe("troupe deliveries", () => {
  it("lists by state and shows one with what can be done about it", async () => {
    const { path, key } = await uncertain();
    expect((await runCommand(path, ["deliveries", "--state", "uncertain,failed"])).out).toMatch(
      /uncertain .*Hello Bo\./u,
    );
    expect((await runCommand(path, ["deliveries", "list", "-s", "sent"])).out).toBe("No delivery is sent.\n");
    const short = `${key.slice(0, 8)}/${key.split("/").slice(1).join("/")}`;
    const { out } = await runCommand(path, ["deliveries", "show", short]);
    expect(out).toContain(`troupe deliveries resend ${key}`);
    expect((await runCommand(path, ["why-not", "41"])).out).toMatch(/Nobody knows[\s\S]*troupe deliveries/u);
  });

  it("refuses a state and a key that do not exist", async () => {
    const { path } = await uncertain();
    expect(await runCommand(path, ["deliveries", "--state", "lost"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("uncertain"),
    });
    expect(await runCommand(path, ["deliveries", "show", "zzz"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no delivery zzz"),
    });
  });

  it("has the running agent send one again", async () => {
    const home = await uncertain();
    await run(home);
    const { out, code } = await runCommand(home.path, ["deliveries", "resend", home.key]);
    expect(out).toMatch(/: sent as scripted-1/u);
    expect([shown(home), code]).toEqual([["Hello Bo."], 0]);
    const again = await runCommand(home.path, ["deliveries", "resend", home.key]);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining("was sent already") });
  });

  it("marks one as sent and another as dropped through the running agent", async () => {
    const home = await uncertain();
    await run(home);
    const sent = await runCommand(home.path, ["deliveries", "sent", home.key, "--platform-id", "77", "--json"]);
    expect(JSON.parse(sent.out)).toMatchObject({ key: home.key, state: "sent", platformId: "77" });
    expect((await runCommand(home.path, ["why", "77"])).out).toContain("Ada: Hello Bo.");
  });

  it("settles in the data itself when no agent runs", async () => {
    const home = await uncertain();
    await home.end();
    const { out } = await runCommand(home.path, ["deliveries", "drop", home.key]);
    expect(out).toContain("failed: Dropped by the operator.");
    expect((await runCommand(home.path, ["deliveries", "-s", "failed"])).out).toContain("Hello Bo.");
  });

  it("leaves what is to be sent again to the next start, which sends it", async () => {
    const home = await uncertain();
    const other = await runCommand(home.path, ["deliveries", "resend", home.key]);
    expect(other.out).toContain("npm start");
    await run(home);
    await home.sent;
    await closers.pop()?.();
    expect(shown(home)).toEqual(["Hello Bo."]);
  });

  it("changes nothing beside a process that holds the home and cannot be reached", async () => {
    const home = await uncertain();
    const holder = { pid: 1, startedAt: "now", characters: ["Ada"], command: "start" };
    const lock = holdHome(homePaths(home.path), holder);
    closers.push(() => lock.release());
    const { code, err } = await runCommand(home.path, ["deliveries", "drop", home.key]);
    expect([code, err]).toEqual([1, expect.stringContaining("another agent works in the home")]);
    expect(await home.store.outbox.get(home.agentId, home.key)).toMatchObject({ state: "uncertain" });
  });
});
