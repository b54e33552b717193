import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createPlace, type Place, runProgram, startProgram } from "../testing/run-program.ts";

const places: Place[] = [];
function makePlace(): Place {
  const place = createPlace(process.env);
  places.push(place);
  return place;
}
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

it("lets a person talk to the character on every platform, and says what became of it", async () => {
  const place = makePlace();
  const running = startProgram(place, ["simulate", "--quiet-town", "--seconds", "60", "-m", "offline"]);
  await running.said(/Say something/);
  const { stdin } = running.child;
  stdin?.write("discord harbour: @Ada what is 6 * 7?\n");
  stdin?.write("discord nowhere: hello\n");
  stdin?.write("telegram direct: what is 5 * 5?\n");
  await running.said(/#harbour +Ada: [^\n]*42/);
  await running.said(/direct Visitor +Ada: [^\n]*25/);
  stdin?.write("and what is 4 + 5?\n");
  await running.said(/direct Visitor +Ada: [^\n]*9/);
  stdin?.write("/quit\n");
  const { out, code } = await running.ended;
  expect(out).toContain("There is no place nowhere; there are: harbour, boats");
  expect(out).toMatch(/Discord +heard 1, meant for a character 1: answered once 1, twice 0, never 0/);
  expect(out).toMatch(/Telegram +heard 2, meant for a character 2: answered once 2, twice 0, never 0/);
  expect(existsSync(join(place.home, "simulation", "troupe.db"))).toBe(true);
  expect(existsSync(join(place.home, "troupe.db"))).toBe(false);
  expect(code).toBe(0);
}, 30_000);

it("runs simulators as servers that characters of another process live on", async () => {
  const servers = ["discord", "telegram"].map((platform) =>
    startProgram(makePlace(), ["simulate", platform, "--quiet-town", "--seconds", "60"]),
  );
  let shown = "";
  for (const { child } of servers) child.stdout?.on("data", (text: string) => (shown += text));
  await Promise.all(servers.map((server) => server.said(/Everything is forgotten/)));
  const lines = [...shown.matchAll(/^([A-Z_]+)=(.+)$/gm)];
  const environment = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
  expect(Object.keys(environment).toSorted()).toEqual([
    ...["DISCORD_API_ROOT", "DISCORD_API_TOKEN", "TELEGRAM_API_ROOT", "TELEGRAM_BOT_TOKEN"],
  ]);
  const agent = startProgram(makePlace(), ["start"], { environment });
  await Promise.all(servers.map((server) => server.said(/\(a bot is connected\)/)));
  agent.child.kill("SIGTERM");
  for (const { child } of servers) child.kill("SIGINT");
  expect((await agent.ended).code).toBe(0);
  expect(await Promise.all(servers.map(async ({ ended }) => (await ended).code))).toEqual([0, 0]);
}, 30_000);

it("says that a port is taken, and which platforms there are", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const [conflict, unknown, misplaced] = await Promise.all([
    runProgram(makePlace(), ["simulate", "telegram", "--port", String(port)]),
    runProgram(makePlace(), ["simulate", "myspace"]),
    runProgram(makePlace(), ["simulate", "discord", "--faults"]),
  ]);
  taken.close();
  expect(conflict.err).toMatch(
    new RegExp(`^troupe: port ${port} is taken by another program; name another one with --port`),
  );
  expect(conflict.code).toBe(1);
  expect(unknown.err).toContain("Allowed choices are discord, telegram, twitter");
  expect([unknown.code, misplaced.code]).toEqual([2, 2]);
}, 20_000);
