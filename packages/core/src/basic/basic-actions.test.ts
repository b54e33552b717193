import { afterEach, describe, expect, it } from "vitest";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const social = { social: ["like", "retweet", "quote"] as const };

describe("a social action", () => {
  it("is a delivery of its kind, once, by keyword and by name alike", async () => {
    const { say, client, journal } = await stages.open({
      script: ['{"actions":["LIKE"],"text":"Lovely. [LIKE] [RETWEET]"}'],
      client: social,
    });
    await say("look at this");
    expect(client.shown().map(({ kind, text }) => [kind, text])).toEqual([
      ["message", "Lovely."],
      ["like", ""],
      ["retweet", ""],
    ]);
    const results = (await journal()).flatMap((body) => (body.type === "action_result" ? [body.success] : []));
    expect(results).toEqual([true, true]);
  });

  it("aims at the message that is answered", async () => {
    const { client, agent } = await stages.open({ script: ["[LIKE]"], client: social });
    const { memory } = await client.hear("look at this");
    await agent.idle();
    expect(client.shown()).toMatchObject([{ kind: "like", replyToPlatformId: memory.platformId }]);
  });

  it("sends the text as a quotation on QUOTE, and as an answer where the platform cannot quote", async () => {
    const quoting = await stages.open({ script: ["So true. [QUOTE]"], client: social });
    await quoting.say("a thought");
    expect(quoting.client.shown()).toMatchObject([{ kind: "quote", text: "So true." }]);
    const plain = await stages.open({ script: ["So true. [QUOTE]"] });
    await plain.say("a thought");
    expect(plain.client.shown()).toMatchObject([{ kind: "message", text: "So true." }]);
  });

  it("says that nothing was done where the platform has none of it", async () => {
    const { say, journal, model } = await stages.open({ script: ["Nice. [LIKE]"] });
    await say("look");
    expect(model.requests[0]?.messages[0]?.content).not.toContain("- LIKE");
    const result = (await journal()).find((body) => body.type === "action_result");
    expect(result).toMatchObject({ success: false, refused: "validate" });
  });
});

describe("SEND_MESSAGE", () => {
  const sending = (to: string): string =>
    JSON.stringify({ actions: [{ name: "dm", parameters: { to, text: "Dinner is ready." } }], text: "" });

  it("says something in another room that is known by name", async () => {
    const { client, agent } = await stages.open({ script: ["Hello.", sending("#Kitchen")] });
    await client.hear("hi", { room: "kitchen" });
    await agent.idle();
    await client.hear("tell the kitchen", { room: "hall" });
    await agent.idle();
    expect(client.shown().map(({ target, text }) => [target, text])).toEqual([
      ["kitchen", "Hello."],
      ["kitchen", "Dinner is ready."],
    ]);
  });

  it("names a room it does not know", async () => {
    const { say, journal } = await stages.open({ script: [sending("attic")] });
    await say("tell the attic");
    expect((await journal()).find((body) => body.type === "action_result")).toMatchObject({
      success: false,
      error: "No room or person called attic is known.",
    });
  });
});

describe("room actions", () => {
  it("mute a group until the agent is mentioned", async () => {
    const { client, agent, texts } = await stages.open({
      script: ['{"actions":["MUTE_ROOM"],"text":"Muted."}', '{"actions":["UNMUTE_ROOM"],"text":"Back."}'],
    });
    const group = { channelType: "group" } as const;
    for (const [text, mention] of [
      ["Ada, be quiet for good", false],
      ["Ada?", false],
      ["come back", true],
    ] as const) {
      await client.hear(text, { ...group, mention: { mentionsAgent: mention } });
      await agent.idle();
    }
    expect(texts()).toEqual(["Muted.", "Back."]);
  });

  it("are not offered in direct messages", async () => {
    const { say, model } = await stages.open({ script: ["Hello."] });
    await say("hi");
    expect(model.requests[0]?.messages[0]?.content).not.toMatch(/MUTE_ROOM|FOLLOW_ROOM|UPDATE_ROLE/);
  });
});

describe("an answer in XML", () => {
  it("means what it means in JSON", async () => {
    const { say, texts, model } = await stages.open({
      script: ["<response><thought>t</thought><actions>REPLY</actions><text>5 &lt; 6</text></response>"],
      character: { settings: { responseFormat: "xml" } },
    });
    await say("compare");
    expect(texts()).toEqual(["5 < 6"]);
    expect(model.requests[0]?.messages[0]?.content).toContain("<response>");
  });
});
