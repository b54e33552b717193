import { afterEach, describe, expect, it } from "vitest";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

describe("the command why", () => {
  it("says why the last message here was answered, with the model and without any text of it", async () => {
    const { say, client, agent, texts } = await stages.open({ script: ['{"actions":["REPLY"],"text":"Blue."}'] });
    await say("Which colour is the secret door?");
    await client.hear("/why", { command: { name: "why", parameters: {} } });
    await agent.idle();
    const told = texts().at(-1) ?? "";
    expect(told).toMatch(/^The last message here was answered\.\nDecision: respond\. It is a direct message\./);
    expect(told).toContain("Model: scripted:");
    expect(told).not.toContain("secret");
  });

  it("says why there was silence, passing over other commands", async () => {
    const { client, agent, texts } = await stages.open({ script: [], small: ["[IGNORE]"] });
    await client.hear("so what", { channelType: "group" });
    await client.hear("/why", { channelType: "group", command: { name: "why", parameters: {} } });
    await client.hear("/why", { channelType: "group", command: { name: "why", parameters: {} } });
    await agent.idle();
    expect(texts()).toHaveLength(2);
    for (const text of texts())
      expect(text).toMatch(/^The last message here was left unanswered\.\nDecision: ignore\./);
  });

  it("says so where nothing happened before", async () => {
    const { client, agent, texts } = await stages.open({ script: [] });
    await client.hear("/why", { command: { name: "why", parameters: {} } });
    await agent.idle();
    expect(texts()).toEqual(["Nothing was answered or left unanswered here before."]);
  });
});
