import { afterEach, describe, expect, it } from "vitest";
import type { RegisteredAction } from "../action/action.ts";
import type { ModelRequest } from "../model/model.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const open = (more: Partial<Setting> = {}): Promise<Stage> => stages.open({ script: () => "Aha.", ...more });

const systemOf = (request: ModelRequest | undefined): string => request?.messages[0]?.content ?? "";
const lastOf = (request: ModelRequest | undefined): string => request?.messages.at(-1)?.content ?? "";

async function hear(stage: Stage, from: string, text = "Ada, hello"): Promise<void> {
  await stage.client.hear(text, { from, channelType: "group", room: "hall" });
  await stage.agent.idle();
}

const doing = (name: string, priority?: number): RegisteredAction => ({
  name,
  description: `Does ${name}.`,
  similes: [],
  ...(priority !== undefined && { priority }),
  run: async () => ({ success: true }),
});

describe("a prompt", () => {
  it("begins the same from turn to turn, whoever speaks and however late it is", async () => {
    const stage = await open();
    for (const from of ["Bo", "Eve", "Bo", "Olga"]) {
      await hear(stage, from);
      await stage.clock.advance(3_600_000);
    }
    const [first, ...others] = stage.model.requests.map(systemOf);
    expect(others).toEqual(others.map(() => first));
  });

  it("says where a group is and who is there, and nothing of it in direct messages", async () => {
    const stage = await open();
    await stage.say("hi");
    for (const from of ["Bo", "Eve"]) await hear(stage, from);
    const [direct, , group] = stage.model.requests;
    expect(systemOf(direct)).not.toContain("# Where this is");
    expect(lastOf(direct)).not.toContain("<people>");
    expect(systemOf(group)).toContain('# Where this is\n"hall", a group on scripted.');
    expect(lastOf(group)).toMatch(/<people>Bo, Eve<\/people>\n<now>/);
  });

  it("is the same in every room up to where it says which one it is", async () => {
    const stage = await open();
    await stage.client.hear("Ada, hi", { channelType: "group", room: "hall" });
    await stage.client.hear("Ada, hi", { channelType: "group", room: "attic" });
    await stage.agent.idle();
    const [hall = "", attic = ""] = stage.model.requests.map(systemOf);
    const [beginning = "", rest] = hall.split('# Where this is\n"hall"');
    expect(rest).toBeDefined();
    expect(beginning).toContain("# Actions");
    expect(attic.startsWith(beginning)).toBe(true);
  });

  it("offers actions by their priority, then as they were registered", async () => {
    const stage = await open({ actions: [doing("ONE"), doing("TWO", 5), doing("THREE", -1), doing("FOUR", 5)] });
    await stage.say("hi");
    const offered = [...systemOf(stage.model.requests[0]).matchAll(/^- (\w+):/gm)].map(([, name]) => name);
    expect(offered.slice(0, 3)).toEqual(["TWO", "FOUR", "REPLY"]);
    expect(offered.slice(-2)).toEqual(["ONE", "THREE"]);
  });
});

describe("a template", () => {
  it("is filled with the providers it names, private ones too, and they stand nowhere else", async () => {
    const stage = await open({
      character: { templates: { messageHandler: "{{agentName}} knows:\n{{MOON}}\n{{recentMessages}}\n{{providers}}" } },
      providers: [
        { name: "MOON", position: 5, get: () => ({ text: "The moon is full." }) },
        { name: "SUN", position: 6, isStable: true, get: () => ({ text: "The sun is a star." }) },
      ],
    });
    await stage.say("what do you know?");
    const [request] = stage.model.requests;
    expect(systemOf(request)).toMatch(
      /^Ada knows:\nThe moon is full\.\n<message from="user">what do you know\?<\/message>/,
    );
    expect(systemOf(request)).toContain("The sun is a star.");
    expect(lastOf(request)).not.toContain("moon");
  });
});
