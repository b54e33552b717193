import { ModelError } from "@troupe/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./testing/run-command.ts";
import { type SeededHome, type SeedOptions, seedHome } from "./testing/seeded-home.ts";

const homes: SeededHome[] = [];
afterEach(async () => {
  await Promise.all(homes.splice(0).map((home) => home.remove()));
});

async function open(options: SeedOptions): Promise<SeededHome> {
  const home = await seedHome(options);
  homes.push(home);
  return home;
}

const saying = (text: string): string => JSON.stringify({ thought: "so", actions: ["REPLY"], text });

let talked: SeededHome | undefined;
beforeAll(async () => {
  talked = await talk();
});
afterAll(async () => talked?.remove());

/** The home of that talk; it is only looked at. */
function talkedIn(): SeededHome {
  if (!talked) throw new Error("the home is not there yet");
  return talked;
}

/** A home in which Bo said two things and was answered. */
async function talk(): Promise<SeededHome> {
  const home = await seedHome({ script: [{ text: saying("Hello Bo."), costMicrousd: 1_200 }, saying("A bridge.")] });
  for (const [text, eventId] of [
    ["hi Ada", "41"],
    ["what is that \u001b[31mred\u0007 thing? 漢字", "42"],
  ] as const) {
    await home.client.hear(text, { from: "Bo", room: "harbour", eventId });
    await home.agent.idle();
  }
  return home;
}

describe("troupe runs", () => {
  it("lists the newest first, within the terminal's width and without control characters", async () => {
    const { path } = talkedIn();
    const { out, code } = await runCommand(path, ["runs"], 130);
    const [heading, newest, older] = out.split("\n");
    expect(heading).toMatch(/^run +started +room +outcome +model +tokens +cost +took +heard$/u);
    expect((await runCommand(path, ["runs"], 60)).out).toMatch(/^run +started +outcome +heard\n/u);
    expect(newest).toMatch(/answered .*what is/u);
    expect(older).toMatch(/\$0\.001200 .*hi Ada/u);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/u);
    expect(code).toBe(0);
  });

  it("shows one by the beginning of its id, with prompt and raw answer when asked", async () => {
    const { path } = talkedIn();
    const { out: listed } = await runCommand(path, ["runs", "--limit", "1", "--json"]);
    const [{ id }] = JSON.parse(listed);
    const { out } = await runCommand(path, ["runs", "show", id.slice(0, 6), "--prompt", "--raw"]);
    expect(out).toContain(`Run ${id}  answered`);
    expect(out).toMatch(/── system[\s\S]*An engineer\.[\s\S]*── raw answer\n *\{"thought":"so"/u);
    expect(JSON.parse((await runCommand(path, ["runs", "show", "last", "--json"])).out)).toMatchObject({
      id,
      outcome: "answered",
    });
  });

  it("names what an unknown or too short id may be", async () => {
    const { path } = talkedIn();
    const unknown = await runCommand(path, ["runs", "show", "zzz"]);
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no run zzz[\s\S]*newest are:\n {2}[0-9a-f-]{36} {2}Ada, answered/u),
    });
  });

  it("lists those of one room", async () => {
    const { path } = talkedIn();
    expect((await runCommand(path, ["runs", "--room", "harbour"])).out.split("\n")).toHaveLength(4);
    expect(await runCommand(path, ["runs", "--room", "nowhere"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("troupe memories rooms"),
    });
  });

  it("refuses a limit that is none", async () => {
    const { path } = talkedIn();
    expect(await runCommand(path, ["runs", "--limit", "many"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("whole number"),
    });
  });

  it("says what to do when there are none yet, or not even a home", async () => {
    const { path } = await open({ script: [] });
    expect((await runCommand(path, ["runs"])).out).toContain("npm start");
    expect(await runCommand(`${path}/nothing`, ["runs"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("start an agent once"),
    });
  });
});

describe("troupe why and why-not", () => {
  it.each([["last"], ["42"], ["https://example.org/harbour/42?x=1"]])("says how %s was answered", async (wanted) => {
    const { path } = talkedIn();
    for (const command of ["why", "why-not"]) {
      const { out, code } = await runCommand(path, [command, wanted]);
      expect(out).toMatch(/Answered by run [0-9a-f]{8} with:\n {2}A bridge\./u);
      expect(code).toBe(0);
    }
  });

  it("says what caused an answer, by the platform's id and by the delivery's key", async () => {
    const { path } = talkedIn();
    const { out: listed } = await runCommand(path, ["deliveries", "--json"]);
    const [{ delivery, platformId }] = JSON.parse(listed);
    for (const wanted of [platformId, delivery.key]) {
      const { out } = await runCommand(path, ["why", wanted]);
      expect(out).toMatch(/because of:\n {2}Bo: what is that red thing\? 漢字\n {4}message 42/u);
    }
  });

  it("finds a message by the beginning of its id", async () => {
    const { path } = talkedIn();
    const [{ id }] = JSON.parse((await runCommand(path, ["memories", "--json"])).out);
    expect((await runCommand(path, ["why", id.slice(0, 8)])).out).toContain("Hello Bo.");
  });

  it("says by which rule the agent kept silent", async () => {
    const { path, client, agent } = await open({ script: [], small: ["[IGNORE]"] });
    await client.hear("nice weather", { channelType: "group", eventId: "7" });
    await agent.idle();
    const { out } = await runCommand(path, ["why-not", "7"]);
    expect(out).toMatch(/chose silence[\s\S]*said ignore\. \(rule model\)[\s\S]*Remedy: {3}Mention the agent/u);
  });

  it("says why a run failed and what to do", async () => {
    const error = new ModelError("unauthorized", "The model refused the key.");
    const { path, client, agent } = await open({ script: [{ error }] });
    await client.hear("hi", { eventId: "7" });
    await agent.idle();
    const { out } = await runCommand(path, ["why-not", "last"]);
    expect(out).toMatch(/run failed[\s\S]*refused the key[\s\S]*Replace the key/u);
  });

  it("says that a message waits, and that no agent is running", async () => {
    const home = await open({ script: [{ pieces: [new Promise(() => undefined)] }] });
    await home.client.hear("first", { eventId: "1" });
    await home.client.hear("second", { eventId: "2" });
    await home.end();
    const { out } = await runCommand(home.path, ["why-not", "2"]);
    expect(out).toMatch(/waiting in the inbox for .*number 2 in its room[\s\S]*No agent is running; .*npm start/u);
  });

  it("names what is known near a message that was never heard, and ends with 1", async () => {
    const { path } = talkedIn();
    const { out, code } = await runCommand(path, ["why-not", "43"]);
    expect(out).toMatch(/Never heard[\s\S]*Known near it:\n {2}42 [\s\S]*\n {2}41 /u);
    expect(code).toBe(1);
  });
});

describe("troupe memories", () => {
  it("searches as a character recalls, and says why each memory came", async () => {
    const { path } = talkedIn();
    const { out, err } = await runCommand(path, ["memories", "search", "--explain", "a", "bridge", "漢字"], 200);
    expect(out).toMatch(/^memory +score +words +meaning +new +weight +kind +when +room +who +text\n/u);
    expect(out).toMatch(/0\.0\d{3} +\d\. +– +\d+ % +0\.50 +message .*A bridge\./u);
    expect(out).toContain("漢字");
    expect(err).toContain("no embedding model is set up");
    const found = JSON.parse((await runCommand(path, ["memories", "search", "--explain", "--json", "bridge"])).out);
    expect(found[0]).toMatchObject({ why: { text: { rank: 1 }, salience: 0.5 }, memory: { type: "message" } });
    const nothing = await runCommand(path, ["memories", "search", "--explain", "zeppelin"]);
    expect(nothing.out).toContain('Nothing remembered has anything to do with "zeppelin"');
  });

  it("lists a conversation in its order", async () => {
    const { path } = talkedIn();
    const texts = (await runCommand(path, ["memories", "list", "--room", "harbour"])).out;
    expect(texts).toMatch(/Bo +hi Ada\n.*Ada +Hello Bo\.\n.*Bo +what is that red thing\? 漢字\n.*Ada +A bridge\./u);
  });

  it("finds words in any script", async () => {
    const { path } = talkedIn();
    expect((await runCommand(path, ["memories", "search", "漢字"])).out).toContain("what is that");
    expect((await runCommand(path, ["memories", "search", "no", "such", "words"])).out).toContain("Try fewer words");
  });

  it("shows one whole and lists the rooms", async () => {
    const { path } = talkedIn();
    expect((await runCommand(path, ["memories", "show", "41"])).out).toMatch(
      /who +Bo [\s\S]*\nhi Ada\n[\s\S]*troupe why/u,
    );
    expect((await runCommand(path, ["memories", "rooms"])).out).toMatch(/harbour +scripted +harbour +dm +default/u);
    expect(await runCommand(path, ["memories", "show", "99"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no memory 99"),
    });
  });

  it("gives JSON that no terminal obeys", async () => {
    const { path } = talkedIn();
    const { out } = await runCommand(path, ["memories", "--json"]);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
    expect(JSON.parse(out)).toHaveLength(4);
  });
});

describe("--character", () => {
  it("takes a file's name or a character's own, and names those there are when it is neither", async () => {
    const { path } = talkedIn();
    expect((await runCommand(path, ["runs", "--character", "Ada"])).out).toContain("hi Ada");
    expect((await runCommand(path, ["runs", "--character", "nadir"])).out).toContain("No runs yet");
    expect(await runCommand(path, ["runs", "--character", "Nobody"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no character Nobody.*Ada/u),
    });
  });
});
