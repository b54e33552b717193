import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, type Place, runProgram, startProgram } from "./testing/run-program.ts";

const places: Place[] = [];
function makePlace(): Place {
  const place = createPlace(process.env);
  places.push(place);
  return place;
}
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

describe("the program", () => {
  it("passes flags through npm and pnpm, and prints the reply alone with --once", async () => {
    const place = makePlace();
    const home = join(place.path, "another");
    const { out, err, code } = await runProgram(place, ["chat", "--once", "--home", home, "-m", "offline"], {
      input: "What is 6 * 7?\n",
      chain: true,
    });
    expect(err.replaceAll(/^npm warn.*\n/gm, "")).toBe("");
    expect(out).toMatch(/^[^\n]*42[^\n]*\n$/);
    expect(code).toBe(0);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "logs", "agent.log")).mode & 0o777).toBe(0o600);
  });

  it("answers every line that is piped in, and says on standard error how to get a model", async () => {
    const ending = await runProgram(makePlace(), [], { input: "What is 2 + 3?\nWhat is 4 + 5?\n" });
    expect(ending.out).toMatch(/^Ada: .*5.*\nAda: .*9.*\n$/);
    expect(ending.err).toMatch(/^[^\n]*OPENAI_API_KEY[^\n]*\n$/);
    expect(ending.code).toBe(0);
  });

  it("keeps a second agent out of its home, lets readers in, and stops on SIGTERM", async () => {
    const place = makePlace();
    const first = startProgram(place, ["start"]);
    await first.said(/"msg":"ready"/);
    const [second, doctor] = await Promise.all([
      runProgram(place, ["chat", "--once", "hi"]),
      runProgram(place, ["doctor", "--json", "--offline"]),
    ]);
    expect(second.err).toContain(`process ${first.child.pid}, "start" with Ada`);
    expect(second.code).toBe(1);
    expect(doctor.code).toBe(0);
    expect(JSON.parse(doctor.out).findings).toContainEqual(
      expect.objectContaining({ subject: "agent", message: expect.stringContaining(`process ${first.child.pid}`) }),
    );
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
  });

  it("parks what is under way when it is stopped, and goes on with it at the next start", async () => {
    const place = makePlace();
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const environment = {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_MODEL: "mute",
      TROUPE_STOP_GRACE_MS: "50",
    };
    const stuck = startProgram(place, ["chat"], { environment });
    stuck.child.stdin?.write("What is 20 + 2?\n");
    await once(silent, "request");
    stuck.child.kill("SIGTERM");
    const stopped = await stuck.ended;
    silent.closeAllConnections();
    silent.close();
    expect(stopped.err).toContain("(the answer of Ada waits: ");
    expect(stopped.code).toBe(143);
    const next = await runProgram(place, ["-m", "offline"], { input: "" });
    expect(next.out).toMatch(/22/);
    expect(next.code).toBe(0);
  });

  it("says why there is no reply, without a stack and with exit code 1", async () => {
    const environment = { OPENAI_BASE_URL: "http://127.0.0.1:1", OPENAI_MODEL: "none" };
    const ending = await runProgram(makePlace(), ["chat", "--once", "hi"], { environment });
    expect(ending.err).toMatch(/^troupe: Ada could not answer: .*OPENAI_BASE_URL.*\n$/);
    expect(ending).toMatchObject({ out: "", code: 1 });
  });

  it("starts the characters that are in order and names what is wrong with the others", async () => {
    const place = makePlace();
    writeFileSync(join(place.path, "half.character.json"), '{ "name": "Half", "bio": 3 }');
    writeFileSync(join(place.path, "latin.character.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    const files = ["half.character.json", "latin.character.json", "nadir"].flatMap((file) => ["--character", file]);
    const { out, err, code } = await runProgram(place, ["chat", "--once", "hi", ...files]);
    expect(err.split("\n")[0]).toMatch(/^✗ half\.character\.json: bio: .+ → .+/);
    expect(err.split("\n")[1]).toBe("✗ latin.character.json: The file is not UTF-8 text → Save it as UTF-8.");
    expect(out).not.toBe("");
    expect(code).toBe(0);
  });

  it("refuses a wrong command line with a suggestion and exit code 2", async () => {
    const place = makePlace();
    const [command, flag, lone] = await Promise.all([
      runProgram(place, ["docter"]),
      runProgram(place, ["chat", "--onse"]),
      runProgram(place, ["--home"]),
    ]);
    expect(command.err).toContain("(Did you mean doctor?)");
    expect(flag.err).toContain("(Did you mean --once?)");
    expect([command.code, flag.code, lone.code]).toEqual([2, 2, 2]);
  });

  it("tells of a damaged database and how to mend it", async () => {
    const place = makePlace();
    const home = join(place.path, "home");
    await runProgram(place, ["chat", "--once", "hi"]);
    writeFileSync(join(home, "troupe.db"), "this is no database, and never was one ".repeat(50));
    const { err, code } = await runProgram(place, ["chat", "--once", "hi"]);
    expect(err).toMatch(/^troupe: the database .* is damaged .*restore a backup/);
    expect(code).toBe(1);
    expect(readFileSync(join(home, "logs", "agent.log"), "utf8")).not.toContain('"hi"');
  });
});
