import { afterEach, describe, expect, it } from "vitest";
import type { World } from "../room/room.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createStages, type Stage } from "../testing/stage.ts";
import { createTaskCapability } from "./task-capability.ts";

const stages = createStages();
afterEach(() => stages.close());

const hour = 3_600_000;
const about = { platform: "scripted", account: "scripted" };
const world: World = { id: "town", ...about, platformId: "t", name: "Town", data: { ownerId: "Olga" } };
let events = 0;

type Place = "hall" | "dm";

/** Somebody asks by command; what they are answered. */
async function ask(stage: Stage, who: string, words: string, place: Place = "hall"): Promise<string> {
  const [name = "", ...rest] = words.split(" ");
  events += 1;
  const heard = createInbound(
    { agentId: stage.agent.agentId, ...about },
    {
      ...{ text: `/${words}`, eventId: `e${events}`, from: who, room: place === "dm" ? who : place },
      ...{ channelType: place === "dm" ? "dm" : "group", command: { name, parameters: { text: rest.join(" ") } } },
    },
  );
  await stage.agent.receive(place === "dm" ? heard : { ...heard, world, room: { ...heard.room, worldId: world.id } });
  await stage.agent.idle();
  return stage.texts().at(-1) ?? "";
}

const open = (): Promise<Stage> => stages.open({ script: [], capabilities: [createTaskCapability] });

describe("holding a task back", () => {
  it("is done for the person whose it is, until they let it go on", async () => {
    const stage = await open();
    await ask(stage, "Bo", "remind every 2 hours to stretch");
    expect(await ask(stage, "Bo", "pause_task stretch")).toBe("Paused: every 2 hours, paused: stretch.");
    await stage.clock.advance(5 * hour);
    expect(stage.texts().filter((text) => text.startsWith("⏰"))).toEqual([]);
    expect(await ask(stage, "Bo", "resume_task 1")).toContain("Resumed: every 2 hours, next ");
    await stage.clock.advance(2 * hour);
    expect(stage.texts().filter((text) => text.startsWith("⏰"))).toEqual(["⏰ Bo: stretch"]);
  });

  it("is done for the owner of the server, and refused to everybody else", async () => {
    const stage = await open();
    await ask(stage, "Bo", "remind every 2 hours to stretch");
    expect(await ask(stage, "Cy", "pause_task stretch")).toBe("There is nothing here that you could pause.");
    expect(await ask(stage, "Olga", "pause_task stretch")).toContain("Paused: ");
    expect(await ask(stage, "Cy", "resume_task 1")).toBe("There is nothing here that you could resume.");
    expect(await ask(stage, "Olga", "resume_task 1")).toContain("Resumed: ");
  });

  it("tells nobody in a group of what was asked for in private", async () => {
    const stage = await open();
    await ask(stage, "Bo", "remind tomorrow at 8 to see the doctor", "dm");
    expect(await ask(stage, "Bo", "pause_task 1")).toBe("There is nothing here that you could pause.");
    expect(await ask(stage, "Bo", "pause_task 1", "dm")).toBe("Paused: paused: see the doctor.");
  });

  it("asks which one is meant", async () => {
    const stage = await open();
    await ask(stage, "Bo", "remind tomorrow at 8 to call mum");
    await ask(stage, "Bo", "remind tomorrow at 9 to call dad");
    expect(await ask(stage, "Bo", "pause_task call")).toMatch(
      /^Several could be meant; give the number of one:\n1\. .*call mum\n2\. .*call dad$/,
    );
    expect(await ask(stage, "Bo", "pause_task aunt")).toMatch(/^"aunt" is none of these;/);
    expect(await ask(stage, "Bo", "pause_task 2")).toContain("call dad");
  });

  it("is made up for when the time passed meanwhile", async () => {
    const stage = await open();
    await ask(stage, "Bo", "remind in 2 hours to call mum");
    await ask(stage, "Bo", "pause_task 1");
    await stage.clock.advance(3 * hour);
    await ask(stage, "Bo", "resume_task 1");
    expect(stage.texts().slice(-2)).toEqual([expect.stringMatching(/^Resumed: .*call mum\.$/), "⏰ Bo: call mum"]);
  });

  it("is offered to the model only where there is something to hold back", async () => {
    const stage = await stages.open({ script: () => '{"text":"Yes."}', capabilities: [createTaskCapability] });
    const prompt = (): string => JSON.stringify(stage.model.requests.at(-1)?.messages);
    await stage.say("Hello");
    expect(prompt()).not.toContain("PAUSE_TASK");
    await stage.client.hear("/remind", {
      command: { name: "remind", parameters: { what: "tea", when: "in 2 hours" } },
    });
    await stage.agent.idle();
    await stage.say("Hello");
    expect(prompt()).toContain("PAUSE_TASK");
    expect(prompt()).not.toContain("RESUME_TASK");
  });
});
